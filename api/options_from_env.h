// The one place that reads the environment.
//
// | variable | is |
// | --- | --- |
// | KILN_CACHE_DIR | absolute path of the disk cache, then of read-only layers below it, directories or bundles, with
//                    colons between; set but
//                    empty = memory alone |
// | XDG_CACHE_HOME, HOME, TMPDIR | without it, the cache is the first that can be written of XDG_CACHE_HOME/kiln,
//                    HOME/.cache/kiln and TMPDIR/kiln-USER (/tmp/kiln-USER), else memory alone |
// | KILN_CACHE_TRUSTED_KEYS | public keys, 64 hexadecimal digits each, with colons between; bundles by others are
// refused | | KILN_CACHE_MAX_BYTES, KILN_CACHE_MAX_ENTRIES | of the disk cache; 0 = no limit | | KILN_NVRTC, KILN_LLVM
// | the libnvrtc and the libkiln-llvm.so to open | | KILN_COMPILE_THREADS, KILN_CPU_THREADS | 0 to 1024 | |
// KILN_COMPILE_DEADLINE_MS | 1 to 86400000 |
#ifndef KILN_API_OPTIONS_FROM_ENV_H_
#define KILN_API_OPTIONS_FROM_ENV_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "api/options.h"

namespace kiln::api {

// A variable's value; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

// Whether a cache can be written at a path that nobody asked for by name.
using UsablePath = std::function<bool(const std::string& path)>;

// InvalidArgument names the variable, what it must be and what it is.
absl::StatusOr<Options> OptionsFrom(const Environment& environment, const UsablePath& usable);

// The same from this process's environment, trying the directories.
absl::StatusOr<Options> OptionsFromEnvironment();

}  // namespace kiln::api

#endif  // KILN_API_OPTIONS_FROM_ENV_H_
