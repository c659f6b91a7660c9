#include "api/cache_view.h"

#include "api/cache_tiers.h"
#include "api/options_from_env.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {

absl::StatusOr<CacheView> OpenCacheView(const std::string& path) {
  KILN_ASSIGN_OR_RETURN(const Options options, OptionsFromEnvironment());
  KILN_ASSIGN_OR_RETURN(const CachePaths paths, ParseCachePaths(options.cache_dir));
  cache::RootOptions root;
  root.path = path.empty() ? paths.upper : path;
  if (root.path.empty())
    return absl::FailedPreconditionError("cache: no directory: set KILN_CACHE_DIR, XDG_CACHE_HOME or HOME");
  root.create = path.empty();
  root.allow_shared = options.cache_shared;
  CacheView view;
  KILN_ASSIGN_OR_RETURN(view.root, cache::RootDir::Open(root));
  view.limits = LimitsFrom(options);
  return view;
}

}  // namespace kiln::api
