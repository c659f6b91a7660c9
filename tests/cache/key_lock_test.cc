#include "cache/key_lock.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "cache/entry_path.h"
#include "cache/failure_record.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

using State = KeyLock::State;

std::shared_ptr<RootDir> Open(const TempRoot& root, FileOps* ops = PosixFileOps()) {
  auto dir = RootDir::Open({.path = root.path(), .ops = ops});
  EXPECT_TRUE(dir.ok()) << dir.status();
  return *std::move(dir);
}

KeyLock AcquireNow(RootDir* root, int key = 1) { return KeyLock::Acquire(root, SampleKey(key), absl::Now()); }

TEST(KeyLockTest, HasOneOwnerAtATime) {
  TempRoot root;
  const auto dir = Open(root);
  KeyLock owner = AcquireNow(dir.get());
  EXPECT_EQ(owner.state(), State::kOwned);
  EXPECT_EQ(owner.waited(), absl::ZeroDuration());
  EXPECT_EQ(AcquireNow(dir.get()).state(), State::kTimedOut);
  EXPECT_EQ(AcquireNow(dir.get(), 2).state(), State::kOwned);
  owner.Release(absl::OkStatus());
  EXPECT_EQ(AcquireNow(dir.get()).state(), State::kOwned);
  EXPECT_EQ(CountFiles(root.path()), 0u);
}

TEST(KeyLockTest, LetsGoWhenItGoes) {
  TempRoot root;
  const auto dir = Open(root);
  {
    const KeyLock owner = AcquireNow(dir.get());
  }
  EXPECT_EQ(AcquireNow(dir.get()).state(), State::kOwned);
}

// Waits for the lock that `owner` holds, in a thread, while the owner is released with `result`.
KeyLock WaitWhile(RootDir* root, KeyLock* owner, const absl::Status& result) {
  std::optional<KeyLock> waiter;
  std::thread thread([&] { waiter.emplace(KeyLock::Acquire(root, SampleKey(1), absl::Now() + absl::Seconds(20))); });
  absl::SleepFor(absl::Milliseconds(30));
  owner->Release(result);
  thread.join();
  return *std::move(waiter);
}

TEST(KeyLockTest, TellsThoseWhoWaitedThatTheOwnerFinished) {
  TempRoot root;
  const auto dir = Open(root);
  KeyLock owner = AcquireNow(dir.get());
  const KeyLock waiter = WaitWhile(dir.get(), &owner, absl::OkStatus());
  EXPECT_EQ(waiter.state(), State::kOwnerFinished);
  EXPECT_EQ(waiter.owner_failure(), std::nullopt);
  EXPECT_GE(waiter.waited(), absl::Milliseconds(1));
  EXPECT_LE(waiter.waited(), absl::Seconds(10));
}

TEST(KeyLockTest, TellsThoseWhoWaitedOfTheFailureAndNobodyElse) {
  TempRoot root;
  const auto dir = Open(root);
  absl::Status failure = absl::InternalError("compile: 1 error");
  failure.SetPayload("kiln/log", absl::Cord("line 7: error"));
  KeyLock owner = AcquireNow(dir.get());
  const KeyLock waiter = WaitWhile(dir.get(), &owner, failure);
  EXPECT_EQ(waiter.state(), State::kOwnerFinished);
  EXPECT_EQ(waiter.owner_failure(), failure);
  EXPECT_EQ(AcquireNow(dir.get()).state(), State::kOwned);
}

TEST(KeyLockTest, AFileLeftByADeadOwnerHoldsNobodyUpAndTellsNothing) {
  TempRoot root;
  const auto dir = Open(root);
  std::filesystem::create_directory(root / kLockDirectory);
  const std::string file = root / kLockDirectory + "/" + LockNameOf(SampleKey(1));
  WriteFile(file, EncodeFailure(absl::InternalError("of long ago")));
  KeyLock owner = AcquireNow(dir.get());
  EXPECT_EQ(owner.state(), State::kOwned);
  EXPECT_EQ(ReadFile(file), "");
  EXPECT_EQ(WaitWhile(dir.get(), &owner, absl::OkStatus()).owner_failure(), std::nullopt);
}

TEST(KeyLockTest, IsUnavailableWhereTheSystemHasNone) {
  TempRoot root;
  FaultyFileOps ops;
  const auto dir = Open(root, &ops);
  ops.plan = {.first = 0, .last = FaultyFileOps::kNever, .error = ENOLCK};
  EXPECT_EQ(AcquireNow(dir.get()).state(), State::kUnavailable);
}

}  // namespace
}  // namespace kiln::cache
