// What the cache needs beyond single system calls: owned descriptors, whole reads and writes, errors in words.
#ifndef KILN_CACHE_FILE_IO_H_
#define KILN_CACHE_FILE_IO_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "cache/file_ops.h"

namespace kiln::cache {

// Owns one open descriptor, or none.
class FileHandle {
 public:
  FileHandle() = default;
  FileHandle(FileOps* ops, int fd) : ops_(ops), fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : ops_(other.ops_), fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(ops_, other.ops_);
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileHandle() { Close(); }

  int fd() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // A failed open keeps its -errno here.
  int error() const { return fd_ < 0 ? fd_ : 0; }
  // 0, or -errno where closing reported a write that had failed. Closing twice is harmless.
  int Close() { return ok() ? ops_->Close(std::exchange(fd_, -1)) : 0; }

 private:
  FileOps* ops_ = nullptr;
  int fd_ = -1;
};

// OpenAt that follows no symbolic link at the end of `name`, is closed by exec, and is made again when interrupted.
FileHandle OpenFile(FileOps* ops, int dir, const std::string& name, int flags, mode_t mode = 0600);

// All of the file from its start, never more than `max_bytes`. Returns 0 or -errno; a file that ends early is shorter.
int ReadWhole(FileOps* ops, int fd, size_t max_bytes, std::string* out);

// All of `bytes`, however few each call takes. Returns 0 or -errno.
int WriteWhole(FileOps* ops, int fd, std::string_view bytes);

// `error` is -errno; "cache root: open /a/b: Permission denied".
absl::Status SystemError(const std::string& what, int error);

}  // namespace kiln::cache

#endif  // KILN_CACHE_FILE_IO_H_
