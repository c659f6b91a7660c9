// A root with very many entries: what opening, finding, publishing and trimming cost, against what they may cost.
//
//   cache_soak DIRECTORY ENTRIES        (DIRECTORY is made, and removed again)
//
// Prints one line a figure, and exits with 1 where one is beyond its bound.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "cache/trim.h"
#include "tests/cache/sample_entries.h"

namespace kiln::cache {
namespace {

class Figures {
 public:
  void Check(const char* what, double value, double bound, const char* unit) {
    const bool within = value <= bound;
    within_ = within_ && within;
    printf("%-32s %12.3f %s (at most %g)%s\n", what, value, unit, bound, within ? "" : "  BEYOND");
    fflush(stdout);
  }
  bool within() const { return within_; }

 private:
  bool within_ = true;
};

double PeakMebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return atof(line.c_str() + 6) / 1024;
  }
  return 1e9;
}

// Written as they lie on disk: a publication's sync would be the most of it.
bool Fill(const std::string& path, int entries) {
  for (int i = 0; i < 256; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const std::string shard = {kDigits[i >> 4], kDigits[i & 15]};
    if (mkdir((path + "/" + shard).c_str(), 0700) != 0) return false;
  }
  for (int i = 0; i < entries; ++i) {
    const EntryPtr entry = SampleEntry(i);
    const std::string bytes = *EncodeEntry(*entry);
    const int fd = open((path + "/" + PathOf(entry->key).Relative()).c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) || close(fd) != 0) {
      return false;
    }
  }
  return true;
}

int Run(const std::string& path, int entries) {
  if (mkdir(path.c_str(), 0700) != 0 || !Fill(path, entries)) {
    perror(path.c_str());
    return 2;
  }
  Figures figures;
  absl::Time start = absl::Now();
  absl::StatusOr<std::unique_ptr<DiskStore>> store = DiskStore::Open({.root = {.path = path}});
  if (!store.ok()) return 2;
  figures.Check("open", absl::ToDoubleMilliseconds(absl::Now() - start), 50, "ms");

  std::vector<double> hits;
  for (int i = 0; i < 1000; ++i) {
    const int n = static_cast<int>(static_cast<int64_t>(i) * 7919 % entries);
    start = absl::Now();
    const Lookup found = (*store)->Get(SampleKey(n));
    hits.push_back(absl::ToDoubleMilliseconds(absl::Now() - start));
    if (!found || *found.entry != *SampleEntry(n)) return 2;
  }
  std::nth_element(hits.begin(), hits.begin() + 500, hits.end());
  figures.Check("hit, median of 1000", hits[500], 0.3, "ms");
  figures.Check("memory of the opener", PeakMebibytes(), 64, "MiB");

  start = absl::Now();
  (*store)->Put(SampleEntry(entries));
  figures.Check("first publication, measured", absl::ToDoubleSeconds(absl::Now() - start), 60, "s");

  const uint64_t most = static_cast<uint64_t>(entries) - static_cast<uint64_t>(entries) / 10;
  start = absl::Now();
  const absl::StatusOr<TrimReport> report =
      TrimEntries((*store)->root().get(), {.max_entries = most}, {.max_entries = most});
  figures.Check("gc of a tenth", absl::ToDoubleSeconds(absl::Now() - start), 60, "s");
  if (!report.ok() || report->entries - report->removed_entries != most) return 2;
  figures.Check("memory after gc", PeakMebibytes(), 256, "MiB");
  return figures.within() ? 0 : 1;
}

}  // namespace
}  // namespace kiln::cache

int main(int argc, char** argv) {
  if (argc != 3 || atoi(argv[2]) < 1000) {
    fputs("usage: cache_soak DIRECTORY ENTRIES      (at least 1000)\n", stderr);
    return 2;
  }
  const int code = kiln::cache::Run(argv[1], atoi(argv[2]));
  std::error_code ignored;
  std::filesystem::remove_all(argv[1], ignored);
  return code;
}
