#include "compiler/toolchain/nvrtc.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "compiler/toolchain/ptxas_log.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using nvrtc::Library;

// With -lineinfo the program's name is in the binary, so it is the same for every kernel.
constexpr char kProgramName[] = "kiln.cu";
constexpr size_t kMaxLogBytes = 1 << 20;

// What the flow callback reads; written by no one while a compile runs.
struct Watch {
  absl::Time deadline;
  const std::atomic<bool>* cancel;

  bool Cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
  bool Late() const { return absl::Now() >= deadline; }
};

int StopNow(void* payload, void*) {
  const auto* watch = static_cast<const Watch*>(payload);
  return watch->Cancelled() || watch->Late() ? 1 : 0;
}

absl::Status StatusOf(const Watch& watch, const CompileOptions& options) {
  if (watch.Cancelled()) return absl::CancelledError("nvrtc: the compile was cancelled");
  if (watch.Late())
    return absl::DeadlineExceededError(
        absl::StrCat("nvrtc: the compile took longer than ", absl::FormatDuration(options.deadline)));
  return absl::OkStatus();
}

// sm_ and digits, then at most one letter; so that an arch can never carry another flag.
absl::Status CheckArch(absl::string_view arch) {
  absl::string_view digits = absl::StartsWith(arch, "sm_") ? arch.substr(3) : "";
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) digits.remove_suffix(1);
  bool good = !digits.empty() && digits.size() <= 4;
  for (char c : digits) good = good && absl::ascii_isdigit(c);
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("nvrtc: expected an arch such as sm_90a, found \"", arch, "\""));
}

// "Compile time = 20.171 ms" would make every log, and so every cache entry, another one.
std::string WithoutTimes(absl::string_view log) {
  std::vector<absl::string_view> lines;
  for (absl::string_view line : absl::StrSplit(log, '\n'))
    if (!absl::StrContains(line, "Compile time =")) lines.push_back(line);
  return absl::StrJoin(lines, "\n");
}

std::string LogOf(const Library& library, nvrtc::Program program) {
  size_t size = 0;
  if (library.GetProgramLogSize(program, &size) != nvrtc::kSuccess || size <= 1) return "";
  std::string log(size, '\0');
  if (library.GetProgramLog(program, log.data()) != nvrtc::kSuccess) return "";
  log.resize(std::min(log.find('\0'), kMaxLogBytes));
  return WithoutTimes(absl::StripTrailingAsciiWhitespace(log));
}

absl::Status Failed(const Library& library, absl::string_view call, nvrtc::Result result, absl::string_view log) {
  std::string text = absl::StrCat("nvrtc: ", call, ": ", library.GetErrorString(result));
  if (result == nvrtc::kBuiltinOperationFailure && library.builtins_path.empty())
    absl::StrAppend(&text, " (libnvrtc-builtins.so.", library.major, ".", library.minor, " was expected beside ",
                    library.path, ")");
  if (!log.empty()) absl::StrAppend(&text, "\n", log);
  return result == nvrtc::kInvalidOption ? absl::InvalidArgumentError(text) : absl::InternalError(text);
}

struct Output {
  std::string bytes;
  std::string log;
};

// One program from text to the bytes that `size_of` and `bytes_of` give.
absl::StatusOr<Output> Run(const Library& library, const std::string& text, const std::vector<std::string>& flags,
                           const CompileOptions& options, decltype(Library::GetCUBINSize) size_of,
                           decltype(Library::GetCUBIN) bytes_of) {
  Watch watch = {absl::Now() + options.deadline, options.cancel};
  KILN_RETURN_IF_ERROR(StatusOf(watch, options));
  nvrtc::Program program = nullptr;
  nvrtc::Result result = library.CreateProgram(&program, text.c_str(), kProgramName, 0, nullptr, nullptr);
  if (result != nvrtc::kSuccess) return Failed(library, "nvrtcCreateProgram", result, "");
  absl::Cleanup destroy = [&] { library.DestroyProgram(&program); };
  if (library.SetFlowCallback) {
    result = library.SetFlowCallback(program, StopNow, &watch);
    if (result != nvrtc::kSuccess) return Failed(library, "nvrtcSetFlowCallback", result, "");
  }
  std::vector<const char*> pointers;
  for (const std::string& flag : flags) pointers.push_back(flag.c_str());
  result = library.CompileProgram(program, static_cast<int>(pointers.size()), pointers.data());
  if (result == nvrtc::kCancelled) {
    KILN_RETURN_IF_ERROR(StatusOf(watch, options));
    return Failed(library, "nvrtcCompileProgram", result, "");
  }
  Output output;
  output.log = LogOf(library, program);
  if (result != nvrtc::kSuccess) return Failed(library, "nvrtcCompileProgram", result, output.log);
  size_t size = 0;
  result = size_of(program, &size);
  if (result != nvrtc::kSuccess) return Failed(library, "size of the result", result, output.log);
  if (size == 0) return output;
  output.bytes.resize(size);
  result = bytes_of(program, output.bytes.data());
  if (result != nvrtc::kSuccess) return Failed(library, "the result", result, output.log);
  return output;
}

