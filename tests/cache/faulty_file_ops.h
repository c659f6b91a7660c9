// The real system with faults: the n-th operation fails, or every one from it on; writes and reads stop short; the
// process dies at the n-th operation.
#ifndef KILN_TESTS_CACHE_FAULTY_FILE_OPS_H_
#define KILN_TESTS_CACHE_FAULTY_FILE_OPS_H_

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cache/file_ops.h"

namespace kiln::cache {

class FaultyFileOps : public FileOps {
 public:
  static constexpr int kNever = std::numeric_limits<int>::max();

  // Which operations fail, counted from 0 over all threads.
  struct Plan {
    int first = kNever;
    int last = -1;             // Inclusive; kNever for all that follow.
    int error = 0;             // A positive errno.
    bool die = false;          // By SIGKILL, in place of failing.
    bool only_writes = false;  // Fail what changes the disk, as a full or read-only one does.
    size_t longest_transfer = std::numeric_limits<size_t>::max();
  };

  Plan plan;                    // Set before use.
  std::optional<uid_t> user;    // In place of the real one.
  absl::Duration clock_offset;  // Added to the real time.
  bool lacks_links = false;     // As FAT and some FUSE file systems.
  bool fail_listing = false;    // With EIO.
  bool skip_sync = false;       // For tests of thousands of writes, none of which must outlive a power loss.

  int calls() const { return calls_.load(); }
  int failures() const { return failures_.load(); }

  int OpenAt(int dir, const char* name, int flags, mode_t mode) override {
    const bool writes = (flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0;
    return Fault(writes) ? -plan.error : real_->OpenAt(dir, name, flags, mode);
  }
  int Close(int fd) override {
    // As the system does: a close that fails has closed all the same.
    const bool fault = Fault(true);
    const int result = real_->Close(fd);
    return fault ? -plan.error : result;
  }
  ssize_t PRead(int fd, void* buffer, size_t size, off_t offset) override {
    if (Fault(false)) return -plan.error;
    return real_->PRead(fd, buffer, std::min(size, plan.longest_transfer), offset);
  }
  ssize_t Write(int fd, const void* buffer, size_t size) override {
    if (Fault(true)) return -plan.error;
    return real_->Write(fd, buffer, std::min(size, plan.longest_transfer));
  }
  int FSync(int fd) override {
    if (Fault(true)) return -plan.error;
    return skip_sync ? 0 : real_->FSync(fd);
  }
  int FTruncate(int fd, off_t size) override { return Fault(true) ? -plan.error : real_->FTruncate(fd, size); }
  int SetModified(int fd, absl::Time time) override { return Fault(true) ? -plan.error : real_->SetModified(fd, time); }
  int FStat(int fd, struct stat* out) override { return Fault(false) ? -plan.error : real_->FStat(fd, out); }
  int StatAt(int dir, const char* name, struct stat* out) override {
    return Fault(false) ? -plan.error : real_->StatAt(dir, name, out);
  }
  int MkdirAt(int dir, const char* name, mode_t mode) override {
    return Fault(true) ? -plan.error : real_->MkdirAt(dir, name, mode);
  }
  int LinkAt(int from_dir, const char* from, int to_dir, const char* to) override {
    if (lacks_links) return -EPERM;
    return Fault(true) ? -plan.error : real_->LinkAt(from_dir, from, to_dir, to);
  }
  int RenameNoReplaceAt(int from_dir, const char* from, int to_dir, const char* to) override {
    return Fault(true) ? -plan.error : real_->RenameNoReplaceAt(from_dir, from, to_dir, to);
  }
  int UnlinkAt(int dir, const char* name, int flags) override {
    return Fault(true) ? -plan.error : real_->UnlinkAt(dir, name, flags);
  }
  int Map(int fd, size_t size, const void** out) override {
    return Fault(false) ? -plan.error : real_->Map(fd, size, out);
  }
  void Unmap(const void* start, size_t size) override { real_->Unmap(start, size); }
  int Flock(int fd, int operation) override { return Fault(false) ? -plan.error : real_->Flock(fd, operation); }
  int List(int dir, std::vector<std::string>* names) override {
    if (fail_listing) return -EIO;
    return Fault(false) ? -plan.error : real_->List(dir, names);
  }
  uid_t User() override { return user.value_or(real_->User()); }
  absl::Time Now() override { return real_->Now() + clock_offset; }

 private:
  bool Fault(bool writes) {
    if (plan.only_writes && !writes) return false;
    const int call = calls_.fetch_add(1);
    if (call < plan.first || call > plan.last) return false;
    if (plan.die) kill(getpid(), SIGKILL);
    failures_.fetch_add(1);
    return true;
  }

  FileOps* const real_ = PosixFileOps();
  std::atomic<int> calls_{0};
  std::atomic<int> failures_{0};
};

}  // namespace kiln::cache

#endif  // KILN_TESTS_CACHE_FAULTY_FILE_OPS_H_
