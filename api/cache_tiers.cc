#include "api/cache_tiers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cache/disk_store.h"
#include "cache/layered_store.h"
#include "cache/memory_store.h"
#include "cache/tiered_store.h"

namespace kiln::api {
namespace {

void Warn(const Options& options, const std::string& what, const absl::Status& status) {
  if (options.log) options.log(LogLevel::kWarning, absl::StrCat("cache: no ", what, ": ", status.message()));
}

cache::DiskStoreOptions DiskOptions(const Options& options, const std::string& path) {
  cache::DiskStoreOptions disk;
  disk.root.path = path;
  disk.root.allow_shared = options.cache_shared;
  disk.limits = LimitsFrom(options);
  return disk;
}

// Null when it is not there or not to be trusted.
std::unique_ptr<cache::Store> OpenLayer(const Options& options, const std::string& path) {
  cache::DiskStoreOptions disk = DiskOptions(options, path);
  disk.read_only = true;
  disk.root.create = false;
  absl::StatusOr<std::unique_ptr<cache::DiskStore>> layer = cache::DiskStore::Open(disk);
  if (layer.ok()) return *std::move(layer);
  Warn(options, absl::StrCat("layer ", path), layer.status());
  return nullptr;
}

}  // namespace

absl::StatusOr<CachePaths> ParseCachePaths(const std::string& paths) {
  CachePaths parsed;
  bool first = true;
  for (const std::string& path : std::vector<std::string>(absl::StrSplit(paths, ':'))) {
    if (!path.empty() && path.front() != '/')
      return absl::InvalidArgumentError(
          absl::StrCat("cache: path: expected an absolute one, or several with colons between, got \"", path, "\""));
    if (first) {
      parsed.upper = path;
    } else if (!path.empty()) {
      parsed.layers.push_back(path);
    }
    first = false;
  }
  return parsed;
}

cache::SizeLimits LimitsFrom(const Options& options) {
  const auto limit = [](uint64_t value) { return value == 0 ? cache::SizeLimits::kNone : value; };
  return {.max_bytes = limit(options.cache_max_bytes), .max_entries = limit(options.cache_max_entries)};
}

CacheTiers OpenCacheTiers(const Options& options) {
  CacheTiers tiers;
  std::vector<std::unique_ptr<cache::Store>> all;
  all.push_back(std::make_unique<cache::MemoryStore>(options.memory_cache_bytes));
  const absl::StatusOr<CachePaths> paths = ParseCachePaths(options.cache_dir);
  if (!paths.ok()) Warn(options, "disk tier", paths.status());
  std::unique_ptr<cache::DiskStore> upper;
  std::vector<std::unique_ptr<cache::Store>> layers;
  if (paths.ok() && !paths->upper.empty()) {
    absl::StatusOr<std::unique_ptr<cache::DiskStore>> disk = cache::DiskStore::Open(DiskOptions(options, paths->upper));
    if (disk.ok()) {
      upper = *std::move(disk);
      tiers.lock_root = upper->root();
    } else {
      Warn(options, "disk tier", disk.status());
    }
  }
  for (const std::string& path : paths.ok() ? paths->layers : std::vector<std::string>())
    if (auto layer = OpenLayer(options, path)) layers.push_back(std::move(layer));
  if (upper != nullptr || !layers.empty())
    all.push_back(std::make_unique<cache::LayeredStore>(std::move(upper), std::move(layers)));
  tiers.store = std::make_unique<cache::TieredStore>(std::move(all));
  return tiers;
}

}  // namespace kiln::api
