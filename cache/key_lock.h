// One process at a time builds a key: an operating system's lock on a file of the key's own, which the kernel releases
// when its owner dies in whatever way. A file that is left behind holds nobody up.
//
// The file goes with its lock: an owner unlinks it before it lets go, having left its failure inside if it failed. Who
// waited then holds a file without a name, knows that the owner finished, and finds its failure. Who comes later makes
// a new file and starts afresh, so a failure is told to those who waited for it and to nobody else.
#ifndef KILN_CACHE_KEY_LOCK_H_
#define KILN_CACHE_KEY_LOCK_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "cache/entry.h"
#include "cache/file_io.h"
#include "cache/root_dir.h"

namespace kiln::cache {

class KeyLock {
 public:
  enum class State {
    kOwned,          // This process builds.
    kOwnerFinished,  // Another did, while we waited: look the key up again.
    kTimedOut,       // Another holds the lock still: build without it.
    kUnavailable,    // No locks to be had here: build without one.
  };

  // Waits for `key`'s lock until `deadline`, polling. The root outlives the lock.
  static KeyLock Acquire(RootDir* root, const Key& key, absl::Time deadline);

  KeyLock(KeyLock&&) = default;
  // Lets go of an owned lock as Release(OkStatus()) does.
  ~KeyLock();

  State state() const { return state_; }
  // With kOwnerFinished: the owner's failure, if it left one.
  const std::optional<absl::Status>& owner_failure() const { return owner_failure_; }
  // How long Acquire had to wait; zero where the lock was free.
  absl::Duration waited() const { return waited_; }

  // With kTimedOut: takes the name from the file that its owner holds for too long, so that the next Acquire starts
  // afresh and those who wait from now on wait for a new owner. The old one loses nothing but its being waited for.
  void GiveUpOwner();

  // Ends the ownership, telling those who wait of `result` if it is a failure. Called once at most.
  void Release(const absl::Status& result);

 private:
  KeyLock(RootDir* root, std::string name) : ops_(root->ops()), name_(std::move(name)) {}
  void Wait(RootDir* root, absl::Time deadline);
  void ReadOwnerFailure();
  // Whether the file still goes by its name, which tells owners from those who were given up.
  bool StillNamed();

  FileOps* ops_;
  std::string name_;
  State state_ = State::kUnavailable;
  FileHandle directory_;
  FileHandle file_;
  std::optional<absl::Status> owner_failure_;
  absl::Duration waited_;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_KEY_LOCK_H_
