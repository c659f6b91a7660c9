// The cache that options ask for: memory, a directory that is written, and read-only layers below it.
#ifndef KILN_API_CACHE_TIERS_H_
#define KILN_API_CACHE_TIERS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/log_sink.h"
#include "api/options.h"
#include "cache/root_dir.h"
#include "cache/signature.h"
#include "cache/store.h"
#include "cache/trim.h"

namespace kiln::api {

// "/home/me/.cache/kiln:/opt/kernels": the directory that is written, then those that are only read.
struct CachePaths {
  std::string upper;                // Empty: nothing is written to a disk
  std::vector<std::string> layers;  // Directories, and bundles' files
};

// InvalidArgument names the path that is not absolute.
absl::StatusOr<CachePaths> ParseCachePaths(const std::string& paths);

// "0a...:5f...". InvalidArgument names what is no public key.
absl::StatusOr<std::vector<cache::PublicKey>> ParseTrustedKeys(const std::string& keys);

// The limits with "0 = none" made explicit.
cache::SizeLimits LimitsFrom(const Options& options);

struct CacheTiers {
  std::unique_ptr<cache::Store> store;
  std::shared_ptr<cache::RootDir> lock_root;  // Where processes meet; null where no directory is written
};

// Never fails: what cannot be used is logged and done without.
CacheTiers OpenCacheTiers(const Options& options);

}  // namespace kiln::api

#endif  // KILN_API_CACHE_TIERS_H_
