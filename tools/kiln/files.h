// Files named on a command line; "-" is the standard stream.
#ifndef KILN_TOOLS_KILN_FILES_H_
#define KILN_TOOLS_KILN_FILES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kiln::tool {

// NotFound and the like name the file. Files over 256 MiB are refused.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// To stdout when `path` is empty or "-". A file is written beside its place first, and is whole or absent.
absl::Status WriteFile(const std::string& path, std::string_view bytes);

// "gemm" of "api/kernels/gemm.kiln".
std::string StemOf(const std::string& path);

}  // namespace kiln::tool

#endif  // KILN_TOOLS_KILN_FILES_H_
