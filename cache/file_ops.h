// The operating system as the cache sees it. Everything the cache does to files goes through here, so that a test can
// make the n-th operation fail, stop short or be the last one before the process dies.
#ifndef KILN_CACHE_FILE_OPS_H_
#define KILN_CACHE_FILE_OPS_H_

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace kiln::cache {

// Each method is the system call of its name. Failures are returned as -errno; errno itself means nothing afterwards.
// Names are relative to the directory `dir` (an open descriptor, or AT_FDCWD). Thread-safe.
class FileOps {
 public:
  virtual ~FileOps() = default;

  virtual int OpenAt(int dir, const char* name, int flags, mode_t mode) = 0;
  virtual int Close(int fd) = 0;
  virtual ssize_t PRead(int fd, void* buffer, size_t size, off_t offset) = 0;
  virtual ssize_t Write(int fd, const void* buffer, size_t size) = 0;
  virtual int FSync(int fd) = 0;
  virtual int FTruncate(int fd, off_t size) = 0;
  // futimens of the modification time alone.
  virtual int SetModified(int fd, absl::Time time) = 0;
  virtual int FStat(int fd, struct stat* out) = 0;
  // Never follows a symbolic link.
  virtual int StatAt(int dir, const char* name, struct stat* out) = 0;
  virtual int MkdirAt(int dir, const char* name, mode_t mode) = 0;
  virtual int LinkAt(int from_dir, const char* from, int to_dir, const char* to) = 0;
  // Fails with EEXIST where plain rename would replace.
  virtual int RenameNoReplaceAt(int from_dir, const char* from, int to_dir, const char* to) = 0;
  virtual int UnlinkAt(int dir, const char* name, int flags) = 0;
  // mmap for reading, shared; munmap.
  virtual int Map(int fd, size_t size, const void** out) = 0;
  virtual void Unmap(const void* start, size_t size) = 0;
  virtual int Flock(int fd, int operation) = 0;
  // The names in the directory open as `dir`, without "." and "..", sorted. Returns 0 or -errno.
  virtual int List(int dir, std::vector<std::string>* names) = 0;
  // The effective user, whose files are trusted.
  virtual uid_t User() = 0;
  virtual absl::Time Now() = 0;
};

// The real system. Stateless, lives as long as the process.
FileOps* PosixFileOps();

}  // namespace kiln::cache

#endif  // KILN_CACHE_FILE_OPS_H_
