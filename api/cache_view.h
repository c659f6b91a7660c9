// The disk cache seen from outside, for tools: the one that the environment names.
#ifndef KILN_API_CACHE_VIEW_H_
#define KILN_API_CACHE_VIEW_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cache/bundle_file.h"          // IWYU pragma: export
#include "cache/explain_miss.h"         // IWYU pragma: export
#include "cache/inventory.h"            // IWYU pragma: export
#include "cache/network_file_system.h"  // IWYU pragma: export
#include "cache/root_dir.h"
#include "cache/trim.h"  // IWYU pragma: export

namespace kiln::api {

struct CacheView {
  std::shared_ptr<cache::RootDir> root;
  cache::SizeLimits limits;
};

// The directory that is written, or, where `path` is not empty, that one; with the limits of the environment.
// FailedPrecondition: the environment names no directory. Else as RootDir::Open fails.
absl::StatusOr<CacheView> OpenCacheView(const std::string& path);

}  // namespace kiln::api

#endif  // KILN_API_CACHE_VIEW_H_