// Kiln's own flags, part of the fingerprint. Contraction is written out where docs/numerics.md allows it, so NVRTC does
// none; `/` is the division within 2 ulp that the same page grants.
constexpr const char* kFlags[] = {"--std=c++17", "-default-device", "--fmad=false", "--prec-div=false",
                                  "--diag-suppress=177"};  // 177: a declared variable that nothing reads

std::vector<std::string> Flags(const std::string& architecture, const CompileOptions& options) {
  std::vector<std::string> flags = {absl::StrCat("--gpu-architecture=", architecture)};
  flags.insert(flags.end(), std::begin(kFlags), std::end(kFlags));
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  return flags;
}

absl::Status CheckLog(const PtxasLog& log, const Source& source, const CompileOptions& options,
                      absl::string_view text) {
  if (!log.fatal.empty())
    return absl::InternalError(absl::StrCat("nvrtc: ", source.entry, ": ptxas ignored or serialized instructions: ",
                                            absl::StrJoin(log.fatal, "; "), "\n", text));
  if (log.resources.spill_bytes > 0 && !options.allow_spills)
    return absl::InternalError(absl::StrCat("nvrtc: ", source.entry, ": expected no register spills, found ",
                                            log.resources.spill_bytes, " bytes with ", log.resources.registers,
                                            " registers; take smaller tiles or more threads\n", text));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<NvrtcToolchain>> NvrtcToolchain::Open(const std::string& path) {
  KILN_ASSIGN_OR_RETURN(Library library, nvrtc::OpenLibrary(path));
  return std::make_unique<NvrtcToolchain>(std::move(library));
}

std::string NvrtcToolchain::Fingerprint() const {
  absl::call_once(fingerprint_once_, [this] {
    fingerprint_ = absl::StrCat(nvrtc::Fingerprint(library_), " ", absl::StrJoin(kFlags, " "));
  });
  return fingerprint_;
}

absl::Status NvrtcToolchain::CheckFirstUse(const std::string& arch) const {
  absl::call_once(first_use_once_, [&] {
    if (!library_.builtins_path.empty()) return;
    CompileOptions options;
    first_use_ = Run(library_, "extern \"C\" __global__ void check() {}\n", Flags(arch, options), options,
                     library_.GetCUBINSize, library_.GetCUBIN)
                     .status();
  });
  return first_use_;
}

absl::StatusOr<Compiled> NvrtcToolchain::Compile(const Source& source, const CompileOptions& options) const {
  KILN_RETURN_IF_ERROR(CheckArch(options.arch));
  KILN_RETURN_IF_ERROR(CheckFirstUse(options.arch));
  std::vector<std::string> flags = Flags(options.arch, options);
  flags.insert(flags.begin() + 1, "--ptxas-options=-v");
  KILN_ASSIGN_OR_RETURN(Output output,
                        Run(library_, source.text, flags, options, library_.GetCUBINSize, library_.GetCUBIN));
  if (output.bytes.empty())
    return absl::InternalError(
        absl::StrCat("nvrtc: ", source.entry, ": success, but the binary is empty\n", output.log));
  PtxasLog log = ParsePtxasLog(output.log, source.entry);
  KILN_RETURN_IF_ERROR(CheckLog(log, source, options, output.log));
  return Compiled{std::move(output.bytes), log.resources, std::move(output.log)};
}

absl::StatusOr<std::string> NvrtcToolchain::CompilePtx(const Source& source, const CompileOptions& options) const {
  KILN_RETURN_IF_ERROR(CheckArch(options.arch));
  std::string virtual_arch = absl::StrCat("compute_", options.arch.substr(3));
  KILN_ASSIGN_OR_RETURN(Output output, Run(library_, source.text, Flags(virtual_arch, options), options,
                                           library_.GetPTXSize, library_.GetPTX));
  output.bytes.resize(std::min(output.bytes.find('\0'), output.bytes.size()));
  if (output.bytes.empty())
    return absl::InternalError(absl::StrCat("nvrtc: ", source.entry, ": success, but the PTX is empty\n", output.log));
  return std::move(output.bytes);
}

}  // namespace kiln
