// The directory a disk cache lives in: opened once, checked before anything in it is believed, and opened again when it
// has vanished under us.
//
// Every file below is reached from the descriptor that was checked, so nobody can swap the directory afterwards.
#ifndef KILN_CACHE_ROOT_DIR_H_
#define KILN_CACHE_ROOT_DIR_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "cache/file_io.h"
#include "cache/file_ops.h"

namespace kiln::cache {

struct RootOptions {
  std::string path;  // Absolute.
  // An entry is native code: what other users can write, they can run as us. Set this only where they are trusted.
  bool allow_shared = false;
  bool create = true;             // Make it where it is absent, now or once it has vanished.
  FileOps* ops = PosixFileOps();  // Borrowed; outlives every user of the root.
};

// Whether a file or directory of these attributes may be believed: ours or root's, and not writable by others.
bool IsTrusted(const RootOptions& options, const struct stat& info);

// Thread-safe.
class RootDir {
 public:
  // Makes the directory, and its parents, with mode 0700 where it is absent and `create` is set.
  // InvalidArgument: the path is not absolute. PermissionDenied: it is owned by a user who is neither us nor root, or
  // writable by others. Any other code: the system refused.
  static absl::StatusOr<std::shared_ptr<RootDir>> Open(const RootOptions& options);

  FileOps* ops() const { return options_.ops; }
  const std::string& path() const { return options_.path; }

  // The open directory, alive as long as the caller holds it.
  std::shared_ptr<const FileHandle> Handle() const;

  // The directory `name` of the root, made where it is absent, and the root too, should it have vanished. A symbolic
  // link in its place is refused. The handle holds -errno on failure.
  FileHandle MakeDirectory(const std::string& name);

  // The same for what lies in the root.
  bool IsTrusted(const struct stat& info) const { return cache::IsTrusted(options_, info); }

 private:
  RootDir(RootOptions options, FileHandle handle);
  static absl::StatusOr<FileHandle> OpenChecked(const RootOptions& options);
  bool Reopen();

  const RootOptions options_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<const FileHandle> handle_ ABSL_GUARDED_BY(mutex_);
  absl::Time next_reopen_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

// Whether a cache could live at `path`: opens it as RootDir does, then makes, writes and removes a file in it.
// For choosing among candidates; FailedPrecondition: it can be read but not written.
absl::Status CheckRootUsable(const RootOptions& options);

}  // namespace kiln::cache

#endif  // KILN_CACHE_ROOT_DIR_H_
