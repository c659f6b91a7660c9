#include "cache/key_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/time/clock.h"
#include "cache/entry_path.h"
#include "cache/failure_record.h"

namespace kiln::cache {
namespace {

// flock has no time limit of its own, so waiting is polling: soon at first, then ten times a compile of a second.
constexpr absl::Duration kFirstPoll = absl::Microseconds(200);
constexpr absl::Duration kLongestPoll = absl::Milliseconds(10);

}  // namespace

KeyLock KeyLock::Acquire(RootDir* root, const Key& key, absl::Time deadline) {
  KeyLock lock(root, LockNameOf(key));
  lock.Wait(root, deadline);
  if (lock.state_ != State::kOwned && lock.state_ != State::kTimedOut) lock.file_.Close();
  return lock;
}

KeyLock::~KeyLock() {
  if (state_ == State::kOwned && file_.ok()) Release(absl::OkStatus());
}

void KeyLock::Wait(RootDir* root, absl::Time deadline) {
  directory_ = root->MakeDirectory(kLockDirectory);
  if (!directory_.ok()) return;
  file_ = OpenFile(ops_, directory_.fd(), name_, O_RDWR | O_CREAT);
  if (!file_.ok()) return;

  const absl::Time start = absl::Now();
  int result = 0;
  for (absl::Duration poll = kFirstPoll;; poll = std::min(2 * poll, kLongestPoll)) {
    result = ops_->Flock(file_.fd(), LOCK_EX | LOCK_NB);
    if (result != -EWOULDBLOCK && result != -EINTR) break;
    if (absl::Now() >= deadline) {
      state_ = State::kTimedOut;
      return;
    }
    absl::SleepFor(poll);
    waited_ = absl::Now() - start;
  }
  if (result < 0) return;

  struct stat ours;
  struct stat named;
  if (ops_->FStat(file_.fd(), &ours) < 0) return;
  const int error = ops_->StatAt(directory_.fd(), name_.c_str(), &named);
  if (error < 0 && error != -ENOENT) return;
  if (error == -ENOENT || named.st_ino != ours.st_ino || named.st_dev != ours.st_dev) {
    state_ = State::kOwnerFinished;
    ReadOwnerFailure();
    return;
  }
  // What an owner that died between failing and letting go has left; nobody shall take it for ours.
  if (ours.st_size > 0 && ops_->FTruncate(file_.fd(), 0) < 0) return;
  state_ = State::kOwned;
}

void KeyLock::ReadOwnerFailure() {
  std::string record;
  if (ReadWhole(ops_, file_.fd(), kMaxFailureRecordBytes, &record) == 0) owner_failure_ = DecodeFailure(record);
}

bool KeyLock::StillNamed() {
  struct stat ours;
  struct stat named;
  return ops_->FStat(file_.fd(), &ours) == 0 && ops_->StatAt(directory_.fd(), name_.c_str(), &named) == 0 &&
         named.st_ino == ours.st_ino && named.st_dev == ours.st_dev;
}

void KeyLock::GiveUpOwner() {
  // Of several who give up at once, one may take the name from the next owner's file already: that costs a build.
  if (state_ == State::kTimedOut && file_.ok() && StillNamed()) ops_->UnlinkAt(directory_.fd(), name_.c_str(), 0);
  file_.Close();
}

void KeyLock::Release(const absl::Status& result) {
  // A record that could not be written, or only in part, is none: those who wait find out by themselves.
  if (!result.ok()) WriteWhole(ops_, file_.fd(), EncodeFailure(result));
  // The directory may have been cleared, or this owner given up, and the name taken by another since.
  if (StillNamed()) ops_->UnlinkAt(directory_.fd(), name_.c_str(), 0);
  // Not left to closing: a child forked meanwhile holds the same lock open.
  ops_->Flock(file_.fd(), LOCK_UN);
  file_.Close();
}

}  // namespace kiln::cache
