// A disk cache seen from outside, by tools: what it holds, whether it is whole, and how to empty it. Safe beside
// running readers and writers.
#ifndef KILN_CACHE_INVENTORY_H_
#define KILN_CACHE_INVENTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/entry.h"
#include "cache/root_dir.h"

namespace kiln::cache {

struct EntryInfo {
  Key key;
  uint32_t version = 0;  // Of the format, by the file's name; above kFormatVersion, a later Kiln's.
  std::string path;      // Below the root.
  uint64_t bytes = 0;
  absl::Time last_used;  // Or published, if never found since; renewed by lookups at most every kTouchAfter.
};

// Calls `visit` for every entry whose digest starts with the hexadecimal `prefix` ("" for all), in ascending order of
// path. Nothing is read but names and sizes. Files that no Kiln makes are passed over. Fails if the root cannot be
// listed; entries that vanish meanwhile are left out.
absl::Status ListEntries(RootDir* root, const std::string& prefix, absl::FunctionRef<void(const EntryInfo&)> visit);

// The entry, read and checked as a lookup would, but counted and healed nowhere. NotFound, DataLoss with what is wrong,
// or the system's refusal.
absl::StatusOr<EntryPtr> InspectEntry(RootDir* root, const Key& key);

struct VerifyReport {
  struct Problem {
    std::string path;
    std::string reason;
  };

  uint64_t valid = 0;
  uint64_t later_version = 0;       // Written by a later Kiln; neither valid nor damaged as far as this one can tell.
  std::vector<Problem> damaged;     // In ascending order of path.
  uint64_t removed = 0;             // Of the damaged.
  std::vector<Problem> unreadable;  // What the system refused.
};

// Reads and checks every entry; `remove_damaged` removes what is found damaged.
absl::StatusOr<VerifyReport> VerifyEntries(RootDir* root, bool remove_damaged);

struct ClearReport {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  std::vector<std::string> kept;  // Paths that could not be removed, with the reason.
};

// Removes every entry of every version, old temporary files, and the lock files nobody holds. Builds in progress go on,
// and publish what they make.
absl::StatusOr<ClearReport> ClearEntries(RootDir* root);

}  // namespace kiln::cache

#endif  // KILN_CACHE_INVENTORY_H_
