#include "cache/size_watch.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

std::unique_ptr<DiskStore> Open(const std::string& path, FaultyFileOps* ops, const SizeLimits& limits) {
  ops->skip_sync = true;
  auto opened = DiskStore::Open({.root = {.path = path, .ops = ops}, .limits = limits});
  EXPECT_TRUE(opened.ok()) << opened.status();
  return *std::move(opened);
}

uint64_t EvictionsOf(const DiskStore& store) {
  Stats stats;
  store.AddStats(&stats);
  return stats.disk_evictions;
}

// Files that are entries by their names and sizes, which is all that a measurement looks at.
void MakeFiles(const std::string& path, int count) {
  for (int i = 0; i < count; ++i) {
    const EntryPath entry = PathOf(SampleKey(i));
    std::filesystem::create_directory(path + "/" + entry.shard);
    WriteFile(path + "/" + entry.Relative(), "0123456789");
  }
}

TEST(SizeWatchTest, OneWriterNeverExceedsTheLimitOnEntries) {
  TempRoot root;
  FaultyFileOps ops;
  const auto store = Open(root.path(), &ops, {.max_entries = 40});
  for (int i = 0; i < 200; ++i) {
    store->Put(SampleEntry(i));
    ASSERT_LE(CountFiles(root.path()), 40u) << i;
    ASSERT_TRUE(store->Get(SampleKey(i)));
  }
  // From 41 down to 35, and again after each six more.
  EXPECT_EQ(CountFiles(root.path()) + EvictionsOf(*store), 200u);
  EXPECT_GE(CountFiles(root.path()), 35u);
}

TEST(SizeWatchTest, OneWriterExceedsTheLimitOnBytesByASixteenthAtMost) {
  TempRoot root;
  FaultyFileOps ops;
  const uint64_t entry_bytes = EncodeEntry(*SampleEntry(0, 2000))->size();
  const auto store = Open(root.path(), &ops, {.max_bytes = 100 * entry_bytes});
  for (int i = 0; i < 300; ++i) {
    store->Put(SampleEntry(i, 2000));
    ASSERT_LE(CountFiles(root.path()), 106u) << i;
  }
  EXPECT_LE(CountFiles(root.path()), 100u);
  EXPECT_GE(EvictionsOf(*store), 200u);
}

TEST(SizeWatchTest, FindsAStoreThatOthersFilled) {
  TempRoot root;
  FaultyFileOps ops;
  MakeFiles(root.path(), 500);
  const auto store = Open(root.path(), &ops, {.max_entries = 100});
  EXPECT_EQ(CountFiles(root.path()), 500u) << "opening removes nothing";
  store->Put(SampleEntry(1000));
  EXPECT_EQ(CountFiles(root.path()), 88u);
  EXPECT_EQ(EvictionsOf(*store), 413u);
  EXPECT_TRUE(store->Get(SampleKey(1000)));
}

TEST(SizeWatchTest, ALargeStoreFarFromItsLimitsIsSampled) {
  TempRoot root(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir());
  FaultyFileOps ops;
  MakeFiles(root.path(), 6000);
  const auto store = Open(root.path(), &ops, {});
  const int before = ops.calls();
  store->Put(SampleEntry(100000));
  // Four shards of some 23 entries each, not 256.
  EXPECT_LT(ops.calls() - before, 300);
  const int sampled = ops.calls();
  store->Put(SampleEntry(100001));
  EXPECT_LT(ops.calls() - sampled, 30) << "measured again at once";
  EXPECT_EQ(EvictionsOf(*store), 0u);
}

TEST(SizeWatchTest, ALargeStoreNearItsLimitsIsCountedAndTrimmed) {
  TempRoot root(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir());
  FaultyFileOps ops;
  MakeFiles(root.path(), 6000);
  const auto store = Open(root.path(), &ops, {.max_entries = 4800});
  store->Put(SampleEntry(100000));
  EXPECT_EQ(CountFiles(root.path()), 4200u);
  EXPECT_EQ(EvictionsOf(*store), 1801u);
}

TEST(SizeWatchTest, AnUnreadableRootIsTriedAgainLater) {
  TempRoot root;
  FaultyFileOps ops;
  const auto store = Open(root.path(), &ops, {.max_entries = 10});
  ops.fail_listing = true;
  for (int i = 0; i < 20; ++i) store->Put(SampleEntry(i));
  EXPECT_EQ(CountFiles(root.path()), 20u);
  ops.fail_listing = false;
  store->Put(SampleEntry(20));
  EXPECT_EQ(CountFiles(root.path()), 9u);
}

}  // namespace
}  // namespace kiln::cache
