#include "compiler/toolchain/llvm.h"

#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

struct Watch {
  absl::Time deadline;
  const std::atomic<bool>* cancel;
};

LlvmResult Interrupted(const void* context) {
  const auto& watch = *static_cast<const Watch*>(context);
  if (watch.cancel && watch.cancel->load(std::memory_order_relaxed)) return LlvmResult::kCancelled;
  return absl::Now() >= watch.deadline ? LlvmResult::kDeadline : LlvmResult::kOk;
}

std::string Take(const LlvmBackendApi& api, LlvmBuffer* buffer) {
  std::string text(buffer->data ? buffer->data : "", buffer->size);
  api.release(buffer);
  return text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LlvmToolchain>> LlvmToolchain::Open(const std::string& path) {
  KILN_ASSIGN_OR_RETURN(const LlvmBackendApi* api, OpenLlvmBackend(path));
  return absl::WrapUnique(new LlvmToolchain(api));
}

std::string LlvmToolchain::Fingerprint() const { return api_->fingerprint(); }

std::string LlvmToolchain::HostArch() const { return api_->host_arch(); }

absl::StatusOr<Compiled> LlvmToolchain::Compile(const Source& source, const CompileOptions& options) const {
  if (source.kind != TargetKind::kCpu)
    return absl::InvalidArgumentError(
        absl::StrCat("llvm: \"", source.entry, "\": expected LLVM IR, found other source"));
  if (!options.flags.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("llvm: \"", source.entry, "\": expected no flags, found \"", options.flags.front(), "\""));
  Watch watch{absl::Now() + options.deadline, options.cancel};
  LlvmCompileInput input{source.text.data(), source.text.size(), options.arch.c_str(), &Interrupted, &watch};
  LlvmBuffer object_buffer, log_buffer;
  LlvmResult result = api_->compile(&input, &object_buffer, &log_buffer);
  Compiled compiled;
  compiled.binary = Take(*api_, &object_buffer);
  compiled.log = Take(*api_, &log_buffer);
  switch (result) {
    case LlvmResult::kOk:
      break;
    case LlvmResult::kDeadline:
      return absl::DeadlineExceededError(absl::StrCat("llvm: \"", source.entry, "\": expected an object within ",
                                                      absl::FormatDuration(options.deadline), ", stopped"));
    case LlvmResult::kCancelled:
      return absl::CancelledError(absl::StrCat("llvm: \"", source.entry, "\": cancelled"));
    case LlvmResult::kRefused:
      return absl::InternalError(
          absl::StrCat("llvm: \"", source.entry, "\": LLVM refused the source:\n", compiled.log));
  }
  if (compiled.binary.empty()) return absl::InternalError(absl::StrCat("llvm: \"", source.entry, "\": empty object"));
  return compiled;
}

}  // namespace kiln
