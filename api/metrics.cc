#include "api/metrics.h"

namespace kiln::api {

size_t ShardedCounter::ShardOfThisThread() {
  static std::atomic<size_t> next{0};
  thread_local const size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kShards;
  return mine;
}

uint64_t ShardedCounter::Get() const {
  uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.value.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace kiln::api
