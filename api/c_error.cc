// The C ABI's error objects and versions.
#include <new>
#include <string_view>

#include "api/c_handles.h"

namespace kiln::api {
namespace {

// Abseil's codes that the C ABI has no name for.
kiln_code CodeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kPermissionDenied:
      return KILN_FAILED_PRECONDITION;
    case absl::StatusCode::kUnauthenticated:
      return KILN_UNAVAILABLE;
    default:
      return static_cast<kiln_code>(code);
  }
}

// Messages begin with the stage and a colon.
std::string_view StageOf(std::string_view message) {
  const size_t colon = message.find(": ");
  if (colon == std::string_view::npos) return {};
  for (char c : message.substr(0, colon))
    if (c < 'a' || c > 'z') return {};
  return message.substr(0, colon);
}

kiln_code Set(kiln_code code, std::string_view message, kiln_error* error) noexcept {
  if (error == nullptr) return code;
  error->code = code;
  try {
    error->stage = StageOf(message);
    error->message = message;
  } catch (const std::bad_alloc&) {
    error->stage.clear();
    error->message.clear();
  }
  return code;
}

}  // namespace

kiln_code Fail(const absl::Status& status, kiln_error* error) noexcept {
  return Set(CodeOf(status.code()), {status.message().data(), status.message().size()}, error);
}

kiln_code FailFromException(kiln_error* error) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Set(KILN_RESOURCE_EXHAUSTED, "out of memory", error);
  } catch (const std::exception& exception) {
    return Set(KILN_INTERNAL, exception.what(), error);
  } catch (...) {
    return Set(KILN_INTERNAL, "an unknown exception", error);
  }
}

kiln_code FailNull(const char* what, kiln_error* error) noexcept {
  return Guarded(error, [&] {
    return absl::InvalidArgumentError(
        absl::string_view(std::string("arguments: ") + what + ": expected a pointer, got NULL"));
  });
}

}  // namespace kiln::api

uint32_t kiln_abi_version(void) { return KILN_ABI_MAJOR << 16 | KILN_ABI_MINOR; }
const char* kiln_version(void) { return KILN_VERSION; }

kiln_error* kiln_error_create(void) { return new (std::nothrow) kiln_error; }
void kiln_error_destroy(kiln_error* error) { delete error; }
kiln_code kiln_error_code(const kiln_error* error) { return error == nullptr ? KILN_OK : error->code; }
const char* kiln_error_stage(const kiln_error* error) { return error == nullptr ? "" : error->stage.c_str(); }
const char* kiln_error_message(const kiln_error* error) { return error == nullptr ? "" : error->message.c_str(); }
