#include "cache/inventory.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/entry_file.h"
#include "cache/entry_path.h"
#include "cache/file_io.h"
#include "cache/temp_file.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

// Removes the lock files that nobody holds. Who opens one meanwhile finds it nameless, and looks the key up again.
void RemoveFreeLocks(RootDir* root) {
  FileOps* ops = root->ops();
  const std::shared_ptr<const FileHandle> top = root->Handle();
  const FileHandle locks = OpenFile(ops, top->fd(), kLockDirectory, O_RDONLY | O_DIRECTORY);
  std::vector<std::string> names;
  if (!locks.ok() || ops->List(locks.fd(), &names) < 0) return;
  for (const std::string& name : names) {
    FileHandle lock = OpenFile(ops, locks.fd(), name, O_RDWR | O_NONBLOCK);
    if (!lock.ok() || ops->Flock(lock.fd(), LOCK_EX | LOCK_NB) < 0) continue;
    // A failure that a dead owner left would be taken for one of ours.
    if (ops->FTruncate(lock.fd(), 0) < 0) continue;
    ops->UnlinkAt(locks.fd(), name.c_str(), 0);
  }
}

}  // namespace

absl::Status ListEntries(RootDir* root, const std::string& prefix, absl::FunctionRef<void(const EntryInfo&)> visit) {
  FileOps* ops = root->ops();
  const std::shared_ptr<const FileHandle> top = root->Handle();
  std::vector<std::string> shards;
  if (const int error = ops->List(top->fd(), &shards); error < 0) {
    return SystemError(absl::StrCat("cache list: ", root->path()), error);
  }
  for (const std::string& shard : shards) {
    if (!IsShardName(shard) || !absl::StartsWith(shard, prefix.substr(0, 2))) continue;
    const FileHandle directory = OpenFile(ops, top->fd(), shard, O_RDONLY | O_DIRECTORY);
    std::vector<std::string> files;
    if (!directory.ok() || ops->List(directory.fd(), &files) < 0) continue;
    for (const std::string& file : files) {
      const std::optional<NamedEntry> named = ParsePath(shard, file);
      if (!named.has_value() || !absl::StartsWith(absl::StrCat(shard, file), prefix)) continue;
      struct stat info;
      if (ops->StatAt(directory.fd(), file.c_str(), &info) < 0) continue;
      visit({named->key, named->version, EntryPath{shard, file}.Relative(), static_cast<uint64_t>(info.st_size),
             absl::TimeFromTimespec(info.st_mtim)});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<EntryPtr> InspectEntry(RootDir* root, const Key& key) {
  EntryRead read = ReadEntryFile(root, key);
  if (!read.status.ok()) return read.status;
  return std::move(read.entry);
}

absl::StatusOr<VerifyReport> VerifyEntries(RootDir* root, bool remove_damaged) {
  VerifyReport report;
  KILN_RETURN_IF_ERROR(ListEntries(root, "", [&](const EntryInfo& info) {
    if (info.version > kFormatVersion) {
      ++report.later_version;
      return;
    }
    const EntryRead read = ReadEntryFile(root, info.key);
    if (read.status.ok()) {
      ++report.valid;
    } else if (absl::IsDataLoss(read.status)) {
      report.damaged.push_back({info.path, std::string(read.status.message())});
      if (remove_damaged && RemoveDamaged(root, info.key, read)) ++report.removed;
    } else if (!absl::IsNotFound(read.status)) {
      report.unreadable.push_back({info.path, std::string(read.status.message())});
    }
  }));
  return report;
}

absl::StatusOr<ClearReport> ClearEntries(RootDir* root) {
  FileOps* ops = root->ops();
  ClearReport report;
  const std::shared_ptr<const FileHandle> top = root->Handle();
  KILN_RETURN_IF_ERROR(ListEntries(root, "", [&](const EntryInfo& info) {
    const int error = ops->UnlinkAt(top->fd(), info.path.c_str(), 0);
    if (error == 0) {
      ++report.entries;
      report.bytes += info.bytes;
    } else if (error != -ENOENT) {
      report.kept.push_back(std::string(SystemError(info.path, error).message()));
    }
  }));
  RemoveStaleTempFiles(root);
  RemoveFreeLocks(root);
  return report;
}

}  // namespace kiln::cache
