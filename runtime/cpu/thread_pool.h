// The thread pool that launches run on unless an engine lends its own.
//
// Any number of threads may call For at once: each call is a job, workers help whichever job has items left, and the
// caller works on its own job, so a job always advances even where every worker is busy.
#ifndef KILN_RUNTIME_CPU_THREAD_POOL_H_
#define KILN_RUNTIME_CPU_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/cpu/parallel.h"

namespace kiln::runtime {

class ThreadPool : public Parallel {
 public:
  // `threads` counts the caller's: a pool of 1 has no worker. 0 = as many as the hardware runs at once.
  explicit ThreadPool(int threads = 0);
  // REQUIRES: no For is running.
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int width() const override { return static_cast<int>(workers_.size()) + 1; }
  void For(int64_t count, int64_t grain, Body body, void* context) override;

 private:
  // Lives on its caller's stack, linked into `jobs_` until the caller took the last item.
  struct Job {
    Body body;
    void* context;
    int64_t count;
    int64_t grain;
    std::atomic<int64_t> next{0};
    int helpers = 0;  // Workers inside; guarded by mutex_
    Job* following = nullptr;
  };

  static void Work(Job& job);
  void WorkerLoop();
  void Remove(Job* job);  // REQUIRES: mutex_ held

  std::mutex mutex_;
  std::condition_variable has_job_;
  std::condition_variable job_left_;
  Job* jobs_ = nullptr;
  std::atomic<uint64_t> published_{0};  // Counts jobs, for workers that look before they sleep
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_CPU_THREAD_POOL_H_
