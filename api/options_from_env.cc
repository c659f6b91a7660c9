#include "api/options_from_env.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "api/cache_tiers.h"
#include "cache/root_dir.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

bool IsAbsolute(const std::optional<std::string>& path) { return path && !path->empty() && path->front() == '/'; }

absl::StatusOr<std::string> CacheDir(const Environment& environment, const UsablePath& usable) {
  if (const std::optional<std::string> named = environment("KILN_CACHE_DIR")) {
    if (!ParseCachePaths(*named).ok())
      return absl::InvalidArgumentError(
          absl::StrCat("options: KILN_CACHE_DIR: expected an absolute path, got \"", *named, "\""));
    return *named;
  }
  std::vector<std::string> candidates;
  // A relative XDG_CACHE_HOME is to be ignored, its specification says.
  if (const auto xdg = environment("XDG_CACHE_HOME"); IsAbsolute(xdg))
    candidates.push_back(absl::StrCat(*xdg, "/kiln"));
  if (const auto home = environment("HOME"); IsAbsolute(home))
    candidates.push_back(absl::StrCat(*home, "/.cache/kiln"));
  // A container's user may have "/" for a home. The name can be guessed, so it counts only where it is ours.
  const auto temporary = environment("TMPDIR");
  candidates.push_back(absl::StrCat(IsAbsolute(temporary) ? *temporary : "/tmp", "/kiln-", geteuid()));
  for (const std::string& candidate : candidates)
    // Paths with a colon in them are several.
    if (!absl::StrContains(candidate, ':') && usable(candidate)) return candidate;
  // Whoever opens it says why it cannot be used.
  return candidates.front();
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

absl::StatusOr<Options> OptionsFrom(const Environment& environment, const UsablePath& usable) {
  Options options;
  KILN_ASSIGN_OR_RETURN(options.cache_dir, CacheDir(environment, usable));
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  KILN_ASSIGN_OR_RETURN(options.cache_max_bytes, Number(environment, "KILN_CACHE_MAX_BYTES", 0, kMost,
                                                        static_cast<int64_t>(options.cache_max_bytes)));
  KILN_ASSIGN_OR_RETURN(options.cache_max_entries, Number(environment, "KILN_CACHE_MAX_ENTRIES", 0, kMost,
                                                          static_cast<int64_t>(options.cache_max_entries)));
  options.cache_trusted_keys = environment("KILN_CACHE_TRUSTED_KEYS").value_or("");
  if (const auto keys = ParseTrustedKeys(options.cache_trusted_keys); !keys.ok())
    return absl::InvalidArgumentError(absl::StrCat("options: KILN_CACHE_TRUSTED_KEYS: ", keys.status().message()));
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
  const Environment environment = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
  return OptionsFrom(environment, [](const std::string& path) { return cache::CheckRootUsable({.path = path}).ok(); });
}

}  // namespace kiln::api
