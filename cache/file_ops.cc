#include "cache/file_ops.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "absl/time/clock.h"

namespace kiln::cache {
namespace {

template <typename T>
T ResultOrErrno(T result) {
  return result >= 0 ? result : static_cast<T>(-errno);
}

class Posix : public FileOps {
 public:
  int OpenAt(int dir, const char* name, int flags, mode_t mode) override {
    return ResultOrErrno(openat(dir, name, flags, mode));
  }
  int Close(int fd) override { return ResultOrErrno(close(fd)); }
  ssize_t PRead(int fd, void* buffer, size_t size, off_t offset) override {
    return ResultOrErrno(pread(fd, buffer, size, offset));
  }
  ssize_t Write(int fd, const void* buffer, size_t size) override { return ResultOrErrno(write(fd, buffer, size)); }
  int FSync(int fd) override { return ResultOrErrno(fsync(fd)); }
  int FTruncate(int fd, off_t size) override { return ResultOrErrno(ftruncate(fd, size)); }
  int SetModified(int fd, absl::Time time) override {
    const timespec times[2] = {{0, UTIME_OMIT}, absl::ToTimespec(time)};
    return ResultOrErrno(futimens(fd, times));
  }
  int FStat(int fd, struct stat* out) override { return ResultOrErrno(fstat(fd, out)); }
  int StatAt(int dir, const char* name, struct stat* out) override {
    return ResultOrErrno(fstatat(dir, name, out, AT_SYMLINK_NOFOLLOW));
  }
  int MkdirAt(int dir, const char* name, mode_t mode) override { return ResultOrErrno(mkdirat(dir, name, mode)); }
  int LinkAt(int from_dir, const char* from, int to_dir, const char* to) override {
    return ResultOrErrno(linkat(from_dir, from, to_dir, to, 0));
  }
  int RenameNoReplaceAt(int from_dir, const char* from, int to_dir, const char* to) override {
    return ResultOrErrno(renameat2(from_dir, from, to_dir, to, RENAME_NOREPLACE));
  }
  int UnlinkAt(int dir, const char* name, int flags) override { return ResultOrErrno(unlinkat(dir, name, flags)); }
  int Map(int fd, size_t size, const void** out) override {
    void* start = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    if (start == MAP_FAILED) return -errno;
    *out = start;
    return 0;
  }
  void Unmap(const void* start, size_t size) override { munmap(const_cast<void*>(start), size); }
  int Flock(int fd, int operation) override { return ResultOrErrno(flock(fd, operation)); }

  int List(int dir, std::vector<std::string>* names) override {
    names->clear();
    // A description of its own: reading moves an offset that `dir` would share.
    const int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -errno;
    DIR* stream = fdopendir(fd);
    if (stream == nullptr) {
      const int error = errno;
      close(fd);
      return -error;
    }
    errno = 0;
    while (const dirent* entry = readdir(stream)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names->emplace_back(name);
    }
    const int error = errno;
    closedir(stream);
    std::sort(names->begin(), names->end());
    return -error;
  }

  uid_t User() override { return geteuid(); }
  absl::Time Now() override { return absl::Now(); }
};

}  // namespace

FileOps* PosixFileOps() {
  static Posix* const posix = new Posix;  // Never destroyed: stores may outlive static destructors.
  return posix;
}

}  // namespace kiln::cache
