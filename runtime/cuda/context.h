// A device's primary context, retained; and making it current for a while.
#ifndef KILN_RUNTIME_CUDA_CONTEXT_H_
#define KILN_RUNTIME_CUDA_CONTEXT_H_

#include "runtime/cuda/driver.h"

namespace kiln::runtime::cuda {

// While it lives, `context` is current on this thread; then what was current before is again. A thread on which it was
// current already pays one query. Not for other threads.
class CurrentContext {
 public:
  CurrentContext(const Driver& driver, Context context) : driver_(driver) {
    Context current = nullptr;
    result_ = driver.CtxGetCurrent(&current);
    if (result_ != kSuccess || current == context) return;
    result_ = driver.CtxPushCurrent(context);
    pushed_ = result_ == kSuccess;
  }
  ~CurrentContext() {
    Context ours = nullptr;
    if (pushed_) driver_.CtxPopCurrent(&ours);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

  Result result() const { return result_; }

 private:
  const Driver& driver_;
  Result result_ = kSuccess;
  bool pushed_ = false;
};

}  // namespace kiln::runtime::cuda

#endif  // KILN_RUNTIME_CUDA_CONTEXT_H_
