#include "cache/disk_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "cache/entry_path.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

std::unique_ptr<DiskStore> Open(const std::string& path, FileOps* ops = PosixFileOps()) {
  auto store = DiskStore::Open({.root = {.path = path, .ops = ops}});
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

Stats StatsOf(const Store& store) {
  Stats stats;
  store.AddStats(&stats);
  return stats;
}

std::string FileOf(const TempRoot& root, const Key& key) { return root / PathOf(key).Relative(); }

TEST(DiskStoreTest, KeepsEntriesForTheNextProcess) {
  TempRoot root;
  const EntryPtr small = SampleEntry(1);
  const EntryPtr large = SampleEntry(2, 300000);
  {
    const auto store = Open(root.path());
    EXPECT_FALSE(store->Get(small->key));
    store->Put(small);
    store->Put(large);
    EXPECT_EQ(StatsOf(*store).disk_published, 2u);
  }
  const auto store = Open(root.path());
  const Lookup found = store->Get(small->key);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found.entry, *small);
  EXPECT_EQ(found.tier, Tier::kDisk);
  ASSERT_TRUE(store->Get(large->key));
  EXPECT_EQ(*store->Get(large->key).entry, *large);
  EXPECT_EQ(StatsOf(*store).disk_hits, 3u);
  EXPECT_EQ(StatsOf(*store).degraded, "");
}

