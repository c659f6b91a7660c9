#include "cache/size_watch.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "cache/inventory.h"

namespace kiln::cache {
namespace {

constexpr unsigned kShards = 256;
constexpr unsigned kSampledShards = 4;
// A root that has about this many is not sampled but counted, which takes some milliseconds.
constexpr uint64_t kCountBelow = 4096;
constexpr uint64_t kMostEntriesUnmeasured = 256;

uint64_t SevenEighths(uint64_t limit) { return limit - limit / 8; }

// What may be published before the next look: a sixteenth of the room there is, but not so little that a store just
// below its limit is measured all the time.
uint64_t Allowance(uint64_t limit, uint64_t used) {
  const uint64_t room = limit > used ? limit - used : 0;
  return std::max(room / 16, limit / 1024);
}

}  // namespace

void SizeWatch::Published(RootDir* root, uint64_t bytes) {
  if (IsTime(bytes)) SetAllowance(Measure(root));
}

bool SizeWatch::IsTime(uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  const bool spent = entries_left_ == 0 || bytes_left_ < bytes;
  entries_left_ -= std::min<uint64_t>(entries_left_, 1);
  bytes_left_ -= std::min(bytes_left_, bytes);
  if (!spent || measuring_) return false;
  measuring_ = true;
  return true;
}

SizeWatch::Usage SizeWatch::Measure(RootDir* root) {
  unsigned first = 0;
  {
    absl::MutexLock lock(&mutex_);
    first = static_cast<unsigned>(measurements_++ % (kShards / kSampledShards));
  }
  Usage usage;
  for (unsigned i = 0; i < kSampledShards; ++i) {
    const unsigned shard = first + i * (kShards / kSampledShards);
    const absl::Status listed = ListEntries(root, absl::StrFormat("%02x", shard), [&](const EntryInfo& info) {
      ++usage.entries;
      usage.bytes += info.bytes;
    });
    // Too far away to be seen now; the next look is due as ever.
    if (!listed.ok()) return {};
  }
  usage.bytes *= kShards / kSampledShards;
  usage.entries *= kShards / kSampledShards;
  // A sample that errs by half is enough to tell that there is no need to count.
  if (usage.entries >= kCountBelow && limits_.Hold(2 * usage.bytes, 2 * usage.entries)) return usage;

  const SizeLimits target = {SevenEighths(limits_.max_bytes), SevenEighths(limits_.max_entries)};
  const absl::StatusOr<TrimReport> report = TrimEntries(root, limits_, target);
  if (!report.ok()) return {};
  evictions_.Add(report->removed_entries);
  return {report->bytes - report->removed_bytes, report->entries - report->removed_entries};
}

void SizeWatch::SetAllowance(const Usage& usage) {
  absl::MutexLock lock(&mutex_);
  measuring_ = false;
  bytes_left_ = Allowance(limits_.max_bytes, usage.bytes);
  entries_left_ = std::min(Allowance(limits_.max_entries, usage.entries), kMostEntriesUnmeasured);
}

}  // namespace kiln::cache
