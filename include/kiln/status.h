// Status and StatusOr of the C++ face: a code, the stage that failed, and what to tell a person.
//
//   kiln::StatusOr<kiln::Module> module = runtime.Load(bytes);
//   if (!module.ok()) return Report(module.status().message());
//   module->Find("matmul");
//
// Values; thread-compatible. Nothing here throws but value() of a failure, and it only where exceptions are on.
#ifndef KILN_STATUS_H_
#define KILN_STATUS_H_

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "kiln/c_api.h"

#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

namespace kiln {

enum class Code : int32_t {
  kOk = KILN_OK,
  kCancelled = KILN_CANCELLED,
  kUnknown = KILN_UNKNOWN,
  kInvalidArgument = KILN_INVALID_ARGUMENT,
  kDeadlineExceeded = KILN_DEADLINE_EXCEEDED,
  kNotFound = KILN_NOT_FOUND,
  kResourceExhausted = KILN_RESOURCE_EXHAUSTED,
  kFailedPrecondition = KILN_FAILED_PRECONDITION,
  kOutOfRange = KILN_OUT_OF_RANGE,
  kUnimplemented = KILN_UNIMPLEMENTED,
  kInternal = KILN_INTERNAL,
  kUnavailable = KILN_UNAVAILABLE,
  kDataLoss = KILN_DATA_LOSS,
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string stage, std::string message)
      : code_(code), stage_(std::move(stage)), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  // "specialize", "compile", "launch", ...; empty when OK.
  const std::string& stage() const { return stage_; }
  // Stage, subject, what was expected, what was found.
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::kOk;
  std::string stage_;
  std::string message_;
};

// A T, or why there is none.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status status) : status_(std::move(status)) {}
  StatusOr(T value) : value_(std::move(value)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  // REQUIRES: ok(). Without it these throw std::runtime_error with the message, or abort where exceptions are off.
  T& value() & { return Checked(); }
  const T& value() const& { return const_cast<StatusOr*>(this)->Checked(); }
  T&& value() && { return std::move(Checked()); }

  // REQUIRES: ok().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  T& Checked() {
    if (!value_.has_value()) {
#if defined(__cpp_exceptions)
      throw std::runtime_error(status_.message());
#else
      std::abort();
#endif
    }
    return *value_;
  }

  Status status_;
  std::optional<T> value_;
};

namespace detail {

// This thread's error object, which every call below the C++ face fills.
inline kiln_error* ThreadError() {
  struct Owner {
    kiln_error* error = kiln_error_create();
    ~Owner() { kiln_error_destroy(error); }
  };
  thread_local Owner owner;
  return owner.error;
}

inline Status Failure(kiln_code code) {
  const kiln_error* error = ThreadError();
  return Status(static_cast<Code>(code), kiln_error_stage(error), kiln_error_message(error));
}

inline Status ToStatus(kiln_code code) {
  if (code == KILN_OK) return Status();
  return Failure(code);
}

}  // namespace detail
}  // namespace kiln

#endif  // KILN_STATUS_H_
