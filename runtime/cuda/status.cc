#include "runtime/cuda/status.h"

#include "absl/strings/str_cat.h"

namespace kiln::runtime::cuda {
namespace {

absl::StatusCode CodeOf(Result result) {
  switch (result) {
    case kInvalidValue:
      return absl::StatusCode::kInvalidArgument;
    case kOutOfMemory:
      return absl::StatusCode::kResourceExhausted;
    case kNoDevice:
      return absl::StatusCode::kNotFound;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status StatusOf(const Driver& driver, Result result, absl::string_view doing) {
  if (result == kSuccess) return absl::OkStatus();
  const char* name = nullptr;
  const char* text = nullptr;
  driver.GetErrorName(result, &name);
  driver.GetErrorString(result, &text);
  std::string number = absl::StrCat("error ", result);
  return absl::Status(CodeOf(result), absl::StrCat("cuda: ", doing, ": ", name ? name : number.c_str(),
                                                   text ? ": " : "", text ? text : ""));
}

}  // namespace kiln::runtime::cuda
