// Reading one entry's file, with everything that must hold before its bytes are believed.
#ifndef KILN_CACHE_ENTRY_FILE_H_
#define KILN_CACHE_ENTRY_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cache/entry.h"
#include "cache/entry_path.h"
#include "cache/root_dir.h"

namespace kiln::cache {

// How a read ended.
struct EntryRead {
  // OK: `entry` is whole and is the one asked for. NotFound: no such file. DataLoss: damaged, or not ours to trust.
  // Any other code: the system could not read it, which says nothing about the entry.
  absl::Status status;
  EntryPtr entry;
  // Of the file that was read, so that RemoveDamaged takes no other.
  struct stat info = {};
  bool has_info = false;
};

// A whole entry that was used last longer ago than `touch_after` gets the present as its time of use, which TrimEntries
// goes by; failing to is harmless.
EntryRead ReadEntryFile(RootDir* root, const Key& key, absl::Duration touch_after = absl::InfiniteDuration());

// Removes the file that `read` found damaged, unless another has taken its name since. True if it is gone.
bool RemoveDamaged(RootDir* root, const Key& key, const EntryRead& read);

}  // namespace kiln::cache

#endif  // KILN_CACHE_ENTRY_FILE_H_
