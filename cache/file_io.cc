#include "cache/file_io.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace kiln::cache {
namespace {

// A signal storm, or a file system that answers EINTR for ever, ends as a failure.
constexpr int kMaxInterruptions = 100;

template <typename Call>
auto RetryInterrupted(const Call& call) {
  auto result = call();
  for (int i = 0; result == -EINTR && i < kMaxInterruptions; ++i) result = call();
  return result;
}

}  // namespace

FileHandle OpenFile(FileOps* ops, int dir, const std::string& name, int flags, mode_t mode) {
  return FileHandle(
      ops, RetryInterrupted([&] { return ops->OpenAt(dir, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode); }));
}

int ReadWhole(FileOps* ops, int fd, size_t max_bytes, std::string* out) {
  out->clear();
  struct stat info;
  if (const int error = ops->FStat(fd, &info); error < 0) return error;
  out->resize(std::min<uint64_t>(static_cast<uint64_t>(std::max<off_t>(info.st_size, 0)), max_bytes));
  size_t done = 0;
  while (done < out->size()) {
    const ssize_t got = RetryInterrupted(
        [&] { return ops->PRead(fd, out->data() + done, out->size() - done, static_cast<off_t>(done)); });
    if (got < 0) return static_cast<int>(got);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  out->resize(done);
  return 0;
}

int WriteWhole(FileOps* ops, int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = RetryInterrupted([&] { return ops->Write(fd, bytes.data(), bytes.size()); });
    if (put < 0) return static_cast<int>(put);
    if (put == 0) return -EIO;
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return 0;
}

absl::Status SystemError(const std::string& what, int error) { return absl::ErrnoToStatus(-error, what); }

}  // namespace kiln::cache