TEST(DiskStoreTest, LeavesOneFileAnEntryAndNothingElse) {
  TempRoot root;
  Open(root.path())->Put(SampleEntry(1));
  EXPECT_EQ(CountFiles(root.path()), 1u);
  struct stat info;
  ASSERT_EQ(stat(FileOf(root, SampleKey(1)).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_EQ(info.st_nlink, 1u);
}

TEST(DiskStoreTest, NeverReplacesAValidEntry) {
  TempRoot root;
  const auto store = Open(root.path());
  store->Put(SampleEntry(1));
  struct stat before;
  ASSERT_EQ(stat(FileOf(root, SampleKey(1)).c_str(), &before), 0);
  Entry other = *SampleEntry(1);
  other.payload = "another";
  store->Put(std::make_shared<const Entry>(other));
  struct stat after;
  ASSERT_EQ(stat(FileOf(root, SampleKey(1)).c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(*store->Get(SampleKey(1)).entry, *SampleEntry(1));
  EXPECT_EQ(StatsOf(*store).disk_published, 1u);
  EXPECT_EQ(StatsOf(*store).disk_lost_races, 1u);
  EXPECT_EQ(CountFiles(root.path()), 1u);
}

// Damages the entry on disk in one way and expects a counted miss, then a publication, then a hit.
void ExpectHealed(const TempRoot& root, DiskStore* store, const std::string& damaged, const std::string& what) {
  WriteFile(FileOf(root, SampleKey(1)), damaged);
  const Stats before = StatsOf(*store);
  ASSERT_FALSE(store->Get(SampleKey(1))) << what;
  ASSERT_FALSE(std::filesystem::exists(FileOf(root, SampleKey(1)))) << what;
  store->Put(SampleEntry(1));
  const Lookup found = store->Get(SampleKey(1));
  ASSERT_TRUE(found) << what;
  ASSERT_EQ(*found.entry, *SampleEntry(1)) << what;
  const Stats after = StatsOf(*store);
  ASSERT_EQ(after.disk_corrupt, before.disk_corrupt + 1) << what;
  ASSERT_EQ(after.disk_published, before.disk_published + 1) << what;
}

TEST(DiskStoreTest, HealsEveryFlippedByteAndEveryTruncation) {
  TempRoot root;
  FaultyFileOps ops;
  ops.skip_sync = true;
  const auto store = Open(root.path(), &ops);
  store->Put(SampleEntry(1));
  const std::string whole = ReadFile(FileOf(root, SampleKey(1)));
  ASSERT_EQ(whole.size(), 247u);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(~flipped[i]);
    ExpectHealed(root, store.get(), flipped, absl::StrCat("flipped ", i));
    ExpectHealed(root, store.get(), whole.substr(0, i), absl::StrCat("cut at ", i));
  }
  ExpectHealed(root, store.get(), std::string(whole.size(), '\0'), "zeros");
  ExpectHealed(root, store.get(), whole + "x", "extended");
}

TEST(DiskStoreTest, HealsEntriesThatWereSwapped) {
  TempRoot root;
  const auto store = Open(root.path());
  store->Put(SampleEntry(1));
  store->Put(SampleEntry(2));
  const std::string first = FileOf(root, SampleKey(1));
  const std::string second = FileOf(root, SampleKey(2));
  std::filesystem::rename(first, root / "x");
  std::filesystem::rename(second, first);
  std::filesystem::rename(root / "x", second);
  EXPECT_FALSE(store->Get(SampleKey(1)));
  EXPECT_FALSE(store->Get(SampleKey(2)));
  EXPECT_EQ(StatsOf(*store).disk_corrupt, 2u);
  store->Put(SampleEntry(1));
  const Lookup healed = store->Get(SampleKey(1));
  ASSERT_TRUE(healed);
  EXPECT_EQ(*healed.entry, *SampleEntry(1));
}

TEST(DiskStoreTest, PassesOverEntriesOfLaterVersions) {
  TempRoot root;
  const auto store = Open(root.path());
  const EntryPath path = PathOf(SampleKey(1));
  const std::string later = root / (path.shard + "/" + path.file.substr(0, path.file.size() - 1) + "2");
  std::filesystem::create_directory(root / path.shard);
  WriteFile(later, "of a format to come");
  EXPECT_FALSE(store->Get(SampleKey(1)));
  store->Put(SampleEntry(1));
  EXPECT_TRUE(store->Get(SampleKey(1)));
  EXPECT_EQ(ReadFile(later), "of a format to come");
  EXPECT_EQ(StatsOf(*store).disk_corrupt, 0u);
}

TEST(DiskStoreTest, RefusesAPlantedSymbolicLink) {
  TempRoot root;
  TempRoot elsewhere;
  const auto store = Open(root.path());
  store->Put(SampleEntry(1));
  const std::string target = elsewhere / "target";
  std::filesystem::rename(FileOf(root, SampleKey(1)), target);
  std::filesystem::create_symlink(target, FileOf(root, SampleKey(1)));
  EXPECT_FALSE(store->Get(SampleKey(1)));
  EXPECT_EQ(StatsOf(*store).disk_corrupt, 1u);
  store->Put(SampleEntry(1));
  EXPECT_TRUE(store->Get(SampleKey(1)));
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(FileOf(root, SampleKey(1)))));
  EXPECT_TRUE(std::filesystem::exists(target));
}

TEST(DiskStoreTest, FollowsNoLinkedDirectory) {
  TempRoot root;
  TempRoot elsewhere;
  const auto store = Open(root.path());
  std::filesystem::create_directory_symlink(elsewhere.path(), root / PathOf(SampleKey(1)).shard);
  store->Put(SampleEntry(1));
  EXPECT_FALSE(store->Get(SampleKey(1)));
  EXPECT_EQ(CountFiles(elsewhere.path()), 0u);
  EXPECT_EQ(StatsOf(*store).disk_write_failures, 1u);
  EXPECT_EQ(StatsOf(*store).degraded, "cache publish: make a shard: Not a directory");

  TempRoot other;
  std::filesystem::create_directory_symlink(elsewhere.path(), other / "tmp");
  const auto second = Open(other.path());
  second->Put(SampleEntry(1));
  EXPECT_EQ(StatsOf(*second).disk_write_failures, 1u);
  EXPECT_EQ(CountFiles(elsewhere.path()), 0u);
}

TEST(DiskStoreTest, DoesNotBelieveAFileThatOthersCanWrite) {
  TempRoot root;
  const auto store = Open(root.path());
  store->Put(SampleEntry(1));
  ASSERT_EQ(chmod(FileOf(root, SampleKey(1)).c_str(), 0622), 0);
  EXPECT_FALSE(store->Get(SampleKey(1)));
  EXPECT_EQ(StatsOf(*store).disk_corrupt, 1u);
  store->Put(SampleEntry(1));
  EXPECT_TRUE(store->Get(SampleKey(1)));
}

TEST(DiskStoreTest, DoesNotBelieveAFileOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  TempRoot root;
  const auto store = Open(root.path());
  store->Put(SampleEntry(1));
  ASSERT_EQ(chown(FileOf(root, SampleKey(1)).c_str(), 1234, 1234), 0);
  EXPECT_FALSE(store->Get(SampleKey(1)));
  EXPECT_EQ(StatsOf(*store).disk_corrupt, 1u);
}

TEST(DiskStoreTest, IsNotMisledByASocket) {
  TempRoot root;
  const auto store = Open(root.path());
  std::filesystem::create_directory(root / PathOf(SampleKey(1)).shard);
  ASSERT_EQ(mknod(FileOf(root, SampleKey(1)).c_str(), S_IFSOCK | 0600, 0), 0);
  EXPECT_FALSE(store->Get(SampleKey(1)));
  EXPECT_EQ(StatsOf(*store).disk_corrupt, 1u);
  store->Put(SampleEntry(1));
  EXPECT_TRUE(store->Get(SampleKey(1)));
}

TEST(DiskStoreTest, IsNotHeldUpByAPipe) {
  TempRoot root;
  const auto store = Open(root.path());
  std::filesystem::create_directory(root / PathOf(SampleKey(1)).shard);
  ASSERT_EQ(mkfifo(FileOf(root, SampleKey(1)).c_str(), 0600), 0);
  EXPECT_FALSE(store->Get(SampleKey(1)));
  store->Put(SampleEntry(1));
  EXPECT_TRUE(store->Get(SampleKey(1)));
}

TEST(DiskStoreTest, WorksOnAReadOnlyDisk) {
  TempRoot root;
  Open(root.path())->Put(SampleEntry(1));
  FaultyFileOps ops;
  ops.plan = {.first = 0, .last = FaultyFileOps::kNever, .error = EROFS, .only_writes = true};
  const auto store = Open(root.path(), &ops);
  EXPECT_TRUE(store->Get(SampleKey(1)));
  EXPECT_FALSE(store->Get(SampleKey(2)));
  store->Put(SampleEntry(2));
  EXPECT_EQ(StatsOf(*store).disk_write_failures, 1u);
  EXPECT_EQ(StatsOf(*store).degraded, "cache publish: open a temporary file: Read-only file system");
}

TEST(DiskStoreTest, AFullDiskSeesNoStormAndIsTriedAgain) {
  TempRoot root;
  FaultyFileOps ops;
  const auto store = Open(root.path(), &ops);
  ops.plan = {.first = 0, .last = FaultyFileOps::kNever, .error = ENOSPC, .only_writes = true};
  for (int i = 0; i < 100; ++i) store->Put(SampleEntry(i));
  EXPECT_EQ(StatsOf(*store).disk_write_failures, 1u);
  EXPECT_EQ(StatsOf(*store).disk_writes_skipped, 99u);
  EXPECT_EQ(StatsOf(*store).degraded, "cache publish: make the temporary directory: No space left on device");

  // Full still, a second later; then the pause is two.
  ops.clock_offset = absl::Seconds(1.5);
  for (int i = 0; i < 100; ++i) store->Put(SampleEntry(i));
  EXPECT_EQ(StatsOf(*store).disk_write_failures, 2u);
  ops.plan = {};
  ops.clock_offset = absl::Seconds(3);
  store->Put(SampleEntry(1));
  EXPECT_EQ(StatsOf(*store).disk_published, 0u);
  ops.clock_offset = absl::Seconds(6);
  store->Put(SampleEntry(1));
  EXPECT_EQ(StatsOf(*store).disk_published, 1u);
  EXPECT_EQ(StatsOf(*store).degraded, "");
  EXPECT_TRUE(store->Get(SampleKey(1)));
}

TEST(DiskStoreTest, SurvivesTheDirectorysDeletion) {
  TempRoot root;
  const std::string path = root / "cache";
  const auto store = Open(path);
  store->Put(SampleEntry(1));
  std::filesystem::remove_all(path);
  EXPECT_FALSE(store->Get(SampleKey(1)));
  store->Put(SampleEntry(1));
  EXPECT_EQ(StatsOf(*store).disk_published, 2u);
  EXPECT_TRUE(store->Get(SampleKey(1)));
  EXPECT_TRUE(Open(path)->Get(SampleKey(1)));
}

TEST(DiskStoreTest, PublishesWhereThereAreNoHardLinks) {
  TempRoot root;
  FaultyFileOps ops;
  ops.lacks_links = true;
  const auto store = Open(root.path(), &ops);
  store->Put(SampleEntry(1));
  store->Put(SampleEntry(1));
  EXPECT_EQ(StatsOf(*store).disk_published, 1u);
  EXPECT_EQ(StatsOf(*store).disk_lost_races, 1u);
  EXPECT_EQ(*store->Get(SampleKey(1)).entry, *SampleEntry(1));
  EXPECT_EQ(CountFiles(root.path()), 1u);
}

TEST(DiskStoreTest, WritesAndReadsInShortSteps) {
  TempRoot root;
  FaultyFileOps ops;
  ops.plan.longest_transfer = 7;
  const auto store = Open(root.path(), &ops);
  store->Put(SampleEntry(1, 1000));
  EXPECT_EQ(*store->Get(SampleKey(1)).entry, *SampleEntry(1, 1000));
}

TEST(DiskStoreTest, AReadOnlyLayerIsLeftAsItIs) {
  TempRoot root;
  Open(root.path())->Put(SampleEntry(1));
  WriteFile(FileOf(root, SampleKey(1)), "damaged");
  auto store = DiskStore::Open({.root = {.path = root.path()}, .read_only = true});
  ASSERT_TRUE(store.ok());
  EXPECT_FALSE((*store)->Get(SampleKey(1)));
  (*store)->Put(SampleEntry(2));
  EXPECT_EQ(ReadFile(FileOf(root, SampleKey(1))), "damaged");
  EXPECT_EQ(CountFiles(root.path()), 1u);
  EXPECT_EQ(StatsOf(**store).disk_corrupt, 1u);
  EXPECT_EQ(StatsOf(**store).degraded, "");
}

TEST(DiskStoreTest, AnEntryBeyondTheBoundsDoesNotBlameTheDisk) {
  TempRoot root;
  const auto store = Open(root.path());
  Entry entry = *SampleEntry(1);
  entry.fields["Bad Name"] = "";
  store->Put(std::make_shared<const Entry>(entry));
  EXPECT_EQ(StatsOf(*store).disk_write_failures, 1u);
  EXPECT_EQ(StatsOf(*store).degraded, "");
  store->Put(SampleEntry(1));
  EXPECT_EQ(StatsOf(*store).disk_published, 1u);
}

TEST(DiskStoreTest, RemovesTheLeavingsOfDeadWriters) {
  TempRoot root;
  Open(root.path())->Put(SampleEntry(1));
  WriteFile(root / "tmp/old", "half");
  WriteFile(root / "tmp/young", "half");
  const timespec two_hours_ago = absl::ToTimespec(absl::Now() - absl::Hours(2));
  const timespec times[2] = {two_hours_ago, two_hours_ago};
  ASSERT_EQ(utimensat(AT_FDCWD, (root / "tmp/old").c_str(), times, 0), 0);
  Open(root.path());
  EXPECT_FALSE(std::filesystem::exists(root / "tmp/old"));
  EXPECT_TRUE(std::filesystem::exists(root / "tmp/young"));
}

TEST(DiskStoreTest, ReadsAHitInUnder300Microseconds) {
#ifdef KILN_SANITIZED
  GTEST_SKIP() << "a sanitizer's speed says nothing";
#endif
  TempRoot root;
  const auto store = Open(root.path());
  Entry entry = *SampleEntry(1);
  // Half noise, half text: about what an object file packs to.
  entry.payload = Noise(64 << 10, 1);
  while (entry.payload.size() < 128 << 10) entry.payload += "mov.u32 %r1, %ctaid.x;\n";
  store->Put(std::make_shared<const Entry>(entry));
  absl::Duration best = absl::InfiniteDuration();
  for (int i = 0; i < 50; ++i) {
    const absl::Time start = absl::Now();
    const Lookup found = store->Get(SampleKey(1));
    best = std::min(best, absl::Now() - start);
    ASSERT_TRUE(found);
  }
  EXPECT_LT(best, absl::Microseconds(300));
}

}  // namespace
}  // namespace kiln::cache
