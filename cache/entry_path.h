// Where an entry's file lies below a cache root: "3f/<62 hex digits>-2.k1" is binary (kind 2) 3f..., format version 1.
//
// The format's version is part of the name, so that Kilns of different ages share a root without meeting each other's
// files: what a version cannot read is not there for it.
#ifndef KILN_CACHE_ENTRY_PATH_H_
#define KILN_CACHE_ENTRY_PATH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cache/entry.h"

namespace kiln::cache {

// The two directories beside the 256 shards.
inline constexpr char kTempDirectory[] = "tmp";
inline constexpr char kLockDirectory[] = "locks";

struct EntryPath {
  std::string shard;  // Two hexadecimal digits.
  std::string file;

  std::string Relative() const { return shard + "/" + file; }
};

EntryPath PathOf(const Key& key);
// The file below kLockDirectory that is locked while `key` is built.
std::string LockNameOf(const Key& key);

bool IsShardName(std::string_view name);

struct NamedEntry {
  Key key;
  uint32_t version = 0;
};
// What a file in a shard claims to be by its name; nothing for a name no version makes.
std::optional<NamedEntry> ParsePath(std::string_view shard, std::string_view file);

}  // namespace kiln::cache

#endif  // KILN_CACHE_ENTRY_PATH_H_
