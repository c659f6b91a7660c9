// Entries in this process's memory, bounded by bytes, least recently used first out.
//
// A hit takes one of 64 reader locks and makes no system call. Recency is kept in ticks that only Put advances, so a
// hit writes to memory that others read at most once a tick.
#ifndef KILN_CACHE_MEMORY_STORE_H_
#define KILN_CACHE_MEMORY_STORE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/container/node_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "cache/store.h"

namespace kiln::cache {

class MemoryStore : public Store {
 public:
  // An entry above `max_bytes` by itself is not kept.
  explicit MemoryStore(size_t max_bytes) : max_bytes_(max_bytes) {}

  Lookup Get(const Key& key) override;
  void Put(const EntryPtr& entry) override;
  void AddStats(Stats* stats) const override;

 private:
  struct Slot {
    explicit Slot(EntryPtr held, uint64_t tick) : entry(std::move(held)), last_used(tick) {}

    EntryPtr entry;
    std::atomic<uint64_t> last_used;
  };

  // A line of its own, so that hits on one shard do not slow another's.
  struct alignas(64) Shard {
    mutable absl::Mutex mutex;
    absl::node_hash_map<Key, Slot> slots ABSL_GUARDED_BY(mutex);
    Counter hits;
    Counter misses;
  };

  Shard& ShardOf(const Key& key) { return shards_[key.digest.bytes.back() % shards_.size()]; }
  void Evict() ABSL_LOCKS_EXCLUDED(eviction_mutex_);

  const size_t max_bytes_;
  std::array<Shard, 64> shards_;
  std::atomic<uint64_t> tick_{1};
  std::atomic<size_t> bytes_{0};
  Counter evictions_;
  absl::Mutex eviction_mutex_;  // One thread evicts at a time; taken before any shard's.
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_MEMORY_STORE_H_
