#include "api/compile_queue.h"

#include <algorithm>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace kiln::api {
namespace {

int ThreadLimit(int asked) {
  if (asked > 0) return asked;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
}

}  // namespace

struct CompileQueue::State {
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { return ending || !tasks.empty(); }

  absl::Mutex mutex;
  std::deque<std::function<void()>> tasks ABSL_GUARDED_BY(mutex);
  std::vector<std::thread> threads ABSL_GUARDED_BY(mutex);
  int idle ABSL_GUARDED_BY(mutex) = 0;
  bool ending ABSL_GUARDED_BY(mutex) = false;
};

CompileQueue::CompileQueue(int threads) : max_threads_(ThreadLimit(threads)), state_(std::make_shared<State>()) {}

CompileQueue::~CompileQueue() {
  std::deque<std::function<void()>> dropped;
  std::vector<std::thread> threads;
  {
    absl::MutexLock lock(&state_->mutex);
    state_->ending = true;
    dropped.swap(state_->tasks);
    threads.swap(state_->threads);
  }
  dropped.clear();
  for (std::thread& thread : threads) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

void CompileQueue::Add(std::function<void()> task) {
  absl::MutexLock lock(&state_->mutex);
  state_->tasks.push_back(std::move(task));
  if (static_cast<int>(state_->tasks.size()) > state_->idle && static_cast<int>(state_->threads.size()) < max_threads_)
    state_->threads.emplace_back([state = state_] { Work(state); });
}

void CompileQueue::Work(const std::shared_ptr<State>& state) {
  while (true) {
    std::function<void()> task;
    {
      absl::MutexLock lock(&state->mutex);
      ++state->idle;
      state->mutex.Await(absl::Condition(state.get(), &State::HasWork));
      --state->idle;
      if (state->tasks.empty()) return;
      task = std::move(state->tasks.front());
      state->tasks.pop_front();
    }
    task();
  }
}

}  // namespace kiln::api
