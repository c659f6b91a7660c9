// The disk cache seen from outside, for tools: the one that the environment names.
#ifndef KILN_API_CACHE_VIEW_H_
#define KILN_API_CACHE_VIEW_H_

#include <memory>

#include "absl/status/statusor.h"
#include "cache/inventory.h"  // IWYU pragma: export
#include "cache/root_dir.h"

namespace kiln::api {

// FailedPrecondition: the environment names no directory. Else as RootDir::Open fails.
absl::StatusOr<std::shared_ptr<cache::RootDir>> OpenCacheOfEnvironment();

}  // namespace kiln::api

#endif  // KILN_API_CACHE_VIEW_H_
