#include "cache/memory_store.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kiln::cache {
namespace {

// What an entry takes, the map's node and the entry's own parts included, near enough for a bound.
size_t CostOf(const Entry& entry) {
  size_t bytes = sizeof(Entry) + 128 + entry.request.capacity() + entry.payload.capacity();
  for (const auto& [name, value] : entry.fields) bytes += 96 + name.size() + value.size();
  return bytes;
}

}  // namespace

Lookup MemoryStore::Get(const Key& key) {
  Shard& shard = ShardOf(key);
  absl::ReaderMutexLock lock(&shard.mutex);
  const auto it = shard.slots.find(key);
  if (it == shard.slots.end()) {
    shard.misses.Add();
    return {};
  }
  shard.hits.Add();
  const uint64_t now = tick_.load(std::memory_order_relaxed);
  if (it->second.last_used.load(std::memory_order_relaxed) != now) {
    it->second.last_used.store(now, std::memory_order_relaxed);
  }
  return {it->second.entry, Tier::kMemory};
}

void MemoryStore::Put(const EntryPtr& entry) {
  const size_t cost = CostOf(*entry);
  if (cost > max_bytes_) return;
  const uint64_t now = tick_.fetch_add(1, std::memory_order_relaxed) + 1;
  Shard& shard = ShardOf(entry->key);
  size_t bytes = 0;
  {
    absl::MutexLock lock(&shard.mutex);
    if (!shard.slots.try_emplace(entry->key, entry, now).second) return;
    // Counted before anyone can evict it.
    bytes = bytes_.fetch_add(cost, std::memory_order_relaxed) + cost;
  }
  if (bytes > max_bytes_) Evict();
}

void MemoryStore::AddStats(Stats* stats) const {
  for (const Shard& shard : shards_) {
    stats->memory_hits += shard.hits.Get();
    stats->memory_misses += shard.misses.Get();
    absl::ReaderMutexLock lock(&shard.mutex);
    stats->memory_entries += shard.slots.size();
  }
  stats->memory_evictions += evictions_.Get();
  stats->memory_bytes += bytes_.load(std::memory_order_relaxed);
}

void MemoryStore::Evict() {
  absl::MutexLock eviction(&eviction_mutex_);
  std::vector<std::pair<uint64_t, Key>> oldest_first;
  for (Shard& shard : shards_) {
    absl::ReaderMutexLock lock(&shard.mutex);
    for (const auto& [key, slot] : shard.slots) {
      oldest_first.emplace_back(slot.last_used.load(std::memory_order_relaxed), key);
    }
  }
  std::sort(oldest_first.begin(), oldest_first.end());
  // Down to seven eighths, so that a full store is scanned once for many Puts.
  const size_t target = max_bytes_ - max_bytes_ / 8;
  EntryPtr doomed;  // Freed outside the lock.
  for (const auto& [tick, key] : oldest_first) {
    if (bytes_.load(std::memory_order_relaxed) <= target) return;
    Shard& shard = ShardOf(key);
    absl::MutexLock lock(&shard.mutex);
    const auto it = shard.slots.find(key);
    if (it == shard.slots.end()) continue;
    bytes_.fetch_sub(CostOf(*it->second.entry), std::memory_order_relaxed);
    doomed = std::move(it->second.entry);
    shard.slots.erase(it);
    evictions_.Add();
  }
}

}  // namespace kiln::cache
