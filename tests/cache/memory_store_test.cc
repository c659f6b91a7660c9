#include "cache/memory_store.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/cache/sample_entries.h"

namespace kiln::cache {
namespace {

Stats StatsOf(const Store& store) {
  Stats stats;
  store.AddStats(&stats);
  return stats;
}

TEST(MemoryStoreTest, GivesBackTheVeryEntry) {
  MemoryStore store(1 << 20);
  const EntryPtr entry = SampleEntry(1);
  EXPECT_FALSE(store.Get(entry->key));
  store.Put(entry);
  const Lookup found = store.Get(entry->key);
  EXPECT_EQ(found.entry.get(), entry.get());
  EXPECT_EQ(found.tier, Tier::kMemory);
  EXPECT_EQ(StatsOf(store).memory_hits, 1u);
  EXPECT_EQ(StatsOf(store).memory_misses, 1u);
  EXPECT_EQ(StatsOf(store).memory_entries, 1u);
}

TEST(MemoryStoreTest, KeepsTheFirstOfTwo) {
  MemoryStore store(1 << 20);
  const EntryPtr first = SampleEntry(1);
  store.Put(first);
  store.Put(SampleEntry(1));
  EXPECT_EQ(store.Get(first->key).entry.get(), first.get());
  EXPECT_EQ(StatsOf(store).memory_entries, 1u);
}

TEST(MemoryStoreTest, TellsKindsApart) {
  MemoryStore store(1 << 20);
  const EntryPtr entry = SampleEntry(1);
  store.Put(entry);
  EXPECT_FALSE(store.Get({EntryKind::kRequest, entry->key.digest}));
}

TEST(MemoryStoreTest, EvictsTheLeastRecentlyUsed) {
  MemoryStore store(200 << 10);
  for (int i = 0; i < 19; ++i) store.Put(SampleEntry(i, 10 << 10));
  // The oldest becomes the newest.
  EXPECT_TRUE(store.Get(SampleKey(0)));
  EXPECT_EQ(StatsOf(store).memory_evictions, 0u);
  store.Put(SampleEntry(19, 10 << 10));
  const Stats stats = StatsOf(store);
  EXPECT_EQ(stats.memory_evictions, 4u);
  EXPECT_EQ(stats.memory_entries, 16u);
  EXPECT_LE(stats.memory_bytes, size_t{200 << 10});
  EXPECT_TRUE(store.Get(SampleKey(0)));
  for (int i = 1; i <= 4; ++i) EXPECT_FALSE(store.Get(SampleKey(i))) << i;
  for (int i = 5; i <= 19; ++i) EXPECT_TRUE(store.Get(SampleKey(i))) << i;
}

TEST(MemoryStoreTest, DoesNotKeepWhatIsLargerThanItself) {
  MemoryStore store(10 << 10);
  store.Put(SampleEntry(1));
  store.Put(SampleEntry(2, 20 << 10));
  EXPECT_TRUE(store.Get(SampleKey(1)));
  EXPECT_FALSE(store.Get(SampleKey(2)));
}

TEST(MemoryStoreTest, HitsInUnderAMicrosecond) {
#ifdef KILN_SANITIZED
  GTEST_SKIP() << "a sanitizer's speed says nothing";
#endif
  MemoryStore store(1 << 20);
  store.Put(SampleEntry(1));
  const Key key = SampleKey(1);
  absl::Duration best = absl::InfiniteDuration();
  for (int batch = 0; batch < 20; ++batch) {
    const absl::Time start = absl::Now();
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(store.Get(key));
    best = std::min(best, (absl::Now() - start) / 1000);
  }
  EXPECT_LT(best, absl::Microseconds(1));
}

TEST(MemoryStoreTest, StaysWholeUnderThreads) {
  MemoryStore store(64 << 10);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&store, t] {
      for (int i = 0; i < 3000; ++i) {
        const int n = (i * 7 + t * 13) % 100;
        if (const Lookup found = store.Get(SampleKey(n))) {
          ASSERT_EQ(*found.entry, *SampleEntry(n, 1 << 10));
        } else {
          store.Put(SampleEntry(n, 1 << 10));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Stats stats = StatsOf(store);
  EXPECT_EQ(stats.memory_hits + stats.memory_misses, 12000u);
  EXPECT_LE(stats.memory_bytes, size_t{64 << 10});
  size_t present = 0;
  for (int n = 0; n < 100; ++n) present += store.Get(SampleKey(n)) ? 1 : 0;
  EXPECT_EQ(stats.memory_entries, present);
}

}  // namespace
}  // namespace kiln::cache
