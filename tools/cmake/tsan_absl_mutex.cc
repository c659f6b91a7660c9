// Tells ThreadSanitizer about the order that Abseil's locks make. The distribution's Abseil is not instrumented, so
// without this every datum behind an absl::Mutex is reported as a race. Builds with KILN_SANITIZE=thread link it into
// everything and send the calls below here (`--wrap`).

#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

extern "C" {
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
}

namespace {

// Inside Abseil a waiter's condition may be evaluated by another thread, in whose history that read has no place.
class InsideAbseil {
 public:
  InsideAbseil() { __tsan_ignore_thread_begin(); }
  ~InsideAbseil() { __tsan_ignore_thread_end(); }
};

// How a call orders its thread: after whoever released the lock before, before whoever takes it next, or both.
enum class Order { kAcquire, kRelease, kReleaseThenAcquire };

template <typename Call>
auto Synchronize(Order order, const void* lock, Call call) {
  struct AcquireAtEnd {
    void* lock;
    ~AcquireAtEnd() {
      if (lock != nullptr) __tsan_acquire(lock);
    }
  } acquire{order == Order::kRelease ? nullptr : const_cast<void*>(lock)};
  if (order != Order::kAcquire) __tsan_release(const_cast<void*>(lock));
  InsideAbseil inside;
  return call();
}

}  // namespace

// The names are as the distribution's build mangles them, inline namespace included.
#define KILN_SYNCHRONIZE(result, symbol, order, lock, parameters, arguments)           \
  extern "C" result __real_##symbol parameters;                                        \
  extern "C" result __wrap_##symbol parameters {                                       \
    return Synchronize(Order::order, lock, [&] { return __real_##symbol arguments; }); \
  }

using absl::Condition;
using absl::CondVar;
using absl::Duration;
using absl::Mutex;
using absl::Notification;
using absl::Time;

KILN_SYNCHRONIZE(void, _ZN4absl7debian35Mutex4LockEv, kAcquire, m, (Mutex * m), (m))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian35Mutex7TryLockEv, kAcquire, m, (Mutex * m), (m))
KILN_SYNCHRONIZE(void, _ZN4absl7debian35Mutex10ReaderLockEv, kAcquire, m, (Mutex * m), (m))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian35Mutex13ReaderTryLockEv, kAcquire, m, (Mutex * m), (m))
KILN_SYNCHRONIZE(void, _ZN4absl7debian35Mutex6UnlockEv, kRelease, m, (Mutex * m), (m))
KILN_SYNCHRONIZE(void, _ZN4absl7debian35Mutex12ReaderUnlockEv, kRelease, m, (Mutex * m), (m))
KILN_SYNCHRONIZE(void, _ZN4absl7debian35Mutex8LockWhenERKNS0_9ConditionE, kAcquire, m, (Mutex * m, const Condition& c),
                 (m, c))
KILN_SYNCHRONIZE(void, _ZN4absl7debian35Mutex14ReaderLockWhenERKNS0_9ConditionE, kAcquire, m,
                 (Mutex * m, const Condition& c), (m, c))
KILN_SYNCHRONIZE(void, _ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE, kReleaseThenAcquire, m,
                 (Mutex * m, const Condition& c), (m, c))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian35Mutex19LockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE, kAcquire, m,
                 (Mutex * m, const Condition& c, Duration d), (m, c, d))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian35Mutex25ReaderLockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE, kAcquire, m,
                 (Mutex * m, const Condition& c, Duration d), (m, c, d))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE, kReleaseThenAcquire, m,
                 (Mutex * m, const Condition& c, Duration d), (m, c, d))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian35Mutex20LockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE, kAcquire, m,
                 (Mutex * m, const Condition& c, Time t), (m, c, t))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian35Mutex26ReaderLockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE, kAcquire, m,
                 (Mutex * m, const Condition& c, Time t), (m, c, t))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian35Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE, kReleaseThenAcquire, m,
                 (Mutex * m, const Condition& c, Time t), (m, c, t))
KILN_SYNCHRONIZE(void, _ZN4absl7debian37CondVar4WaitEPNS0_5MutexE, kReleaseThenAcquire, m, (CondVar * v, Mutex* m),
                 (v, m))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE, kReleaseThenAcquire, m,
                 (CondVar * v, Mutex* m, Duration d), (v, m, d))
KILN_SYNCHRONIZE(bool, _ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE, kReleaseThenAcquire, m,
                 (CondVar * v, Mutex* m, Time t), (v, m, t))
KILN_SYNCHRONIZE(void, _ZN4absl7debian312Notification6NotifyEv, kRelease, n, (Notification * n), (n))
KILN_SYNCHRONIZE(void, _ZNK4absl7debian312Notification19WaitForNotificationEv, kAcquire, n, (const Notification* n),
                 (n))
KILN_SYNCHRONIZE(bool, _ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE, kAcquire, n,
                 (const Notification* n, Duration d), (n, d))
KILN_SYNCHRONIZE(bool, _ZNK4absl7debian312Notification31WaitForNotificationWithDeadlineENS0_4TimeE, kAcquire, n,
                 (const Notification* n, Time t), (n, t))
