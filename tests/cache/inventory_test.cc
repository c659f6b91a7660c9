#include "cache/inventory.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "cache/key_lock.h"
#include "cache/key_map.h"
#include "gtest/gtest.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

class InventoryTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = DiskStore::Open({.root = {.path = root_.path()}});
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
  }

  RootDir* dir() { return store_->root().get(); }
  std::string FileOf(const Key& key) { return root_ / PathOf(key).Relative(); }
  std::vector<EntryInfo> List(const std::string& prefix = "") {
    std::vector<EntryInfo> entries;
    EXPECT_TRUE(ListEntries(dir(), prefix, [&](const EntryInfo& info) { entries.push_back(info); }).ok());
    return entries;
  }

  TempRoot root_;
  std::unique_ptr<DiskStore> store_;
};

TEST_F(InventoryTest, ListsEntriesInOrderAndNothingElse) {
  for (int i = 0; i < 10; ++i) store_->Put(SampleEntry(i));
  store_->Put(MakeKeyMap(DigestOf("request"), DigestOf("source"), "text"));
  WriteFile(root_ / "README", "not an entry");
  WriteFile(root_ / "tmp/half", "not an entry");
  WriteFile(root_ / (PathOf(SampleKey(1)).shard + "/notes"), "not an entry");
  const std::vector<EntryInfo> entries = List();
  ASSERT_EQ(entries.size(), 11u);
  EXPECT_TRUE(std::is_sorted(entries.begin(), entries.end(),
                             [](const EntryInfo& a, const EntryInfo& b) { return a.path < b.path; }));
  size_t requests = 0;
  for (const EntryInfo& entry : entries) {
    requests += entry.key.kind == EntryKind::kRequest;
    EXPECT_EQ(entry.path, PathOf(entry.key).Relative());
    EXPECT_EQ(entry.bytes, std::filesystem::file_size(root_ / entry.path));
    EXPECT_EQ(entry.version, 1u);
    EXPECT_LT(absl::AbsDuration(absl::Now() - entry.last_used), absl::Minutes(5));
  }
  EXPECT_EQ(requests, 1u);
}

TEST_F(InventoryTest, ListsByPrefix) {
  for (int i = 0; i < 300; ++i) store_->Put(SampleEntry(i));
  const std::string hex = SampleKey(7).digest.ToHex();
  for (size_t digits : {1u, 2u, 3u, 64u}) {
    size_t expected = 0;
    for (int i = 0; i < 300; ++i) expected += SampleKey(i).digest.ToHex().substr(0, digits) == hex.substr(0, digits);
    EXPECT_EQ(List(hex.substr(0, digits)).size(), expected) << digits;
  }
  EXPECT_EQ(List(hex + "0").size(), 0u);
  EXPECT_EQ(List("x").size(), 0u);
}

TEST_F(InventoryTest, InspectsWithoutHealing) {
  store_->Put(SampleEntry(1));
  const absl::StatusOr<EntryPtr> entry = InspectEntry(dir(), SampleKey(1));
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ(**entry, *SampleEntry(1));
  EXPECT_TRUE(absl::IsNotFound(InspectEntry(dir(), SampleKey(2)).status()));
  WriteFile(FileOf(SampleKey(1)), "damaged");
  EXPECT_EQ(InspectEntry(dir(), SampleKey(1)).status(),
            absl::DataLossError("cache entry: magic: expected 89 4b 49 4c 4e 0d 0a 1a, found other bytes"));
  EXPECT_EQ(ReadFile(FileOf(SampleKey(1))), "damaged");
}

TEST_F(InventoryTest, VerifiesAndRemovesWhatIsDamaged) {
  for (int i = 0; i < 5; ++i) store_->Put(SampleEntry(i));
  std::string bytes = ReadFile(FileOf(SampleKey(3)));
  bytes.back() ^= 1;
  WriteFile(FileOf(SampleKey(3)), bytes);
  const std::string later = FileOf(SampleKey(4)).substr(0, FileOf(SampleKey(4)).size() - 1) + "2";
  WriteFile(later, "of a format to come");

  absl::StatusOr<VerifyReport> report = VerifyEntries(dir(), /*remove_damaged=*/false);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->valid, 4u);
  EXPECT_EQ(report->later_version, 1u);
  ASSERT_EQ(report->damaged.size(), 1u);
  EXPECT_EQ(report->damaged[0].path, PathOf(SampleKey(3)).Relative());
  EXPECT_EQ(report->damaged[0].reason, "cache entry: checksum: expected that of the bytes before it, found another");
  EXPECT_EQ(report->removed, 0u);

  report = VerifyEntries(dir(), /*remove_damaged=*/true);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->removed, 1u);
  EXPECT_FALSE(std::filesystem::exists(FileOf(SampleKey(3))));
  EXPECT_TRUE(std::filesystem::exists(later));
  EXPECT_TRUE(VerifyEntries(dir(), false)->damaged.empty());
}

TEST_F(InventoryTest, ClearsEverythingButWhatIsInUse) {
  for (int i = 0; i < 5; ++i) store_->Put(SampleEntry(i));
  const size_t bytes = std::filesystem::file_size(FileOf(SampleKey(0)));
  const std::string later = FileOf(SampleKey(4)).substr(0, FileOf(SampleKey(4)).size() - 1) + "2";
  WriteFile(later, "12345");
  const KeyLock held = KeyLock::Acquire(dir(), SampleKey(9), absl::Now());
  WriteFile(root_ / "locks/left.lock", "");

  const absl::StatusOr<ClearReport> report = ClearEntries(dir());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->entries, 6u);
  EXPECT_EQ(report->bytes, 5 * bytes + 5);
  EXPECT_TRUE(report->kept.empty());
  EXPECT_EQ(CountFiles(root_.path()), 1u);
  EXPECT_TRUE(std::filesystem::exists(root_ / "locks/" + LockNameOf(SampleKey(9))));
  EXPECT_FALSE(store_->Get(SampleKey(1)));
  store_->Put(SampleEntry(1));
  EXPECT_TRUE(store_->Get(SampleKey(1)));
}

}  // namespace
}  // namespace kiln::cache
