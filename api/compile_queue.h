// A few threads of our own that prepare kernels while the caller does something else.
//
// Threads start with the first task, never at load time, so that a runtime which prepares nothing has none.
#ifndef KILN_API_COMPILE_QUEUE_H_
#define KILN_API_COMPILE_QUEUE_H_

#include <functional>
#include <memory>

namespace kiln::api {

// Thread-safe.
class CompileQueue {
 public:
  // 0 = as many threads as the host has, at most 4.
  explicit CompileQueue(int threads);
  // Drops what has not begun, and waits for what has. A task may be the one to destroy its queue: it is not waited for.
  ~CompileQueue();
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  // Runs `task` on one of the threads, first come, first served. A task that is dropped is destroyed without having
  // run.
  void Add(std::function<void()> task);

 private:
  struct State;
  static void Work(const std::shared_ptr<State>& state);

  const int max_threads_;
  const std::shared_ptr<State> state_;  // The threads', too: one may outlive the queue by the end of its last task
};

}  // namespace kiln::api

#endif  // KILN_API_COMPILE_QUEUE_H_
