#include "cache/trim.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "cache/inventory.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

constexpr SizeLimits kUnlimited = {SizeLimits::kNone, SizeLimits::kNone};

// A store whose every use counts, over a clock that the test moves.
class TrimTest : public testing::Test {
 protected:
  TrimTest() { ops_.skip_sync = true; }

  void Open(const SizeLimits& limits = kUnlimited, absl::Duration touch_after = absl::ZeroDuration()) {
    auto opened =
        DiskStore::Open({.root = {.path = root_.path(), .ops = &ops_}, .limits = limits, .touch_after = touch_after});
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  // So that no two uses share a time.
  void Tick(absl::Duration step = absl::Milliseconds(1)) { ops_.clock_offset += step; }
  void Put(int n, size_t payload_bytes = 100) {
    Tick();
    store_->Put(SampleEntry(n, payload_bytes));
  }
  bool Get(int n) {
    Tick();
    return static_cast<bool>(store_->Get(SampleKey(n)));
  }
  TrimReport Trim(const SizeLimits& limits, const SizeLimits& target) {
    const absl::StatusOr<TrimReport> report = TrimEntries(store_->root().get(), limits, target);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(TrimReport());
  }
  std::set<Key> Held() {
    std::set<Key> keys;
    EXPECT_TRUE(ListEntries(store_->root().get(), "", [&](const EntryInfo& info) { keys.insert(info.key); }).ok());
    return keys;
  }

  TempRoot root_;
  FaultyFileOps ops_;
  std::unique_ptr<DiskStore> store_;
};

TEST_F(TrimTest, RemovesTheLeastRecentlyUsed) {
  Open();
  for (int i = 0; i < 5; ++i) Put(i);
  EXPECT_TRUE(Get(0));
  const uint64_t bytes = EncodeEntry(*SampleEntry(0))->size();
  const TrimReport report = Trim({.max_entries = 4}, {.max_entries = 2});
  EXPECT_EQ(report.entries, 5u);
  EXPECT_EQ(report.bytes, 5 * bytes);
  EXPECT_EQ(report.removed_entries, 3u);
  EXPECT_EQ(report.removed_bytes, 3 * bytes);
  EXPECT_TRUE(report.kept.empty());
  EXPECT_EQ(Held(), (std::set<Key>{SampleKey(0), SampleKey(4)}));
}

TEST_F(TrimTest, LeavesWhatIsWithinTheLimits) {
  Open();
  for (int i = 0; i < 5; ++i) Put(i);
  const uint64_t bytes = 5 * EncodeEntry(*SampleEntry(0))->size();
  EXPECT_EQ(Trim({.max_bytes = bytes, .max_entries = 5}, {.max_bytes = 0, .max_entries = 0}).removed_entries, 0u);
  EXPECT_EQ(Trim({.max_bytes = bytes - 1}, {.max_bytes = bytes - 1}).removed_entries, 1u);
  EXPECT_EQ(Held().size(), 4u);
  EXPECT_EQ(Trim({.max_bytes = 0}, {.max_bytes = 0}).removed_entries, 4u);
  EXPECT_TRUE(Held().empty());
}

// Every step is done to the store and to a list in the order of use; whenever the store is trimmed, both hold the same.
TEST_F(TrimTest, HoldsWhatAReferenceListHolds) {
  Open();
  std::vector<std::pair<int, uint64_t>> reference;  // Key and bytes; used last at the back.
  const auto find = [&](int n) {
    auto it = reference.begin();
    while (it != reference.end() && it->first != n) ++it;
    return it;
  };
  uint64_t state = 1;
  const auto random = [&](uint64_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
  };
  uint64_t trims = 0, removed = 0, hits = 0;
  for (int step = 0; step < 4000; ++step) {
    const int n = static_cast<int>(random(60));
    const auto it = find(n);
    if (random(40) == 0) {
      const SizeLimits limits = {20000 + random(20000), 20 + random(20)};
      const SizeLimits target = {limits.max_bytes - limits.max_bytes / 8, limits.max_entries - limits.max_entries / 8};
      uint64_t bytes = 0;
      for (const auto& [key, size] : reference) bytes += size;
      const size_t before = reference.size();
      if (!limits.Hold(bytes, before)) {
        while (!target.Hold(bytes, reference.size())) {
          bytes -= reference.front().second;
          reference.erase(reference.begin());
        }
      }
      const TrimReport report = Trim(limits, target);
      ASSERT_EQ(report.removed_entries, before - reference.size()) << "step " << step;
      std::set<Key> expected;
      for (const auto& [key, size] : reference) expected.insert(SampleKey(key));
      ASSERT_EQ(Held(), expected) << "step " << step;
      ++trims;
      removed += report.removed_entries;
    } else if (it != reference.end()) {
      ASSERT_TRUE(Get(n)) << "step " << step;
      std::rotate(it, it + 1, reference.end());
      ++hits;
    } else {
      ASSERT_FALSE(Get(n)) << "step " << step;
      const size_t payload = 100 + random(2000);
      Put(n, payload);
      reference.emplace_back(n, EncodeEntry(*SampleEntry(n, payload))->size());
    }
  }
  EXPECT_GT(trims, 50u);
  EXPECT_GT(removed, 200u);
  EXPECT_GT(hits, 1000u);
}

TEST_F(TrimTest, AnEntryUsedWhileOthersAreRemovedStays) {
  // The second listing finds entry 0 in use, as if another process had asked for it since the first.
  class UsedInBetween : public FaultyFileOps {
   public:
    int List(int dir, std::vector<std::string>* names) override {
      const int result = FaultyFileOps::List(dir, names);
      if (std::find(names->begin(), names->end(), PathOf(SampleKey(0)).shard) != names->end() && ++listings == 2) use();
      return result;
    }
    int listings = 0;
    std::function<void()> use;
  } ops;
  Open();
  for (int i = 0; i < 4; ++i) Put(i);
  auto root = RootDir::Open({.path = root_.path(), .ops = &ops});
  ASSERT_TRUE(root.ok());
  ops.use = [&] { ASSERT_TRUE(Get(0)); };
  const auto report = TrimEntries(root->get(), {.max_entries = 2}, {.max_entries = 2});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->removed_entries, 1u);
  EXPECT_EQ(Held(), (std::set<Key>{SampleKey(0), SampleKey(2), SampleKey(3)}));
}

