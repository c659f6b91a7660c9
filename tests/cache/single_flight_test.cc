#include "cache/single_flight.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/time/clock.h"
#include "cache/disk_store.h"
#include "cache/key_lock.h"
#include "cache/memory_store.h"
#include "gtest/gtest.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

// What one process has: its store on a shared root, and its flights.
struct Process {
  explicit Process(const std::string& path, absl::Duration max_wait = absl::Seconds(20)) {
    auto opened = DiskStore::Open({.root = {.path = path}});
    EXPECT_TRUE(opened.ok()) << opened.status();
    store = *std::move(opened);
    flights = std::make_unique<SingleFlight>(store.get(), store->root(), FlightOptions{.max_wait = max_wait});
  }

  Stats GetStats() const {
    Stats stats;
    store->AddStats(&stats);
    flights->AddStats(&stats);
    return stats;
  }

  std::unique_ptr<DiskStore> store;
  std::unique_ptr<SingleFlight> flights;
};

absl::Status FailureWithLog() {
  absl::Status failure = absl::InternalError("compile: 1 error");
  failure.SetPayload("kiln/log", absl::Cord("line 7: error"));
  return failure;
}

TEST(SingleFlightTest, BuildsOnceThenFinds) {
  TempRoot root;
  Process process(root.path());
  int builds = 0;
  const auto build = [&]() -> absl::StatusOr<EntryPtr> {
    ++builds;
    return SampleEntry(1);
  };
  absl::StatusOr<Flight> flight = process.flights->GetOrBuild(SampleKey(1), build);
  ASSERT_TRUE(flight.ok()) << flight.status();
  EXPECT_TRUE(flight->built);
  EXPECT_EQ(flight->tier, Tier::kNone);
  EXPECT_EQ(*flight->entry, *SampleEntry(1));
  flight = process.flights->GetOrBuild(SampleKey(1), build);
  ASSERT_TRUE(flight.ok()) << flight.status();
  EXPECT_FALSE(flight->built);
  EXPECT_EQ(flight->tier, Tier::kDisk);
  EXPECT_EQ(builds, 1);
  EXPECT_EQ(process.GetStats().builds, 1u);
  EXPECT_EQ(CountFiles(root.path()), 1u);
}

// `threads` callers of one key at once, each through the flights that `flights_of` gives it.
template <typename FlightsOf, typename BuildOne>
std::vector<absl::StatusOr<Flight>> CallTogether(int threads, const FlightsOf& flights_of, const BuildOne& build) {
  std::vector<absl::StatusOr<Flight>> results(threads, absl::UnknownError("not run"));
  std::vector<std::thread> callers;
  for (int i = 0; i < threads; ++i) {
    callers.emplace_back([&, i] { results[i] = flights_of(i)->GetOrBuild(SampleKey(1), build); });
  }
  for (std::thread& caller : callers) caller.join();
  return results;
}

TEST(SingleFlightTest, ThreadsWaitForTheFirst) {
  MemoryStore store(1 << 20);
  SingleFlight flights(&store, nullptr);
  std::atomic<int> builds = 0;
  const auto results = CallTogether(
      8, [&](int) { return &flights; },
      [&]() -> absl::StatusOr<EntryPtr> {
        ++builds;
        absl::SleepFor(absl::Milliseconds(50));
        return SampleEntry(1);
      });
  EXPECT_EQ(builds, 1);
  int built = 0;
  for (const absl::StatusOr<Flight>& result : results) {
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result->entry, *SampleEntry(1));
    built += result->built;
  }
  EXPECT_EQ(built, 1);
}

TEST(SingleFlightTest, ProcessesWaitForTheFirst) {
  TempRoot root;
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < 6; ++i) processes.push_back(std::make_unique<Process>(root.path()));
  std::atomic<int> builds = 0;
  const auto results = CallTogether(
      6, [&](int i) { return processes[i]->flights.get(); },
      [&]() -> absl::StatusOr<EntryPtr> {
        ++builds;
        absl::SleepFor(absl::Milliseconds(100));
        return SampleEntry(1);
      });
  EXPECT_EQ(builds, 1);
  for (const absl::StatusOr<Flight>& result : results) {
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result->entry, *SampleEntry(1));
  }
}

TEST(SingleFlightTest, WaitersGetTheFailureWithItsLogOnceAndItIsNotStored) {
  TempRoot root;
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < 4; ++i) processes.push_back(std::make_unique<Process>(root.path()));
  std::atomic<int> builds = 0;
  std::atomic<int> callers = 0;
  // Two threads in each of four processes.
  const auto results = CallTogether(
      8,
      [&](int i) {
        ++callers;
        return processes[i / 2]->flights.get();
      },
      [&]() -> absl::StatusOr<EntryPtr> {
        ++builds;
        // Fails only once everyone is about to wait, and has had time to.
        while (callers < 8) absl::SleepFor(absl::Milliseconds(1));
        absl::SleepFor(absl::Milliseconds(300));
        return FailureWithLog();
      });
  EXPECT_EQ(builds, 1);
  for (const absl::StatusOr<Flight>& result : results) EXPECT_EQ(result.status(), FailureWithLog());
  uint64_t shared = 0;
  for (const auto& process : processes) shared += process->GetStats().shared_failures;
  EXPECT_EQ(shared, 7u);
  EXPECT_EQ(CountFiles(root.path()), 0u);

  // The next caller tries again, and may have more luck.
  const absl::StatusOr<Flight> retried = processes[0]->flights->GetOrBuild(SampleKey(1), [] { return SampleEntry(1); });
  ASSERT_TRUE(retried.ok()) << retried.status();
  EXPECT_TRUE(retried->built);
}

