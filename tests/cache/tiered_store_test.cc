#include "cache/tiered_store.h"

#include <memory>
#include <utility>
#include <vector>

#include "cache/disk_store.h"
#include "cache/memory_store.h"
#include "gtest/gtest.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

std::unique_ptr<Store> MemoryOverDisk(const std::string& path) {
  auto disk = DiskStore::Open({.root = {.path = path}});
  EXPECT_TRUE(disk.ok()) << disk.status();
  std::vector<std::unique_ptr<Store>> tiers;
  tiers.push_back(std::make_unique<MemoryStore>(1 << 20));
  tiers.push_back(*std::move(disk));
  return std::make_unique<TieredStore>(std::move(tiers));
}

TEST(TieredStoreTest, PutsIntoEveryTier) {
  TempRoot root;
  MemoryOverDisk(root.path())->Put(SampleEntry(1));
  const std::unique_ptr<Store> store = MemoryOverDisk(root.path());
  EXPECT_EQ(store->Get(SampleKey(1)).tier, Tier::kDisk);
}

TEST(TieredStoreTest, PromotesAHitAndSaysWhereItWas) {
  TempRoot root;
  MemoryOverDisk(root.path())->Put(SampleEntry(1));
  const std::unique_ptr<Store> store = MemoryOverDisk(root.path());
  const Lookup first = store->Get(SampleKey(1));
  EXPECT_EQ(first.tier, Tier::kDisk);
  EXPECT_EQ(*first.entry, *SampleEntry(1));
  const Lookup second = store->Get(SampleKey(1));
  EXPECT_EQ(second.tier, Tier::kMemory);
  EXPECT_EQ(second.entry.get(), first.entry.get());

  Stats stats;
  store->AddStats(&stats);
  EXPECT_EQ(stats.memory_hits, 1u);
  EXPECT_EQ(stats.memory_misses, 1u);
  EXPECT_EQ(stats.disk_hits, 1u);
}

TEST(TieredStoreTest, MissesWhereNoTierHasIt) {
  TempRoot root;
  const Lookup found = MemoryOverDisk(root.path())->Get(SampleKey(1));
  EXPECT_FALSE(found);
  EXPECT_EQ(found.tier, Tier::kNone);
  EXPECT_FALSE(TieredStore({}).Get(SampleKey(1)));
}

TEST(TierTest, HasTheWordThatToolsPrint) {
  EXPECT_EQ(Name(Tier::kNone), "miss");
  EXPECT_EQ(Name(Tier::kMemory), "memory");
  EXPECT_EQ(Name(Tier::kDisk), "disk");
}

}  // namespace
}  // namespace kiln::cache