TEST_F(TrimTest, EntriesOfOtherVersionsExpireToo) {
  Open();
  Put(0);
  const EntryPath path = PathOf(SampleKey(1));
  std::filesystem::create_directory(root_ / path.shard);
  const std::string later = root_ / (path.shard + "/" + path.file.substr(0, path.file.size() - 1) + "2");
  WriteFile(later, "of a format to come");
  std::filesystem::last_write_time(later, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(Trim({.max_entries = 1}, {.max_entries = 1}).removed_entries, 1u);
  EXPECT_FALSE(std::filesystem::exists(later));
  EXPECT_EQ(Held(), std::set<Key>{SampleKey(0)});
}

TEST_F(TrimTest, WhatCannotBeRemovedIsNamed) {
  Open();
  Put(0);
  Put(1);
  ops_.plan = {.first = 0, .last = FaultyFileOps::kNever, .error = EROFS, .only_writes = true};
  const TrimReport report = Trim({.max_entries = 1}, {.max_entries = 1});
  EXPECT_EQ(report.removed_entries, 0u);
  EXPECT_EQ(report.kept, std::vector<std::string>{PathOf(SampleKey(0)).Relative() + ": Read-only file system"});
}

TEST_F(TrimTest, ALookupRenewsTheTimeOfUseOnceInAWhile) {
  Open(kUnlimited, absl::Minutes(10));
  Put(0);
  const std::string file = root_ / PathOf(SampleKey(0)).Relative();
  const auto published = std::filesystem::last_write_time(file);
  Tick(absl::Minutes(9));
  EXPECT_TRUE(Get(0));
  EXPECT_EQ(std::filesystem::last_write_time(file), published);
  Tick(absl::Minutes(2));
  EXPECT_TRUE(Get(0));
  const auto renewed = std::filesystem::last_write_time(file);
  EXPECT_GE(renewed - published, std::chrono::minutes(11));
  Tick(absl::Minutes(9));
  EXPECT_TRUE(Get(0));
  EXPECT_EQ(std::filesystem::last_write_time(file), renewed);
}

TEST_F(TrimTest, AReadOnlyLayerKeepsItsTimes) {
  Open();
  Put(0);
  const std::string file = root_ / PathOf(SampleKey(0)).Relative();
  const auto published = std::filesystem::last_write_time(file);
  auto layer = DiskStore::Open(
      {.root = {.path = root_.path(), .ops = &ops_}, .read_only = true, .touch_after = absl::ZeroDuration()});
  ASSERT_TRUE(layer.ok());
  Tick(absl::Hours(1));
  EXPECT_TRUE((*layer)->Get(SampleKey(0)));
  EXPECT_EQ(std::filesystem::last_write_time(file), published);
}

}  // namespace
}  // namespace kiln::cache
