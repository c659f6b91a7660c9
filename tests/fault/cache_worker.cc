// A process of its own for the tests of many: cache_worker MODE ROOT ARGUMENTS...
//
//   build ROOT KEYS START LOG BUILD_MS WAIT_MS
//                               asks for every key once, from START on; a build takes BUILD_MS and adds a line to LOG;
//                               prints the milliseconds that the slowest answer took
//   hold ROOT KEY               builds KEY for ever, having said so on standard output
//   fail ROOT KEY LOG GO        says so, then asks for KEY with a build that adds a line to LOG and fails once GO
//                               exists; prints the failure and its log
//   die ROOT KEY N              asks for KEY, and is killed at its N-th file operation
//   die-trim ROOT N             trims to three entries, and is killed at its N-th file operation
//   fill ROOT BYTES ROUNDS SEED asks for eight entries again and again, and publishes others under a limit of BYTES;
//                               prints how often one of the eight was gone, and what it removed
//   trim ROOT BYTES GO          trims until GO exists; prints the most bytes it found, and what it removed
//   storm ROOT KEYS ROUNDS SEED asks, publishes and removes at random; prints what it did
//
// Exits with 0 if every answer was the right one.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/time/clock.h"
#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "cache/single_flight.h"
#include "cache/trim.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"

namespace kiln::cache {
namespace {

constexpr absl::Duration kMaxWait = absl::Seconds(30);
constexpr size_t kFillBytes = 20000;

struct Session {
  explicit Session(const char* path, FileOps* ops = PosixFileOps(), absl::Duration max_wait = kMaxWait,
                   const SizeLimits& limits = {}, absl::Duration touch_after = kTouchAfter) {
    auto opened = DiskStore::Open({.root = {.path = path, .ops = ops}, .limits = limits, .touch_after = touch_after});
    if (!opened.ok()) {
      fprintf(stderr, "%s\n", opened.status().ToString().c_str());
      exit(3);
    }
    store = *std::move(opened);
    flights = std::make_unique<SingleFlight>(store.get(), store->root(), FlightOptions{.max_wait = max_wait});
  }

  std::unique_ptr<DiskStore> store;
  std::unique_ptr<SingleFlight> flights;
};

void AppendLine(const char* path, int key) {
  const std::string line = absl::StrCat(key, "\n");
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()) || close(fd) != 0) exit(4);
}

bool IsRight(const absl::StatusOr<Flight>& flight, int key) {
  return flight.ok() && *flight->entry == *SampleEntry(key);
}

int Build(const char* root, int keys, int start, const char* log, int build_ms, int wait_ms) {
  FaultyFileOps ops;
  ops.skip_sync = true;
  Session session(root, &ops, absl::Milliseconds(wait_ms));
  absl::Duration slowest;
  for (int i = 0; i < keys; ++i) {
    const int key = (start + i) % keys;
    const absl::Time asked = absl::Now();
    const absl::StatusOr<Flight> flight = session.flights->GetOrBuild(SampleKey(key), [&] {
      AppendLine(log, key);
      absl::SleepFor(absl::Milliseconds(build_ms));
      return SampleEntry(key);
    });
    if (!IsRight(flight, key)) return 1;
    slowest = std::max(slowest, absl::Now() - asked);
  }
  printf("%ld\n", static_cast<long>(absl::ToInt64Milliseconds(slowest)));
  return 0;
}

int Hold(const char* root, int key) {
  Session session(root);
  const absl::StatusOr<Flight> flight = session.flights->GetOrBuild(SampleKey(key), []() -> absl::StatusOr<EntryPtr> {
    puts("building");
    fflush(stdout);
    for (;;) pause();
  });
  return flight.ok() ? 1 : 0;
}

int Fail(const char* root, int key, const char* log, const char* go) {
  Session session(root);
  puts("asking");
  fflush(stdout);
  const absl::StatusOr<Flight> flight = session.flights->GetOrBuild(SampleKey(key), [&]() -> absl::StatusOr<EntryPtr> {
    AppendLine(log, key);
    while (access(go, F_OK) != 0) absl::SleepFor(absl::Milliseconds(1));
    absl::Status failure = absl::InternalError("compile: 1 error");
    failure.SetPayload("kiln/log", absl::Cord("line 7: error"));
    return failure;
  });
  if (flight.ok()) return 1;
  const std::string text(flight.status().GetPayload("kiln/log").value_or(absl::Cord("no log")));
  printf("%s; %s\n", std::string(flight.status().message()).c_str(), text.c_str());
  return 0;
}

int Die(const char* root, int key, int n) {
  FaultyFileOps ops;
  ops.plan = {.first = n, .last = n, .die = true};
  Session session(root, &ops);
  return IsRight(session.flights->GetOrBuild(SampleKey(key), [&] { return SampleEntry(key); }), key) ? 0 : 1;
}

