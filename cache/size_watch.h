// Decides when a store that many processes fill has to be measured, and trims it when it has outgrown its limits.
//
// Nobody counts for all processes, so nothing can be left wrong by one that dies. Each measures the root after every so
// many publications of its own: the fewer the closer the limits are, and at most 256. A root with few entries is
// counted; of one with many, four of its 256 shards are, whose digests are as good as random.
#ifndef KILN_CACHE_SIZE_WATCH_H_
#define KILN_CACHE_SIZE_WATCH_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "cache/root_dir.h"
#include "cache/stats.h"
#include "cache/trim.h"

namespace kiln::cache {

// Thread-safe.
class SizeWatch {
 public:
  explicit SizeWatch(const SizeLimits& limits) : limits_(limits) {}

  // To be called after each publication of ours. Measures `root` if it is time to; where the limits are exceeded, trims
  // it to seven eighths of them, so that a full store is not trimmed for each publication.
  void Published(RootDir* root, uint64_t bytes);

  uint64_t evictions() const { return evictions_.Get(); }

 private:
  struct Usage {
    uint64_t bytes = 0;
    uint64_t entries = 0;
  };

  bool IsTime(uint64_t bytes);
  Usage Measure(RootDir* root);
  // From now on until the next measurement.
  void SetAllowance(const Usage& usage);

  const SizeLimits limits_;
  Counter evictions_;
  absl::Mutex mutex_;
  bool measuring_ ABSL_GUARDED_BY(mutex_) = false;
  // What may still be published; the first publication finds none left.
  uint64_t bytes_left_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t entries_left_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t measurements_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_SIZE_WATCH_H_
