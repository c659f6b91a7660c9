// Many processes on one cache root: one build a key, no stale locks, whole entries or none, whoever is killed when.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
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
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

// One running cache_worker, whose standard output is kept.
class Worker {
 public:
  explicit Worker(std::vector<std::string> arguments) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cache_worker";
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    EXPECT_EQ(posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ), 0) << program;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
  }
  Worker(Worker&& other) noexcept : pid_(std::exchange(other.pid_, -1)), output_(std::exchange(other.output_, -1)) {}
  ~Worker() {
    if (pid_ > 0) {
      Signal(SIGKILL);
      Wait();
    }
    if (output_ >= 0) close(output_);
  }

  void Signal(int number) { kill(pid_, number); }

  std::string ReadLine() {
    std::string line;
    for (char c; read(output_, &c, 1) == 1 && c != '\n';) line.push_back(c);
    return line;
  }

  // The exit code, or minus the signal that ended it.
  int Wait() {
    int status = 0;
    EXPECT_EQ(waitpid(std::exchange(pid_, -1), &status, 0) > 0, true);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

std::map<std::string, int> CountLines(const std::string& path) {
  std::map<std::string, int> counts;
  for (const auto& line : absl::StrSplit(ReadFile(path), '\n', absl::SkipEmpty())) ++counts[std::string(line)];
  return counts;
}

std::unique_ptr<DiskStore> Open(const std::string& path) {
  auto opened = DiskStore::Open({.root = {.path = path}});
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
    workers.emplace_back(std::vector<std::string>{"build", path, "20", absl::StrCat(start), log});
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
  for (int i = 0; i < 4; ++i) waiters.emplace_back(std::vector<std::string>{"build", path, "1", "0", log});
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

TEST(CacheProcessesTest, AStormOfReadersWritersAndRemoversSeesWholeEntriesOrNone) {
  TempRoot root;
  std::vector<Worker> workers;
  for (int i = 0; i < 8; ++i) {
    workers.emplace_back(std::vector<std::string>{"storm", root.path(), "32", "1500", absl::StrCat(i)});
  }
  for (Worker& worker : workers) {
    const std::string report = worker.ReadLine();
    EXPECT_EQ(worker.Wait(), 0) << report;
  }
  const auto report = VerifyEntries(Open(root.path())->root().get(), false);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->damaged.empty());
  EXPECT_GT(report->valid, 0u);
}

}  // namespace
}  // namespace kiln::cache
