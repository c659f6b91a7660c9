#include "api/cache_tiers.h"

#include <sys/stat.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cache/bundle_store.h"
#include "cache/disk_store.h"
#include "cache/layered_store.h"
#include "cache/memory_store.h"
#include "cache/network_file_system.h"
#include "cache/tiered_store.h"
#include "kiln/internal/status_macros.h"

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

absl::StatusOr<std::unique_ptr<cache::Store>> OpenBundle(const Options& options, const cache::RootOptions& where) {
  KILN_ASSIGN_OR_RETURN(const std::vector<cache::PublicKey> trusted, ParseTrustedKeys(options.cache_trusted_keys));
  KILN_ASSIGN_OR_RETURN(auto bundle, cache::Bundle::Open(where, trusted));
  return std::make_unique<cache::BundleStore>(std::move(bundle));
}

absl::StatusOr<std::unique_ptr<cache::Store>> OpenLayer(const Options& options, const std::string& path) {
  cache::DiskStoreOptions disk = DiskOptions(options, path);
  disk.read_only = true;
  disk.root.create = false;
  struct stat info;
  if (lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) return OpenBundle(options, disk.root);
  KILN_ASSIGN_OR_RETURN(auto layer, cache::DiskStore::Open(disk));
  return std::unique_ptr<cache::Store>(std::move(layer));
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

absl::StatusOr<std::vector<cache::PublicKey>> ParseTrustedKeys(const std::string& keys) {
  std::vector<cache::PublicKey> parsed;
  for (const std::string& hex : std::vector<std::string>(absl::StrSplit(keys, ':', absl::SkipEmpty()))) {
    const std::optional<cache::PublicKey> key = cache::PublicKey::FromHex(hex);
    if (!key.has_value())
      return absl::InvalidArgumentError(
          absl::StrCat("cache: trusted key: expected 64 hexadecimal digits, got \"", hex, "\""));
    parsed.push_back(*key);
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
      if (const std::string type(cache::NetworkFileSystemAt(paths->upper)); !type.empty() && options.log)
        options.log(LogLevel::kInfo, absl::StrCat("cache: ", paths->upper, " is on a network file system (", type,
                                                  "): nodes whose locks do not reach each other build a key each"));
    } else {
      Warn(options, "disk tier", disk.status());
    }
  }
  for (const std::string& path : paths.ok() ? paths->layers : std::vector<std::string>()) {
    if (absl::StatusOr<std::unique_ptr<cache::Store>> layer = OpenLayer(options, path); layer.ok()) {
      layers.push_back(*std::move(layer));
    } else {
      Warn(options, absl::StrCat("layer ", path), layer.status());
    }
  }
  if (upper != nullptr || !layers.empty())
    all.push_back(std::make_unique<cache::LayeredStore>(std::move(upper), std::move(layers)));
  tiers.store = std::make_unique<cache::TieredStore>(std::move(all));
  return tiers;
}

}  // namespace kiln::api
