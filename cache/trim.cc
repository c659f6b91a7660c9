#include "cache/trim.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <tuple>

#include "cache/file_io.h"
#include "cache/inventory.h"
#include "cache/temp_file.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

// Entries are removed in ascending order. Digests break ties, so that evictors at work together agree on them.
struct Age {
  int64_t used_nanos = 0;
  uint64_t digest = 0;

  friend auto operator<=>(const Age&, const Age&) = default;
};

struct AgedSize {
  Age age;
  uint64_t bytes = 0;
};

Age AgeOf(const EntryInfo& info) {
  Age age{absl::ToUnixNanos(info.last_used), 0};
  std::memcpy(&age.digest, info.key.digest.bytes.data(), sizeof(age.digest));
  return age;
}

// The youngest that has to go for the rest to be within `target`; nothing if all may stay.
std::optional<Age> YoungestToRemove(std::vector<AgedSize> entries, uint64_t bytes, const SizeLimits& target) {
  std::sort(entries.begin(), entries.end(), [](const AgedSize& a, const AgedSize& b) { return a.age < b.age; });
  uint64_t left = entries.size();
  std::optional<Age> youngest;
  for (const AgedSize& entry : entries) {
    if (target.Hold(bytes, left)) break;
    bytes -= entry.bytes;
    --left;
    youngest = entry.age;
  }
  return youngest;
}

}  // namespace

absl::StatusOr<TrimReport> TrimEntries(RootDir* root, const SizeLimits& limits, const SizeLimits& target) {
  FileOps* ops = root->ops();
  TrimReport report;
  RemoveStaleTempFiles(root);
  std::vector<AgedSize> entries;
  KILN_RETURN_IF_ERROR(ListEntries(root, "", [&](const EntryInfo& info) {
    entries.push_back({AgeOf(info), info.bytes});
    report.bytes += info.bytes;
  }));
  report.entries = entries.size();
  if (limits.Hold(report.bytes, report.entries)) return report;
  const std::optional<Age> youngest = YoungestToRemove(std::move(entries), report.bytes, target);
  if (!youngest.has_value()) return report;

  // Listed again rather than remembered: who was used since has another age now and stays, and 24 bytes an entry do.
  const std::shared_ptr<const FileHandle> top = root->Handle();
  KILN_RETURN_IF_ERROR(ListEntries(root, "", [&](const EntryInfo& info) {
    if (AgeOf(info) > *youngest) return;
    const int error = ops->UnlinkAt(top->fd(), info.path.c_str(), 0);
    if (error == 0 || error == -ENOENT) {
      ++report.removed_entries;
      report.removed_bytes += info.bytes;
    } else {
      report.kept.push_back(std::string(SystemError(info.path, error).message()));
    }
  }));
  return report;
}

}  // namespace kiln::cache
