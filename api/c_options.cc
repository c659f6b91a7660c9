// The C ABI's options: a struct of the caller's size, and ours.
#include "api/c_options.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "api/c_handles.h"
#include "api/cache_tiers.h"
#include "api/options_from_env.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

absl::Status CopyPath(const char* what, const std::string& path, char (&out)[KILN_PATH_BYTES]) {
  if (path.size() >= sizeof(out))
    return absl::InvalidArgumentError(
        absl::StrCat("options: ", what, ": expected a path shorter than ", sizeof(out), " bytes, got ", path.size()));
  std::memcpy(out, path.c_str(), path.size() + 1);
  return absl::OkStatus();
}

absl::StatusOr<std::string> PathFrom(const char* what, const char (&path)[KILN_PATH_BYTES]) {
  if (std::memchr(path, 0, sizeof(path)) == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("options: ", what, ": expected a string that ends in 0"));
  return std::string(path);
}

absl::Status FromOurs(const Options& options, kiln_options* out) {
  KILN_RETURN_IF_ERROR(CopyPath("cache_dir", options.cache_dir, out->cache_dir));
  out->cache_shared = options.cache_shared;
  out->memory_cache_bytes = options.memory_cache_bytes;
  out->cache_max_bytes = options.cache_max_bytes;
  out->cache_max_entries = options.cache_max_entries;
  KILN_RETURN_IF_ERROR(CopyPath("cache_trusted_keys", options.cache_trusted_keys, out->cache_trusted_keys));
  KILN_RETURN_IF_ERROR(CopyPath("nvrtc_path", options.nvrtc_path, out->nvrtc_path));
  KILN_RETURN_IF_ERROR(CopyPath("llvm_path", options.llvm_path, out->llvm_path));
  out->compile_deadline_ms = static_cast<int32_t>(absl::ToInt64Milliseconds(options.compile_deadline));
  out->compile_threads = options.compile_threads;
  out->cpu_threads = options.cpu_threads;
  out->fake_devices = options.fake_devices;
  return absl::OkStatus();
}

// Owns the context: the last copy releases it.
LogSink SinkFrom(const kiln_options& options) {
  std::shared_ptr<void> context(options.log_context, [release = options.log_release](void* held) {
    if (release != nullptr) release(held);
  });
  if (options.log == nullptr) return nullptr;
  return [log = options.log, context = std::move(context)](LogLevel level, std::string_view text) {
    log(context.get(), static_cast<int32_t>(level), std::string(text).c_str());
  };
}

absl::Status CheckRange(const char* what, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("options: ", what, ": expected a number from ", low, " to ", high, ", got ", value));
}

}  // namespace

absl::StatusOr<Options> FromC(const kiln_options* given) {
  kiln_options all = {};
  KILN_RETURN_IF_ERROR(FromOurs(Options(), &all));
  if (given != nullptr) CopyIn(*given, &all);
  Options options;
  options.log = SinkFrom(all);
  KILN_ASSIGN_OR_RETURN(options.cache_dir, PathFrom("cache_dir", all.cache_dir));
  options.cache_shared = all.cache_shared != 0;
  options.memory_cache_bytes = all.memory_cache_bytes;
  options.cache_max_bytes = all.cache_max_bytes;
  options.cache_max_entries = all.cache_max_entries;
  KILN_ASSIGN_OR_RETURN(options.cache_trusted_keys, PathFrom("cache_trusted_keys", all.cache_trusted_keys));
  KILN_RETURN_IF_ERROR(ParseTrustedKeys(options.cache_trusted_keys).status());
  KILN_ASSIGN_OR_RETURN(options.nvrtc_path, PathFrom("nvrtc_path", all.nvrtc_path));
  KILN_ASSIGN_OR_RETURN(options.llvm_path, PathFrom("llvm_path", all.llvm_path));
  KILN_RETURN_IF_ERROR(CheckRange("compile_deadline_ms", all.compile_deadline_ms, 1, 86400000));
  options.compile_deadline = absl::Milliseconds(all.compile_deadline_ms);
  KILN_RETURN_IF_ERROR(CheckRange("compile_threads", all.compile_threads, 0, 1024));
  options.compile_threads = all.compile_threads;
  KILN_RETURN_IF_ERROR(CheckRange("cpu_threads", all.cpu_threads, 0, 1024));
  options.cpu_threads = all.cpu_threads;
  KILN_RETURN_IF_ERROR(CheckRange("fake_devices", all.fake_devices, 0, 64));
  options.fake_devices = all.fake_devices;
  return options;
}

}  // namespace kiln::api

using kiln::api::Guarded;

void kiln_options_init(kiln_options* options, size_t size) {
  if (options == nullptr || size < sizeof(size_t)) return;
  std::memset(options, 0, size);
  options->size = size;
  // The defaults are short; there is nothing in them that could fail to fit.
  Guarded(nullptr, [&] {
    kiln_options all = {};
    KILN_RETURN_IF_ERROR(kiln::api::FromOurs(kiln::api::Options(), &all));
    return kiln::api::CopyOut(all, options);
  });
}

kiln_code kiln_options_from_environment(kiln_options* options, size_t size, kiln_error* error) {
  if (options == nullptr) return kiln::api::FailNull("options", error);
  return Guarded(error, [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(const kiln::api::Options ours, kiln::api::OptionsFromEnvironment());
    kiln_options all = {};
    KILN_RETURN_IF_ERROR(kiln::api::FromOurs(ours, &all));
    if (size < sizeof(size_t))
      return absl::InvalidArgumentError("arguments: expected `size` to be that of the struct, got less");
    std::memset(options, 0, size);
    options->size = size;
    return kiln::api::CopyOut(all, options);
  });
}
