// Every file operation of the cache made to fail in turn: the caller gets its result all the same, and what is left on
// disk is whole entries or none.
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "cache/inventory.h"
#include "cache/memory_store.h"
#include "cache/single_flight.h"
#include "cache/tiered_store.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

// The state of the entry on disk before the faults begin.
enum class Before { kNoRoot, kAbsent, kValid, kDamaged };

constexpr int kErrors[] = {ENOSPC, EDQUOT, EROFS, EACCES, EIO, ESTALE, EBUSY, EINTR, ENOENT};
constexpr size_t kPayloadBytes = 2000;
constexpr char kDamage[] = "damaged";

// Thousands of roots are made here, none of which a disk need see.
std::string Base() { return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir(); }

// A session as the library makes it: memory over disk where the disk can be opened, memory alone where not. The key is
// asked for twice, so that a failed heal or promotion shows.
void ExpectResultInSpiteOfFaults(const std::string& path, FaultyFileOps* ops) {
  std::vector<std::unique_ptr<Store>> tiers;
  tiers.push_back(std::make_unique<MemoryStore>(1 << 20));
  std::shared_ptr<RootDir> root;
  absl::StatusOr<std::unique_ptr<DiskStore>> disk = DiskStore::Open({.root = {.path = path, .ops = ops}});
  if (disk.ok()) {
    root = (*disk)->root();
    tiers.push_back(*std::move(disk));
  }
  TieredStore store(std::move(tiers));
  SingleFlight flights(&store, root, {.max_wait = absl::Milliseconds(5)});
  int builds = 0;
  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<Flight> flight = flights.GetOrBuild(SampleKey(1), [&] {
      ++builds;
      return SampleEntry(1, kPayloadBytes);
    });
    ASSERT_TRUE(flight.ok()) << flight.status();
    ASSERT_EQ(*flight->entry, *SampleEntry(1, kPayloadBytes));
  }
  ASSERT_LE(builds, 1);
}

// What any later process finds.
void ExpectWholeEntriesOrNone(const std::string& path) {
  FaultyFileOps ops;
  ops.skip_sync = true;
  absl::StatusOr<std::unique_ptr<DiskStore>> disk = DiskStore::Open({.root = {.path = path, .ops = &ops}});
  ASSERT_TRUE(disk.ok()) << disk.status();
  // Nothing half written: what is damaged was so before. Looked at before a lookup could heal it.
  const absl::StatusOr<VerifyReport> report = VerifyEntries((*disk)->root().get(), false);
  ASSERT_TRUE(report.ok()) << report.status();
  for (const VerifyReport::Problem& problem : report->damaged) {
    ASSERT_EQ(ReadFile(path + "/" + problem.path), kDamage) << problem.reason;
  }
  const Lookup found = (*disk)->Get(SampleKey(1));
  if (found) {
    ASSERT_EQ(*found.entry, *SampleEntry(1, kPayloadBytes));
  }
  SingleFlight flights(disk->get(), (*disk)->root(), {.max_wait = absl::Seconds(5)});
  ASSERT_TRUE(flights.GetOrBuild(SampleKey(1), [] { return SampleEntry(1, kPayloadBytes); }).ok());
  ASSERT_TRUE((*disk)->Get(SampleKey(1)));
  Stats stats;
  flights.AddStats(&stats);
  ASSERT_EQ(stats.private_builds, 0u);
  ASSERT_EQ(VerifyEntries((*disk)->root().get(), false)->damaged.size(), 0u);
}

std::string Prepare(const TempRoot& root, Before before) {
  const std::string path = root / "deep/root";
  if (before == Before::kNoRoot) return path;
  FaultyFileOps ops;
  ops.skip_sync = true;
  absl::StatusOr<std::unique_ptr<DiskStore>> disk = DiskStore::Open({.root = {.path = path, .ops = &ops}});
  EXPECT_TRUE(disk.ok()) << disk.status();
  if (before == Before::kAbsent) return path;
  (*disk)->Put(SampleEntry(1, kPayloadBytes));
  if (before == Before::kDamaged) WriteFile(path + "/" + PathOf(SampleKey(1)).Relative(), kDamage);
  return path;
}

// How many operations the session makes when nothing fails.
int CountCalls(Before before, size_t longest_transfer) {
  TempRoot root(Base());
  const std::string path = Prepare(root, before);
  FaultyFileOps ops;
  ops.skip_sync = true;
  ops.plan.longest_transfer = longest_transfer;
  ExpectResultInSpiteOfFaults(path, &ops);
  return ops.calls();
}

class CacheFaultsTest : public testing::TestWithParam<Before> {};

TEST_P(CacheFaultsTest, TheNthOperationFails) {
  int injected = 0;
  const int calls = CountCalls(GetParam(), 500);
  ASSERT_GE(calls, 10);
  for (const int error : kErrors) {
    // Past the last by a few, since a failure can lead to operations that are not made without it.
    for (int n = 0; n < calls + 4; ++n) {
      SCOPED_TRACE(absl::StrCat("errno ", error, " at operation ", n));
      TempRoot root(Base());
      const std::string path = Prepare(root, GetParam());
      FaultyFileOps ops;
      ops.skip_sync = true;
      ops.plan = {.first = n, .last = n, .error = error, .longest_transfer = 500};
      ExpectResultInSpiteOfFaults(path, &ops);
      ExpectWholeEntriesOrNone(path);
      if (HasFatalFailure()) return;
      injected += ops.failures();
    }
  }
  EXPECT_GE(injected, static_cast<int>(std::size(kErrors)) * calls);
  RecordProperty("injected", injected);
}

TEST_P(CacheFaultsTest, EveryOperationFromTheNthFails) {
  int injected = 0;
  const int calls = CountCalls(GetParam(), 500);
  for (const int error : kErrors) {
    for (int n = 0; n < calls; ++n) {
      for (const bool only_writes : {false, true}) {
        SCOPED_TRACE(absl::StrCat("errno ", error, " from operation ", n, only_writes ? ", writes only" : ""));
        TempRoot root(Base());
        const std::string path = Prepare(root, GetParam());
        FaultyFileOps ops;
        ops.skip_sync = true;
        ops.plan = {.first = n,
                    .last = FaultyFileOps::kNever,
                    .error = error,
                    .only_writes = only_writes,
                    .longest_transfer = 500};
        ExpectResultInSpiteOfFaults(path, &ops);
        ExpectWholeEntriesOrNone(path);
        if (HasFatalFailure()) return;
        injected += ops.failures();
      }
    }
  }
  EXPECT_GE(injected, static_cast<int>(std::size(kErrors)) * calls);
  RecordProperty("injected", injected);
}

std::string NameOf(const testing::TestParamInfo<Before>& info) {
  constexpr const char* kNames[] = {"NoRoot", "Absent", "Valid", "Damaged"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(EveryState, CacheFaultsTest,
                         testing::Values(Before::kNoRoot, Before::kAbsent, Before::kValid, Before::kDamaged), NameOf);

}  // namespace
}  // namespace kiln::cache
