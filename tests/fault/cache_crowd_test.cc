// 64 processes that start on one cold root at once and all want the same 200 keys, each of which takes 50 ms to build.
#include <signal.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cache/inventory.h"
#include "cache/root_dir.h"
#include "gtest/gtest.h"
#include "tests/cache/temp_root.h"
#include "tests/fault/worker.h"

namespace kiln::cache {
namespace {

constexpr int kProcesses = 64;
constexpr int kKeys = 200;
constexpr int kBuildMs = 50;

// Each instance is one crowd, with a seed of its own.
class CacheCrowdTest : public testing::TestWithParam<unsigned> {
 protected:
  std::vector<Worker> Start(int wait_ms) {
    std::vector<Worker> workers;
    for (int i = 0; i < kProcesses; ++i) {
      // Half of them meet at every key, half come from all sides.
      const int start = i % 2 == 0 ? 0 : i * kKeys / kProcesses;
      workers.emplace_back(std::vector<std::string>{"build", path_, absl::StrCat(kKeys), absl::StrCat(start), log_,
                                                    absl::StrCat(kBuildMs), absl::StrCat(wait_ms)});
    }
    return workers;
  }

  int Builds() const {
    int builds = 0;
    for (const auto& [key, count] : CountLines(log_)) builds += count;
    return builds;
  }

  void ExpectAllThereAndNothingElse() {
    EXPECT_EQ(CountLines(log_).size(), static_cast<size_t>(kKeys));
    const auto root = RootDir::Open({.path = path_});
    ASSERT_TRUE(root.ok()) << root.status();
    const auto report = VerifyEntries(root->get(), false);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->valid, static_cast<uint64_t>(kKeys));
    EXPECT_TRUE(report->damaged.empty());
    // The next start finds everything, and is held up by nobody's leavings.
    const int before = Builds();
    Worker next({"build", path_, absl::StrCat(kKeys), "0", log_, "0", "30000"});
    EXPECT_LT(std::stol(next.ReadLine()), 10000);
    EXPECT_EQ(next.Wait(), 0);
    EXPECT_EQ(Builds(), before);
  }

  TempRoot root_;
  const std::string path_ = root_ / "cache";
  const std::string log_ = root_ / "builds";
};

TEST_P(CacheCrowdTest, BuildsEachKeyOnce) {
  std::vector<Worker> workers = Start(120000);
  for (Worker& worker : workers) EXPECT_EQ(worker.Wait(), 0);
  EXPECT_EQ(Builds(), kKeys);
  RecordProperty("builds", Builds());
  ExpectAllThereAndNothingElse();
}

TEST_P(CacheCrowdTest, LosesOneBuildAtMostForEachProcessThatIsKilled) {
  constexpr int kKills = 24;
  std::vector<Worker> workers = Start(120000);
  std::mt19937 random(GetParam());
  std::set<size_t> killed;
  while (killed.size() < kKills && Builds() < kKeys) {
    absl::SleepFor(absl::Milliseconds(2));
    const size_t victim = random() % workers.size();
    if (!killed.insert(victim).second) continue;
    workers[victim].Signal(SIGKILL);
  }
  long slowest = 0;
  for (size_t i = 0; i < workers.size(); ++i) {
    if (killed.contains(i)) {
      // One that was done already has its 0.
      const int code = workers[i].Wait();
      EXPECT_TRUE(code == -SIGKILL || code == 0) << code;
      continue;
    }
    slowest = std::max(slowest, std::stol(workers[i].ReadLine()));
    EXPECT_EQ(workers[i].Wait(), 0);
  }
  EXPECT_GE(Builds(), kKeys);
  EXPECT_LE(Builds(), kKeys + static_cast<int>(killed.size()));
  // Far below the bound on waiting: a dead owner holds nobody up.
  EXPECT_LT(slowest, 60000);
  EXPECT_GE(killed.size(), 4u) << "killed too late to matter";
  RecordProperty("kills", static_cast<int>(killed.size()));
  RecordProperty("builds", Builds());
  ExpectAllThereAndNothingElse();
}

TEST_P(CacheCrowdTest, WaitsNoLongerThanItsBoundForProcessesThatStopped) {
  constexpr int kStops = 8;
  constexpr int kWaitMs = 2000;
  std::vector<Worker> workers = Start(kWaitMs);
  std::mt19937 random(1000 + GetParam());
  std::set<size_t> stopped;
  while (stopped.size() < kStops && Builds() < kKeys) {
    absl::SleepFor(absl::Milliseconds(5));
    const size_t victim = random() % workers.size();
    if (stopped.insert(victim).second) workers[victim].Signal(SIGSTOP);
  }
  long slowest = 0;
  for (size_t i = 0; i < workers.size(); ++i) {
    if (stopped.contains(i)) continue;
    slowest = std::max(slowest, std::stol(workers[i].ReadLine()));
    EXPECT_EQ(workers[i].Wait(), 0);
  }
  // A wait for the one that stopped, one for who took over, and what a crowded machine adds.
  EXPECT_LT(slowest, 2 * kWaitMs + 10000);
  // Each that stopped holds one key at most. Of those who give it up, one or two build.
  EXPECT_LE(Builds(), kKeys + 4 * static_cast<int>(stopped.size()));
  EXPECT_GE(stopped.size(), 2u) << "stopped too late to matter";
  RecordProperty("stops", static_cast<int>(stopped.size()));
  RecordProperty("builds", Builds());
  // They go on where they stood, and find that others did their work.
  for (const size_t i : stopped) workers[i].Signal(SIGCONT);
  for (const size_t i : stopped) EXPECT_EQ(workers[i].Wait(), 0);
  ExpectAllThereAndNothingElse();
}

INSTANTIATE_TEST_SUITE_P(Seeds, CacheCrowdTest, testing::Range(1u, FullSize() ? 11u : 2u));

}  // namespace
}  // namespace kiln::cache
