#include "api/options_from_env.h"

#include <cstdint>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

bool IsAbsolute(const std::optional<std::string>& path) { return path && !path->empty() && path->front() == '/'; }

absl::StatusOr<std::string> CacheDir(const Environment& environment) {
  const std::optional<std::string> named = environment("KILN_CACHE_DIR");
  if (named) {
    if (!named->empty() && !IsAbsolute(named))
      return absl::InvalidArgumentError(
          absl::StrCat("options: KILN_CACHE_DIR: expected an absolute path, got \"", *named, "\""));
    return *named;
  }
  // A relative XDG_CACHE_HOME is to be ignored, its specification says.
  if (const auto xdg = environment("XDG_CACHE_HOME"); IsAbsolute(xdg)) return absl::StrCat(*xdg, "/kiln");
  if (const auto home = environment("HOME"); IsAbsolute(home)) return absl::StrCat(*home, "/.cache/kiln");
  return std::string();
}

absl::StatusOr<int64_t> Number(const Environment& environment, const char* name, int64_t low, int64_t high,
                               int64_t otherwise) {
  const std::optional<std::string> text = environment(name);
  if (!text || text->empty()) return otherwise;
  int64_t value = 0;
  if (!absl::SimpleAtoi(*text, &value) || value < low || value > high)
    return absl::InvalidArgumentError(
        absl::StrCat("options: ", name, ": expected a number from ", low, " to ", high, ", got \"", *text, "\""));
  return value;
}

}  // namespace

absl::StatusOr<Options> OptionsFrom(const Environment& environment) {
  Options options;
  KILN_ASSIGN_OR_RETURN(options.cache_dir, CacheDir(environment));
  options.nvrtc_path = environment("KILN_NVRTC").value_or("");
  options.llvm_path = environment("KILN_LLVM").value_or("");
  KILN_ASSIGN_OR_RETURN(options.compile_threads, Number(environment, "KILN_COMPILE_THREADS", 0, 1024, 0));
  KILN_ASSIGN_OR_RETURN(options.cpu_threads, Number(environment, "KILN_CPU_THREADS", 0, 1024, 0));
  KILN_ASSIGN_OR_RETURN(const int64_t deadline_ms, Number(environment, "KILN_COMPILE_DEADLINE_MS", 1, 86400000,
                                                          absl::ToInt64Milliseconds(options.compile_deadline)));
  options.compile_deadline = absl::Milliseconds(deadline_ms);
  return options;
}

absl::StatusOr<Options> OptionsFromEnvironment() {
  return OptionsFrom([](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  });
}

}  // namespace kiln::api
