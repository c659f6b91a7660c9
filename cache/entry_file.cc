#include "cache/entry_file.h"

#include <fcntl.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cache/file_io.h"

namespace kiln::cache {
namespace {

EntryRead Failed(absl::Status status) { return {.status = std::move(status)}; }

absl::Status CheckAttributes(const RootDir& root, const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return absl::DataLossError("cache entry: expected a regular file, found another");
  if (!root.IsTrusted(info)) {
    return absl::DataLossError(
        absl::StrFormat("cache entry: expected a file that only we can write, found one of user %d with mode %04o",
                        info.st_uid, info.st_mode & 07777));
  }
  if (static_cast<uint64_t>(info.st_size) > kMaxEntryBytes) {
    return absl::DataLossError(
        absl::StrCat("cache entry: size: expected at most ", kMaxEntryBytes, " bytes, found ", info.st_size));
  }
  return absl::OkStatus();
}

}  // namespace

EntryRead ReadEntryFile(RootDir* root, const Key& key, absl::Duration touch_after) {
  FileOps* ops = root->ops();
  const EntryPath path = PathOf(key);
  const std::shared_ptr<const FileHandle> directory = root->Handle();
  const FileHandle shard = OpenFile(ops, directory->fd(), path.shard, O_PATH | O_DIRECTORY);
  if (!shard.ok()) return Failed(SystemError("cache entry: open its shard", shard.error()));
  // O_NONBLOCK: a pipe in the entry's place is refused, not waited for.
  const FileHandle file = OpenFile(ops, shard.fd(), path.file, O_RDONLY | O_NONBLOCK);
  EntryRead read;
  if (file.error() == -ELOOP || file.error() == -ENXIO) {
    read.status = absl::DataLossError("cache entry: expected a regular file, found a symbolic link or a socket");
    read.has_info = ops->StatAt(shard.fd(), path.file.c_str(), &read.info) == 0;
    return read;
  }
  if (!file.ok()) return Failed(SystemError("cache entry: open", file.error()));
  if (const int error = ops->FStat(file.fd(), &read.info); error < 0) {
    return Failed(SystemError("cache entry: stat", error));
  }
  read.has_info = true;
  read.status = CheckAttributes(*root, read.info);
  if (!read.status.ok()) return read;

  std::string bytes;
  if (const int error = ReadWhole(ops, file.fd(), static_cast<size_t>(read.info.st_size), &bytes); error < 0) {
    return Failed(SystemError("cache entry: read", error));
  }
  absl::StatusOr<Entry> entry = DecodeEntry(bytes);
  if (!entry.ok()) {
    // The name promises a version we read, so a later one inside is damage too.
    read.status = absl::DataLossError(entry.status().message());
  } else if (entry->key != key) {
    read.status =
        absl::DataLossError(absl::StrCat("cache entry: key: expected ", Name(key.kind), " ", key.digest.ToHex(),
                                         ", found ", Name(entry->key.kind), " ", entry->key.digest.ToHex()));
  } else {
    read.entry = std::make_shared<const Entry>(*std::move(entry));
    const absl::Time now = ops->Now();
    if (now - absl::TimeFromTimespec(read.info.st_mtim) > touch_after) ops->SetModified(file.fd(), now);
  }
  return read;
}

bool RemoveDamaged(RootDir* root, const Key& key, const EntryRead& read) {
  if (!read.has_info) return false;
  FileOps* ops = root->ops();
  const EntryPath path = PathOf(key);
  const std::shared_ptr<const FileHandle> directory = root->Handle();
  const FileHandle shard = OpenFile(ops, directory->fd(), path.shard, O_PATH | O_DIRECTORY);
  if (!shard.ok()) return shard.error() == -ENOENT;
  struct stat now;
  const int error = ops->StatAt(shard.fd(), path.file.c_str(), &now);
  if (error < 0) return error == -ENOENT;
  // Inode numbers are reused at once, so the change time counts as well: another process may have healed it already.
  const bool same = now.st_ino == read.info.st_ino && now.st_dev == read.info.st_dev &&
                    now.st_ctim.tv_sec == read.info.st_ctim.tv_sec && now.st_ctim.tv_nsec == read.info.st_ctim.tv_nsec;
  if (!same) return false;
  const int result = ops->UnlinkAt(shard.fd(), path.file.c_str(), S_ISDIR(now.st_mode) ? AT_REMOVEDIR : 0);
  return result == 0 || result == -ENOENT;
}

}  // namespace kiln::cache
