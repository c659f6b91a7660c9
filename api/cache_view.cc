#include "api/cache_view.h"

#include "api/options_from_env.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {

absl::StatusOr<std::shared_ptr<cache::RootDir>> OpenCacheOfEnvironment() {
  KILN_ASSIGN_OR_RETURN(const Options options, OptionsFromEnvironment());
  if (options.cache_dir.empty())
    return absl::FailedPreconditionError("cache: no directory: set KILN_CACHE_DIR, XDG_CACHE_HOME or HOME");
  cache::RootOptions root;
  root.path = options.cache_dir;
  root.allow_shared = options.cache_shared;
  return cache::RootDir::Open(root);
}

}  // namespace kiln::api
