// Entries on disk: one file an entry, shared by any number of processes and threads, on local and network file systems.
//
//   auto store = DiskStore::Open({.root = {.path = "/home/me/.cache/kiln"}});
//
// Readers see whole entries or none. A damaged entry is a counted miss and is removed, so that the next Put publishes
// it anew; a valid one is never replaced. Those used longest ago are removed where there are too many. After Open
// nothing fails: a full, read-only or vanished disk costs its speed.
#ifndef KILN_CACHE_DISK_STORE_H_
#define KILN_CACHE_DISK_STORE_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cache/entry.h"
#include "cache/root_dir.h"
#include "cache/size_watch.h"
#include "cache/store.h"
#include "cache/trim.h"

namespace kiln::cache {

// A lookup renews an entry's time of use at most this often.
inline constexpr absl::Duration kTouchAfter = absl::Minutes(10);

struct DiskStoreOptions {
  RootOptions root;
  bool read_only = false;  // Never writes, heals, trims or locks; for a layer baked into an image.
  SizeLimits limits;       // Exceeded for moments, by what was published since a process last looked.
  absl::Duration touch_after = kTouchAfter;
};

class DiskStore : public Store {
 public:
  // Fails as RootDir::Open does. A root that can be read but not written is fine.
  static absl::StatusOr<std::unique_ptr<DiskStore>> Open(const DiskStoreOptions& options);

  Lookup Get(const Key& key) override;
  void Put(const EntryPtr& entry) override;
  void AddStats(Stats* stats) const override;

  // The root, for those who lock or list in it.
  const std::shared_ptr<RootDir>& root() const { return root_; }

 private:
  DiskStore(const DiskStoreOptions& options, std::shared_ptr<RootDir> root)
      : read_only_(options.read_only),
        touch_after_(options.read_only ? absl::InfiniteDuration() : options.touch_after),
        root_(std::move(root)),
        size_watch_(options.limits) {}

  bool MayWrite();
  void NoteWrite(const absl::Status& status);

  const bool read_only_;
  const absl::Duration touch_after_;
  const std::shared_ptr<RootDir> root_;
  SizeWatch size_watch_;

  Counter hits_, misses_, corrupt_, published_, lost_races_, read_failures_, write_failures_, writes_skipped_;
  mutable absl::Mutex mutex_;
  // After a failed write the next is tried only later, ever later while they fail: a full disk sees no storm.
  absl::Duration pause_ ABSL_GUARDED_BY(mutex_);
  absl::Time next_write_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::string degraded_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_DISK_STORE_H_
