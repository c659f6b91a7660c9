#include "cache/temp_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace kiln::cache {
namespace {

constexpr absl::Duration kStaleAfter = absl::Hours(1);
constexpr size_t kMaxRemovedAtOnce = 1000;

// Unlike any other of this node; across nodes that share the root the exclusive open decides.
std::string FreshName(FileOps* ops) {
  static std::atomic<uint64_t> sequence{0};
  return absl::StrFormat("%x-%x-%x", getpid(), absl::ToUnixNanos(ops->Now()),
                         sequence.fetch_add(1, std::memory_order_relaxed));
}

// File systems without hard links say so in one of these ways.
bool LacksLinks(int error) {
  return error == -EPERM || error == -EOPNOTSUPP || error == -ENOSYS || error == -EMLINK || error == -EINVAL;
}

}  // namespace

TempFile::~TempFile() {
  if (!name_.empty()) root_->ops()->UnlinkAt(directory_.fd(), name_.c_str(), 0);
}

absl::Status TempFile::Create(RootDir* root, std::string_view bytes) {
  root_ = root;
  FileOps* ops = root->ops();
  directory_ = root->MakeDirectory(kTempDirectory);
  if (!directory_.ok()) return SystemError("cache publish: make the temporary directory", directory_.error());
  const std::string name = FreshName(ops);
  FileHandle file = OpenFile(ops, directory_.fd(), name, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.ok()) return SystemError("cache publish: open a temporary file", file.error());
  name_ = name;
  if (const int error = WriteWhole(ops, file.fd(), bytes); error < 0) {
    return SystemError("cache publish: write", error);
  }
  // Finer than what the file system stamps, and by the same clock as lookups: it orders the entries for TrimEntries.
  ops->SetModified(file.fd(), ops->Now());
  // Before the name: after a power loss the entry is whole or absent. The directory is not synced, since losing the
  // name loses only work.
  if (const int error = ops->FSync(file.fd()); error < 0) return SystemError("cache publish: fsync", error);
  if (const int error = file.Close(); error < 0) return SystemError("cache publish: close", error);
  return absl::OkStatus();
}

absl::StatusOr<PublishResult> TempFile::Publish(const EntryPath& path) {
  FileOps* ops = root_->ops();
  const FileHandle shard = root_->MakeDirectory(path.shard);
  if (!shard.ok()) return SystemError("cache publish: make a shard", shard.error());
  int result = ops->LinkAt(directory_.fd(), name_.c_str(), shard.fd(), path.file.c_str());
  if (LacksLinks(result)) {
    result = ops->RenameNoReplaceAt(directory_.fd(), name_.c_str(), shard.fd(), path.file.c_str());
    if (result == 0) name_.clear();
  }
  if (result == -EEXIST) return PublishResult::kAlreadyThere;
  if (result < 0) return SystemError("cache publish: link", result);
  return PublishResult::kPublished;
}

void RemoveStaleTempFiles(RootDir* root) {
  FileOps* ops = root->ops();
  const std::shared_ptr<const FileHandle> directory = root->Handle();
  const FileHandle temp = OpenFile(ops, directory->fd(), kTempDirectory, O_RDONLY | O_DIRECTORY);
  std::vector<std::string> names;
  if (!temp.ok() || ops->List(temp.fd(), &names) < 0) return;
  const absl::Time limit = ops->Now() - kStaleAfter;
  size_t removed = 0;
  for (const std::string& name : names) {
    struct stat info;
    if (removed == kMaxRemovedAtOnce) return;
    if (ops->StatAt(temp.fd(), name.c_str(), &info) < 0 || absl::TimeFromTimespec(info.st_mtim) >= limit) continue;
    if (ops->UnlinkAt(temp.fd(), name.c_str(), 0) == 0) ++removed;
  }
}

}  // namespace kiln::cache
