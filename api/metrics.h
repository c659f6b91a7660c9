// What a runtime has done so far: the counters its parts keep, and the snapshot that users get.
#ifndef KILN_API_METRICS_H_
#define KILN_API_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kiln::api {

// Counts what many threads do at once, without a cache line that all of them write.
class ShardedCounter {
 public:
  void Add() { shards_[ShardOfThisThread()].value.fetch_add(1, std::memory_order_relaxed); }
  uint64_t Get() const;

 private:
  static constexpr size_t kShards = 16;
  struct alignas(64) Shard {
    std::atomic<uint64_t> value{0};
  };

  static size_t ShardOfThisThread();

  std::array<Shard, kShards> shards_;
};

// Relaxed: counters order nothing.
struct Metrics {
  ShardedCounter launches;
  std::atomic<uint64_t> loads{0};
  std::atomic<uint64_t> compiles{0};
  std::atomic<uint64_t> compile_failures{0};
  std::atomic<uint64_t> memory_hits{0};
  std::atomic<uint64_t> disk_hits{0};
  std::atomic<uint64_t> bundle_hits{0};
  std::atomic<uint64_t> misses{0};
  std::atomic<uint64_t> compile_nanos{0};
};

}  // namespace kiln::api

#endif  // KILN_API_METRICS_H_
