#include "cache/root_dir.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cache/entry_path.h"
#include "cache/temp_file.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

// A vanished root is looked for at most this often.
constexpr absl::Duration kReopenInterval = absl::Seconds(1);

absl::Status Refuse(const RootOptions& options, const struct stat& info) {
  if (info.st_uid != options.ops->User() && info.st_uid != 0) {
    return absl::PermissionDeniedError(absl::StrCat("cache root: ", options.path, ": expected an owner of user ",
                                                    options.ops->User(), " or 0, found ", info.st_uid,
                                                    ": name a directory of your own"));
  }
  return absl::PermissionDeniedError(absl::StrFormat(
      "cache root: %s: expected a directory that others cannot write, found mode %04o: chmod go-w it, or name a "
      "directory below it",
      options.path, info.st_mode & 07777));
}

// Makes `path` and the parents it lacks. Anyone may have made any of them meanwhile.
int MakePath(FileOps* ops, const std::string& path) {
  int result = 0;
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string prefix = path.substr(0, slash);
    result = ops->MkdirAt(AT_FDCWD, prefix.c_str(), 0700);
    if (slash == std::string::npos) break;
  }
  // Only the last counts: a parent that exists can answer EROFS or EACCES as well as EEXIST.
  return result == -EEXIST ? 0 : result;
}

}  // namespace

bool IsTrusted(const RootOptions& options, const struct stat& info) {
  if (options.allow_shared) return true;
  const bool ours = info.st_uid == options.ops->User() || info.st_uid == 0;
  return ours && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

absl::StatusOr<FileHandle> RootDir::OpenChecked(const RootOptions& options) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY;
  if (options.path.empty() || options.path.front() != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("cache root: path: expected an absolute one, found \"", options.path, "\""));
  }
  FileHandle handle = OpenFile(options.ops, AT_FDCWD, options.path, kFlags);
  if (handle.error() == -ENOENT && options.create) {
    if (const int error = MakePath(options.ops, options.path); error < 0) {
      return SystemError(absl::StrCat("cache root: mkdir ", options.path), error);
    }
    handle = OpenFile(options.ops, AT_FDCWD, options.path, kFlags);
  }
  if (handle.error() == -ENOTDIR || handle.error() == -ELOOP) {
    return absl::PermissionDeniedError(absl::StrCat("cache root: ", options.path,
                                                    ": expected a directory, found another file or a symbolic link: "
                                                    "name the directory itself"));
  }
  if (!handle.ok()) return SystemError(absl::StrCat("cache root: open ", options.path), handle.error());
  struct stat info;
  if (const int error = options.ops->FStat(handle.fd(), &info); error < 0) {
    return SystemError(absl::StrCat("cache root: stat ", options.path), error);
  }
  if (!cache::IsTrusted(options, info)) return Refuse(options, info);
  return handle;
}

absl::StatusOr<std::shared_ptr<RootDir>> RootDir::Open(const RootOptions& options) {
  RootOptions exact = options;
  // A slash at the end would have a symbolic link followed.
  while (exact.path.size() > 1 && exact.path.back() == '/') exact.path.pop_back();
  KILN_ASSIGN_OR_RETURN(FileHandle handle, OpenChecked(exact));
  return std::shared_ptr<RootDir>(new RootDir(std::move(exact), std::move(handle)));
}

RootDir::RootDir(RootOptions options, FileHandle handle)
    : options_(std::move(options)), handle_(std::make_shared<const FileHandle>(std::move(handle))) {}

std::shared_ptr<const FileHandle> RootDir::Handle() const {
  absl::MutexLock lock(&mutex_);
  return handle_;
}

FileHandle RootDir::MakeDirectory(const std::string& name) {
  std::shared_ptr<const FileHandle> root = Handle();
  int result = ops()->MkdirAt(root->fd(), name.c_str(), 0700);
  // A directory that was removed takes no new names, though it is still open.
  if ((result == -ENOENT || result == -ESTALE) && Reopen()) {
    root = Handle();
    result = ops()->MkdirAt(root->fd(), name.c_str(), 0700);
  }
  // EROFS and EACCES can stand for EEXIST: opening tells.
  FileHandle directory = OpenFile(ops(), root->fd(), name, O_RDONLY | O_DIRECTORY);
  if (!directory.ok() && result < 0 && result != -EEXIST) return FileHandle(ops(), result);
  return directory;
}

bool RootDir::Reopen() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = ops()->Now();
  if (now < next_reopen_) return false;
  next_reopen_ = now + kReopenInterval;
  absl::StatusOr<FileHandle> handle = OpenChecked(options_);
  if (!handle.ok()) return false;
  handle_ = std::make_shared<const FileHandle>(*std::move(handle));
  return true;
}

absl::Status CheckRootUsable(const RootOptions& options) {
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<RootDir> root, RootDir::Open(options));
  TempFile probe;
  const absl::Status written = probe.Create(root.get(), "kiln");
  if (written.ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("cache root: ", options.path, ": expected one that can be written, found: ", written.message()));
}

}  // namespace kiln::cache
