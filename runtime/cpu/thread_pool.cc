#include "runtime/cpu/thread_pool.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kiln::runtime {
namespace {

// How often a worker that ran out of work looks again before it sleeps: some tens of microseconds, the distance of two
// launches in a row, and less than a wake-up costs.
constexpr int kLooks = 4000;

void Pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  workers_.reserve(threads - 1);
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { WorkerLoop(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    published_.fetch_add(1, std::memory_order_release);
  }
  has_job_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Work(Job& job) {
  while (true) {
    int64_t begin = job.next.fetch_add(job.grain, std::memory_order_relaxed);
    if (begin >= job.count) break;
    job.body(job.context, begin, std::min(begin + job.grain, job.count));
  }
  // Streaming stores are not ordered by locks on every CPU.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void ThreadPool::Remove(Job* job) {
  for (Job** link = &jobs_; *link; link = &(*link)->following) {
    if (*link != job) continue;
    *link = job->following;
    return;
  }
}

void ThreadPool::For(int64_t count, int64_t grain, Body body, void* context) {
  grain = std::max<int64_t>(grain, 1);
  Job job{body, context, count, grain};
  if (workers_.empty() || count <= grain) {
    Work(job);
    return;
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    job.following = jobs_;
    jobs_ = &job;
    published_.fetch_add(1, std::memory_order_release);
  }
  if (count <= 2 * grain)
    has_job_.notify_one();
  else
    has_job_.notify_all();
  Work(job);
  std::unique_lock<std::mutex> lock(mutex_);
  Remove(&job);
  job_left_.wait(lock, [&] { return job.helpers == 0; });
}

void ThreadPool::WorkerLoop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    uint64_t seen = published_.load(std::memory_order_acquire);
    if (stopping_) return;
    Job* job = jobs_;
    while (job && job->next.load(std::memory_order_relaxed) >= job->count) job = job->following;
    if (job) {
      ++job->helpers;
      lock.unlock();
      Work(*job);
      lock.lock();
      if (--job->helpers == 0) job_left_.notify_all();
      continue;
    }
    lock.unlock();
    for (int look = 0; look < kLooks && published_.load(std::memory_order_acquire) == seen; ++look) Pause();
    lock.lock();
    has_job_.wait(lock, [&] { return published_.load(std::memory_order_acquire) != seen; });
  }
}

}  // namespace kiln::runtime
