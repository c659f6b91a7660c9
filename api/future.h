// The result of a preparation that may still be under way.
#ifndef KILN_API_FUTURE_H_
#define KILN_API_FUTURE_H_

#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/executable.h"

namespace kiln::api {

// Thread-safe. Set once.
class Future {
 public:
  using Result = absl::StatusOr<std::shared_ptr<const Executable>>;

  void Set(Result result) {
    absl::MutexLock lock(&mutex_);
    result_ = std::move(result);
    done_ = true;
  }

  bool Ready() const {
    absl::MutexLock lock(&mutex_);
    return done_;
  }

  // DeadlineExceeded when it is not ready in time.
  Result Wait(absl::Duration at_most) const {
    absl::MutexLock lock(&mutex_);
    if (!mutex_.AwaitWithTimeout(absl::Condition(&done_), at_most))
      return absl::DeadlineExceededError("prepare: not ready within the time given");
    return result_;
  }

 private:
  mutable absl::Mutex mutex_;
  bool done_ ABSL_GUARDED_BY(mutex_) = false;
  Result result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::api

#endif  // KILN_API_FUTURE_H_
