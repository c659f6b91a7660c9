// Many processes on one cache root: one build a key, no stale locks, whole entries or none, whoever is killed when.
#include <signal.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "cache/inventory.h"
#include "cache/single_flight.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"
#include "tests/fault/worker.h"

namespace kiln::cache {
namespace {

std::unique_ptr<DiskStore> Open(const std::string& path, FileOps* ops = PosixFileOps()) {
  auto opened = DiskStore::Open({.root = {.path = path, .ops = ops}});
  EXPECT_TRUE(opened.ok()) << opened.status();
  return *std::move(opened);
}

TEST(CacheProcessesTest, EightProcessesBuildTwentyKeysTwentyTimes) {
  TempRoot root;
  const std::string path = root / "cache";
  const std::string log = root / "builds";
  std::vector<Worker> workers;
  for (int i = 0; i < 8; ++i) {
    // Half of them meet at every key, half come from all sides.
    const int start = i < 4 ? 0 : 5 * (i - 4);
    workers.emplace_back(std::vector<std::string>{"build", path, "20", absl::StrCat(start), log, "20", "30000"});
  }
  for (Worker& worker : workers) EXPECT_EQ(worker.Wait(), 0);
  const std::map<std::string, int> builds = CountLines(log);
  EXPECT_EQ(builds.size(), 20u);
  for (const auto& [key, count] : builds) EXPECT_EQ(count, 1) << "key " << key;
  // Entries alone: no temporary file, no lock file.
  EXPECT_EQ(CountFiles(path), 20u);
  EXPECT_EQ(VerifyEntries(Open(path)->root().get(), false)->valid, 20u);
}

TEST(CacheProcessesTest, AKilledOwnersKeyIsBuiltByWhoWaited) {
  TempRoot root;
  const std::string path = root / "cache";
  const std::string log = root / "builds";
  Worker owner({"hold", path, "0"});
  ASSERT_EQ(owner.ReadLine(), "building");
  std::vector<Worker> waiters;
  for (int i = 0; i < 4; ++i)
    waiters.emplace_back(std::vector<std::string>{"build", path, "1", "0", log, "20", "30000"});
  absl::SleepFor(absl::Milliseconds(200));
  EXPECT_FALSE(std::filesystem::exists(log)) << "built beside a living owner";
  const absl::Time killed = absl::Now();
  owner.Signal(SIGKILL);
  EXPECT_EQ(owner.Wait(), -SIGKILL);
  for (Worker& waiter : waiters) EXPECT_EQ(waiter.Wait(), 0);
  EXPECT_LT(absl::Now() - killed, absl::Seconds(10));
  EXPECT_EQ(CountLines(log), (std::map<std::string, int>{{"0", 1}}));
  EXPECT_EQ(CountFiles(path), 1u);
}

TEST(CacheProcessesTest, AStoppedOwnerHoldsOthersUpForABoundedTime) {
  TempRoot root;
  Worker owner({"hold", root.path(), "0"});
  ASSERT_EQ(owner.ReadLine(), "building");
  owner.Signal(SIGSTOP);
  const auto store = Open(root.path());
  SingleFlight flights(store.get(), store->root(), {.max_wait = absl::Milliseconds(100)});
  const absl::StatusOr<Flight> flight = flights.GetOrBuild(SampleKey(0), [] { return SampleEntry(0); });
  ASSERT_TRUE(flight.ok()) << flight.status();
  EXPECT_TRUE(flight->built);
  EXPECT_TRUE(store->Get(SampleKey(0)));
}

TEST(CacheProcessesTest, ProcessesThatWaitedGetTheFailureAndItsLog) {
  TempRoot root;
  const std::string path = root / "cache";
  const std::string log = root / "builds";
  std::vector<Worker> workers;
  const std::string go = root / "go";
  for (int i = 0; i < 4; ++i) workers.emplace_back(std::vector<std::string>{"fail", path, "0", log, go});
  for (Worker& worker : workers) EXPECT_EQ(worker.ReadLine(), "asking");
  // Everyone is about to wait, and gets the time to.
  absl::SleepFor(absl::Milliseconds(300));
  WriteFile(go, "");
  for (Worker& worker : workers) {
    EXPECT_EQ(worker.ReadLine(), "compile: 1 error; line 7: error");
    EXPECT_EQ(worker.Wait(), 0);
  }
  EXPECT_EQ(CountLines(log), (std::map<std::string, int>{{"0", 1}}));
  EXPECT_EQ(CountFiles(path), 0u);
}

TEST(CacheProcessesTest, KilledAtAnyFileOperationLosesAtMostTheWorkInHand) {
  int kills = 0;
  for (int n = 0;; ++n) {
    SCOPED_TRACE(absl::StrCat("killed at operation ", n));
    TempRoot root;
    const std::string path = root / "cache";
    const int code = Worker({"die", path, "1", absl::StrCat(n)}).Wait();
    if (code == 0) break;
    ASSERT_EQ(code, -SIGKILL);
    ++kills;

    const auto store = Open(path);
    const Lookup found = store->Get(SampleKey(1));
    if (found) {
      ASSERT_EQ(*found.entry, *SampleEntry(1));
    }
    SingleFlight flights(store.get(), store->root(), {.max_wait = absl::Seconds(5)});
    const absl::Time start = absl::Now();
    ASSERT_TRUE(flights.GetOrBuild(SampleKey(1), [] { return SampleEntry(1); }).ok());
    ASSERT_LT(absl::Now() - start, absl::Seconds(1));
    ASSERT_TRUE(store->Get(SampleKey(1)));
    Stats stats;
    store->AddStats(&stats);
    flights.AddStats(&stats);
    ASSERT_EQ(stats.disk_corrupt, 0u);
    ASSERT_EQ(stats.private_builds, 0u);
  }
  EXPECT_GE(kills, 25);
  RecordProperty("kills", kills);
}

TEST(CacheProcessesTest, KilledAtAnyOperationOfATrimLeavesWholeEntries) {
  int kills = 0;
  for (int n = 0;; ++n) {
    SCOPED_TRACE(absl::StrCat("killed at operation ", n));
    TempRoot root;
    FaultyFileOps ops;
    ops.skip_sync = true;
    const auto store = Open(root.path(), &ops);
    for (int i = 0; i < 6; ++i) store->Put(SampleEntry(i));
    const int code = Worker({"die-trim", root.path(), absl::StrCat(n)}).Wait();
    ASSERT_TRUE(code == 0 || code == -SIGKILL) << code;
    const auto report = VerifyEntries(store->root().get(), false);
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_TRUE(report->damaged.empty());
    ASSERT_GE(report->valid, 3u);
    // The youngest stay, whichever of the others are gone.
    for (int i = 3; i < 6; ++i) ASSERT_TRUE(store->Get(SampleKey(i))) << i;
    if (code == 0) break;
    ++kills;
  }
  EXPECT_GE(kills, 25);
  RecordProperty("kills", kills);
}

TEST(CacheProcessesTest, TwoEvictorsAndFourWritersStayWithinTheLimitAndKeepWhatIsUsed) {
  TempRoot root;
  const std::string path = root / "cache";
  const std::string go = root / "go";
  const uint64_t max_bytes = FullSize() ? 10'000'000 : 2'000'000;
  const int rounds = FullSize() ? 400 : 100;
  std::vector<Worker> evictors;
  std::vector<Worker> writers;
  for (int i = 0; i < 2; ++i) {
    evictors.emplace_back(std::vector<std::string>{"trim", path, absl::StrCat(max_bytes), go});
  }
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back(
        std::vector<std::string>{"fill", path, absl::StrCat(max_bytes), absl::StrCat(rounds), absl::StrCat(i)});
  }
  uint64_t removed = 0;
  for (Worker& writer : writers) {
    const std::vector<std::string> report = absl::StrSplit(writer.ReadLine(), ' ');
    ASSERT_EQ(writer.Wait(), 0);
    ASSERT_EQ(report.size(), 2u);
    // Gone when the first asked; the entries in use are never among the oldest.
    EXPECT_LE(std::stoul(report[0]), 8u);
    removed += std::stoul(report[1]);
  }
  WriteFile(go, "");
  for (Worker& evictor : evictors) {
    const std::vector<std::string> report = absl::StrSplit(evictor.ReadLine(), ' ');
    ASSERT_EQ(evictor.Wait(), 0);
    ASSERT_EQ(report.size(), 2u);
    EXPECT_LE(std::stoul(report[0]), max_bytes + max_bytes / 4);
    removed += std::stoul(report[1]);
  }
  uint64_t bytes = 0;
  const auto store = Open(path);
  ASSERT_TRUE(ListEntries(store->root().get(), "", [&](const EntryInfo& info) { bytes += info.bytes; }).ok());
  EXPECT_LE(bytes, max_bytes + max_bytes / 8);
  // What was published and is not there.
  EXPECT_GE(removed, static_cast<uint64_t>(4 * rounds) - max_bytes / 20000);
  RecordProperty("published", 4 * rounds);
  RecordProperty("removed", static_cast<int>(removed));
  for (int key = 0; key < 8; ++key) EXPECT_TRUE(store->Get(SampleKey(key))) << key;
  EXPECT_TRUE(VerifyEntries(store->root().get(), false)->damaged.empty());
}

TEST(CacheProcessesTest, AStormOfReadersWritersAndRemoversSeesWholeEntriesOrNone) {
  TempRoot root;
  const int processes = FullSize() ? 64 : 8;
  const int rounds = FullSize() ? 1600 : 1500;
  std::vector<Worker> workers;
  for (int i = 0; i < processes; ++i) {
    workers.emplace_back(std::vector<std::string>{"storm", root.path(), "32", absl::StrCat(rounds), absl::StrCat(i)});
  }
  for (Worker& worker : workers) {
    const std::string report = worker.ReadLine();
    EXPECT_EQ(worker.Wait(), 0) << report;
  }
  const auto report = VerifyEntries(Open(root.path())->root().get(), false);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->damaged.empty());
  EXPECT_GT(report->valid, 0u);
  RecordProperty("processes", processes);
  RecordProperty("rounds", processes * rounds);
}

}  // namespace
}  // namespace kiln::cache
