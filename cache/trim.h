// Keeping a disk cache small: the entries that were used longest ago are removed first.
//
// When an entry was used last is its file's modification time, which a hit renews. Entries of every version count,
// later ones too. Safe beside readers, writers and other evictors: all of them agree on the order, so what one removes
// is what another would have, and an entry that is used meanwhile stays.
#ifndef KILN_CACHE_TRIM_H_
#define KILN_CACHE_TRIM_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/root_dir.h"

namespace kiln::cache {

struct SizeLimits {
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

  uint64_t max_bytes = uint64_t{10} << 30;  // Of the entries' files; what the file system adds is not counted.
  uint64_t max_entries = 1'000'000;

  bool Hold(uint64_t bytes, uint64_t entries) const { return bytes <= max_bytes && entries <= max_entries; }
};

struct TrimReport {
  uint64_t entries = 0;  // Before.
  uint64_t bytes = 0;
  uint64_t removed_entries = 0;  // Of them, by this call or by another evictor at the same time.
  uint64_t removed_bytes = 0;
  std::vector<std::string> kept;  // Paths that should have gone and could not, with the reason.
};

// Where the entries exceed `limits`, removes the least recently used ones until they are within `target`, which is no
// larger; entries of the same time go in the order of their digests. Also removes what dead writers left. Fails if the
// root cannot be listed. Takes 24 bytes of memory an entry.
absl::StatusOr<TrimReport> TrimEntries(RootDir* root, const SizeLimits& limits, const SizeLimits& target);

}  // namespace kiln::cache

#endif  // KILN_CACHE_TRIM_H_
