// What the cache has done so far: a plain snapshot, and the atomic counter its parts keep.
#ifndef KILN_CACHE_STATS_H_
#define KILN_CACHE_STATS_H_

#include <atomic>
#include <cstdint>
#include <string>

namespace kiln::cache {

// A value: each part adds its own figures into one. Counts start at the part's creation.
struct Stats {
  uint64_t memory_hits = 0;
  uint64_t memory_misses = 0;
  uint64_t memory_evictions = 0;
  uint64_t memory_entries = 0;
  uint64_t memory_bytes = 0;

  uint64_t disk_hits = 0;
  uint64_t disk_misses = 0;          // Lookups the disk had nothing for, the second look of a build's owner included.
  uint64_t disk_corrupt = 0;         // Damaged entries met; each was a miss too.
  uint64_t disk_published = 0;       // Entries made visible by this process.
  uint64_t disk_lost_races = 0;      // Entries another process published first.
  uint64_t disk_read_failures = 0;   // Reads the system refused; each was a miss too.
  uint64_t disk_write_failures = 0;  // Publications that failed; the caller kept its bytes.
  uint64_t disk_writes_skipped = 0;  // Publications not tried, because an earlier one failed a moment ago.
  uint64_t disk_evictions = 0;       // Entries that this process removed because there were too many.

  uint64_t bundle_hits = 0;
  uint64_t bundle_misses = 0;   // Lookups a bundle had nothing for.
  uint64_t bundle_corrupt = 0;  // Damaged entries met; each was a miss too.

  uint64_t builds = 0;           // Builds run by this process, failed ones included.
  uint64_t build_failures = 0;   // Of those, the ones that gave no entry.
  uint64_t private_builds = 0;   // Of those, the ones run without the key's lock.
  uint64_t waits = 0;            // Calls that waited for another thread's or process's build.
  uint64_t shared_failures = 0;  // Calls answered with the failure of another's build.
  double lock_wait_seconds = 0;  // Spent waiting for other processes' locks.

  std::string degraded;  // Empty, or why the disk takes no entries at present.
};

// A relaxed event counter: it orders nothing and is read only for a snapshot.
class Counter {
 public:
  void Add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t Get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_STATS_H_