int DieTrim(const char* root, int n) {
  FaultyFileOps ops;
  ops.plan = {.first = n, .last = n, .die = true};
  auto opened = RootDir::Open({.path = root, .ops = &ops});
  if (!opened.ok()) return 3;
  const SizeLimits three = {.max_entries = 3};
  const absl::StatusOr<TrimReport> report = TrimEntries(opened->get(), three, three);
  return report.ok() && report->entries - report->removed_entries == 3 ? 0 : 1;
}

int Fill(const char* root, uint64_t max_bytes, int rounds, int seed) {
  FaultyFileOps ops;
  ops.skip_sync = true;
  Session session(root, &ops, kMaxWait, {.max_bytes = max_bytes}, absl::ZeroDuration());
  int gone = 0;
  for (int i = 0; i < rounds; ++i) {
    for (int key = 0; key < 8; ++key) {
      const Lookup found = session.store->Get(SampleKey(key));
      if (found && *found.entry != *SampleEntry(key, kFillBytes)) return 1;
      if (!found) session.store->Put(SampleEntry(key, kFillBytes));
      gone += !found;
    }
    session.store->Put(SampleEntry(1000 * (seed + 1) + i, kFillBytes));
  }
  Stats stats;
  session.store->AddStats(&stats);
  printf("%d %lu\n", gone, stats.disk_evictions);
  return stats.disk_corrupt == 0 && stats.disk_read_failures == 0 && stats.disk_write_failures == 0 ? 0 : 1;
}

int TrimUntil(const char* root, uint64_t max_bytes, const char* go) {
  Session session(root);
  uint64_t most = 0;
  uint64_t removed = 0;
  while (access(go, F_OK) != 0) {
    const absl::StatusOr<TrimReport> report =
        TrimEntries(session.store->root().get(), {.max_bytes = max_bytes}, {.max_bytes = max_bytes - max_bytes / 8});
    if (!report.ok() || !report->kept.empty()) return 1;
    most = std::max(most, report->bytes);
    removed += report->removed_entries;
    absl::SleepFor(absl::Milliseconds(20));
  }
  printf("%lu %lu\n", most, removed);
  return 0;
}

int Storm(const char* root, int keys, int rounds, int seed) {
  FaultyFileOps ops;
  ops.skip_sync = true;
  Session session(root, &ops);
  uint64_t state = static_cast<uint64_t>(seed) * 0x9e3779b97f4a7c15 + 1;
  for (int i = 0; i < rounds; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const int key = static_cast<int>((state >> 33) % static_cast<uint64_t>(keys));
    const int action = static_cast<int>((state >> 20) % 16);
    if (action == 0) {
      unlink(absl::StrCat(root, "/", PathOf(SampleKey(key)).Relative()).c_str());
    } else if (const Lookup found = session.store->Get(SampleKey(key))) {
      if (*found.entry != *SampleEntry(key, 20000)) return 1;
    } else {
      session.store->Put(SampleEntry(key, 20000));
    }
  }
  Stats stats;
  session.store->AddStats(&stats);
  printf("%lu hits, %lu published, %lu corrupt, %lu read failures, %lu write failures\n", stats.disk_hits,
         stats.disk_published, stats.disk_corrupt, stats.disk_read_failures, stats.disk_write_failures);
  return stats.disk_hits > 0 && stats.disk_corrupt == 0 && stats.disk_read_failures == 0 &&
                 stats.disk_write_failures == 0
             ? 0
             : 1;
}

int Main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "build" && argc == 8) {
    return Build(argv[2], atoi(argv[3]), atoi(argv[4]), argv[5], atoi(argv[6]), atoi(argv[7]));
  }
  if (mode == "hold" && argc == 4) return Hold(argv[2], atoi(argv[3]));
  if (mode == "fail" && argc == 6) return Fail(argv[2], atoi(argv[3]), argv[4], argv[5]);
  if (mode == "die" && argc == 5) return Die(argv[2], atoi(argv[3]), atoi(argv[4]));
  if (mode == "die-trim" && argc == 4) return DieTrim(argv[2], atoi(argv[3]));
  if (mode == "fill" && argc == 6) {
    return Fill(argv[2], static_cast<uint64_t>(atoll(argv[3])), atoi(argv[4]), atoi(argv[5]));
  }
  if (mode == "trim" && argc == 5) return TrimUntil(argv[2], static_cast<uint64_t>(atoll(argv[3])), argv[4]);
  if (mode == "storm" && argc == 6) return Storm(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
  fputs("usage: cache_worker build|hold|fail|die|die-trim|fill|trim|storm ROOT ARGUMENTS...\n", stderr);
  return 2;
}

}  // namespace
}  // namespace kiln::cache

int main(int argc, char** argv) { return kiln::cache::Main(argc, argv); }
