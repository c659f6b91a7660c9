// What the C ABI's opaque handles hold, and how its functions turn into and out of ours. For api/c_*.cc alone.
#ifndef KILN_API_C_HANDLES_H_
#define KILN_API_C_HANDLES_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "api/executable.h"
#include "api/future.h"
#include "api/op.h"
#include "api/session.h"
#include "compiler/ir/kernel.h"
#include "kiln/c_api.h"

struct kiln_error {
  kiln_code code = KILN_OK;
  std::string stage;
  std::string message;
};

struct kiln_runtime {
  std::shared_ptr<kiln::api::Session> session;
};

struct kiln_module {
  std::shared_ptr<kiln::api::Session> session;
  std::shared_ptr<const kiln::ir::Module> module;
  std::vector<std::string> names;
};

struct kiln_op {
  std::shared_ptr<const kiln::api::Op> op;
};

struct kiln_future {
  std::shared_ptr<const kiln::api::Future> future;
};

struct kiln_executable {
  std::shared_ptr<const kiln::api::Executable> executable;
};

struct kiln_buffer {
  std::string bytes;
};

namespace kiln::api {

// Fills `error`, which may be null, from a status that is not OK, and gives its code.
[[gnu::cold]] kiln_code Fail(const absl::Status& status, kiln_error* error) noexcept;
// The same from the exception that is being handled: a library below ours may throw, if only for want of memory.
[[gnu::cold]] kiln_code FailFromException(kiln_error* error) noexcept;
[[gnu::cold]] kiln_code FailNull(const char* what, kiln_error* error) noexcept;

// Runs `body`, which gives a status, and keeps every exception inside.
template <typename Body>
kiln_code Guarded(kiln_error* error, Body&& body) noexcept {
  try {
    absl::Status status = body();
    if (__builtin_expect(status.ok(), 1)) return KILN_OK;
    return Fail(status, error);
  } catch (...) {
    return FailFromException(error);
  }
}

// Copies the fields that both sides know into a caller's sized struct; `from.size` is ours.
template <typename T>
absl::Status CopyOut(const T& from, T* to) {
  if (to->size < sizeof(size_t))
    return absl::InvalidArgumentError("arguments: expected `size` to be that of the struct, got less");
  const size_t size = std::min(to->size, sizeof(T));
  std::memcpy(reinterpret_cast<char*>(to) + sizeof(size_t), reinterpret_cast<const char*>(&from) + sizeof(size_t),
              size - sizeof(size_t));
  return absl::OkStatus();
}

// A caller's sized struct, over the defaults in `to`.
template <typename T>
void CopyIn(const T& from, T* to) {
  const size_t size = std::min(from.size, sizeof(T));
  if (size > sizeof(size_t))
    std::memcpy(reinterpret_cast<char*>(to) + sizeof(size_t), reinterpret_cast<const char*>(&from) + sizeof(size_t),
                size - sizeof(size_t));
}

}  // namespace kiln::api

#endif  // KILN_API_C_HANDLES_H_