TEST(SingleFlightTest, ACancelledOwnerIsReplacedByWhoWaited) {
  TempRoot root;
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < 2; ++i) processes.push_back(std::make_unique<Process>(root.path()));
  std::atomic<int> builds = 0;
  const auto results = CallTogether(
      4, [&](int i) { return processes[i / 2]->flights.get(); },
      [&]() -> absl::StatusOr<EntryPtr> {
        const bool first = builds++ == 0;
        absl::SleepFor(absl::Milliseconds(100));
        if (first) return absl::CancelledError("compile: cancelled");
        return SampleEntry(1);
      });
  EXPECT_EQ(builds, 2);
  int cancelled = 0;
  for (const absl::StatusOr<Flight>& result : results) {
    if (absl::IsCancelled(result.status())) {
      ++cancelled;
    } else {
      ASSERT_TRUE(result.ok()) << result.status();
    }
  }
  EXPECT_EQ(cancelled, 1);
}

TEST(SingleFlightTest, RefusesWhatIsNoResult) {
  MemoryStore store(1 << 20);
  SingleFlight flights(&store, nullptr);
  Entry empty = *SampleEntry(1);
  empty.payload.clear();
  EXPECT_EQ(flights.GetOrBuild(SampleKey(1), [&] { return std::make_shared<const Entry>(empty); }).status(),
            absl::InternalError("cache build: payload: expected at least 1 byte, found 0"));
  EXPECT_EQ(flights.GetOrBuild(SampleKey(1), [] { return EntryPtr(); }).status(),
            absl::InternalError("cache build: expected an entry, found none"));
  EXPECT_EQ(flights.GetOrBuild(SampleKey(1), [] { return SampleEntry(2); }).status(),
            absl::InternalError(absl::StrCat("cache build: key: expected binary ", SampleKey(1).digest.ToHex(),
                                             ", found binary ", SampleKey(2).digest.ToHex())));
  Stats stats;
  flights.AddStats(&stats);
  EXPECT_EQ(stats.builds, 3u);
  EXPECT_EQ(stats.build_failures, 3u);
  EXPECT_FALSE(store.Get(SampleKey(1)));
}

TEST(SingleFlightTest, AStuckOwnerHoldsOthersUpForABoundedTime) {
  TempRoot root;
  Process stuck(root.path());
  KeyLock held = KeyLock::Acquire(stuck.store->root().get(), SampleKey(1), absl::Now());
  ASSERT_EQ(held.state(), KeyLock::State::kOwned);
  Process process(root.path(), absl::Milliseconds(50));
  const absl::Time start = absl::Now();
  const absl::StatusOr<Flight> flight = process.flights->GetOrBuild(SampleKey(1), [] { return SampleEntry(1); });
  ASSERT_TRUE(flight.ok()) << flight.status();
  EXPECT_TRUE(flight->built);
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(50));
  const Stats stats = process.GetStats();
  // It took the lock over: who comes now waits for it.
  EXPECT_EQ(stats.private_builds, 0u);
  EXPECT_EQ(stats.waits, 1u);
  EXPECT_GE(stats.lock_wait_seconds, 0.05);
  EXPECT_LT(stats.lock_wait_seconds, 5.0);
  // What it built by itself serves everyone, the stuck one included.
  EXPECT_TRUE(stuck.store->Get(SampleKey(1)));
}

TEST(SingleFlightTest, AStuckThreadHoldsOthersUpForABoundedTime) {
  MemoryStore store(1 << 20);
  SingleFlight flights(&store, nullptr, {.max_wait = absl::Milliseconds(20)});
  std::atomic<bool> started = false;
  std::atomic<bool> finish = false;
  std::thread stuck([&] {
    const auto flight = flights.GetOrBuild(SampleKey(1), [&]() -> absl::StatusOr<EntryPtr> {
      started = true;
      while (!finish) absl::SleepFor(absl::Milliseconds(1));
      return absl::InternalError("at last");
    });
    EXPECT_EQ(flight.status(), absl::InternalError("at last"));
  });
  while (!started) absl::SleepFor(absl::Milliseconds(1));
  const absl::StatusOr<Flight> flight = flights.GetOrBuild(SampleKey(1), [] { return SampleEntry(1); });
  EXPECT_TRUE(flight.ok()) << flight.status();
  finish = true;
  stuck.join();
  Stats stats;
  flights.AddStats(&stats);
  EXPECT_EQ(stats.private_builds, 1u);
}

TEST(SingleFlightTest, ABuildMayAskForAnotherKey) {
  TempRoot root;
  Process process(root.path());
  const absl::StatusOr<Flight> outer = process.flights->GetOrBuild(SampleKey(1), [&]() -> absl::StatusOr<EntryPtr> {
    const absl::StatusOr<Flight> inner = process.flights->GetOrBuild(SampleKey(2), [] { return SampleEntry(2); });
    if (!inner.ok()) return inner.status();
    return SampleEntry(1);
  });
  ASSERT_TRUE(outer.ok()) << outer.status();
  EXPECT_TRUE(process.store->Get(SampleKey(2)));
}

}  // namespace
}  // namespace kiln::cache
