#include "cache/single_flight.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cache/key_lock.h"

namespace kiln::cache {

absl::StatusOr<Flight> SingleFlight::GetOrBuild(const Key& key, Build build) {
  const absl::Time deadline = absl::Now() + 3 * options_.max_wait;
  for (;;) {
    if (Lookup found = store_->Get(key)) return Flight{std::move(found.entry), found.tier};
    bool joined = false;
    const std::shared_ptr<Call> call = JoinOrStart(key, &joined);
    if (!joined) {
      absl::StatusOr<Flight> result = BuildAcrossProcesses(key, build);
      Finish(key, call.get(), result);
      return result;
    }
    waits_.Add();
    absl::MutexLock lock(&call->mutex);
    if (!call->mutex.AwaitWithDeadline(absl::Condition(&call->done), deadline)) break;
    if (absl::IsCancelled(call->result.status())) continue;
    if (!call->result.ok()) {
      shared_failures_.Add();
      return call->result.status();
    }
    return Flight{call->result->entry, call->result->tier};
  }
  private_builds_.Add();
  return RunBuild(key, build);
}

void SingleFlight::AddStats(Stats* stats) const {
  stats->builds += builds_.Get();
  stats->build_failures += build_failures_.Get();
  stats->private_builds += private_builds_.Get();
  stats->waits += waits_.Get();
  stats->shared_failures += shared_failures_.Get();
  stats->lock_wait_seconds += static_cast<double>(lock_wait_nanos_.Get()) * 1e-9;
}

std::shared_ptr<SingleFlight::Call> SingleFlight::JoinOrStart(const Key& key, bool* joined) {
  absl::MutexLock lock(&mutex_);
  const auto [it, inserted] = calls_.try_emplace(key, nullptr);
  if (inserted) it->second = std::make_shared<Call>();
  *joined = !inserted;
  return it->second;
}

void SingleFlight::Finish(const Key& key, Call* call, const absl::StatusOr<Flight>& result) {
  {
    // First out of the map: who comes from now on asks the store, or builds anew.
    absl::MutexLock lock(&mutex_);
    calls_.erase(key);
  }
  absl::MutexLock lock(&call->mutex);
  call->result = result;
  call->done = true;
}

absl::StatusOr<Flight> SingleFlight::BuildAcrossProcesses(const Key& key, Build build) {
  if (lock_root_ == nullptr) {
    // Another thread may have finished between our first look and our becoming the owner.
    if (Lookup found = store_->Get(key)) return Flight{std::move(found.entry), found.tier};
    return RunBuild(key, build);
  }
  absl::Time deadline = absl::Now() + options_.max_wait;
  for (bool gave_up = false;;) {
    KeyLock lock = KeyLock::Acquire(lock_root_.get(), key, deadline);
    lock_wait_nanos_.Add(static_cast<uint64_t>(absl::ToInt64Nanoseconds(lock.waited())));
    if (lock.waited() > absl::ZeroDuration()) waits_.Add();
    // Whoever held the lock before us has most likely published.
    if (Lookup found = store_->Get(key)) return Flight{std::move(found.entry), found.tier};
    if (lock.state() == KeyLock::State::kOwned) {
      absl::StatusOr<Flight> result = RunBuild(key, build);
      lock.Release(result.status());
      return result;
    }
    if (lock.state() == KeyLock::State::kOwnerFinished && lock.owner_failure().has_value()) {
      if (absl::IsCancelled(*lock.owner_failure()) && absl::Now() < deadline) continue;
      if (!absl::IsCancelled(*lock.owner_failure())) {
        shared_failures_.Add();
        return *lock.owner_failure();
      }
    }
    if (lock.state() == KeyLock::State::kTimedOut && !gave_up) {
      gave_up = true;
      lock.GiveUpOwner();
      deadline = absl::Now() + options_.max_wait;
      continue;
    }
    // No lock to be had, no more time, or an owner whose entry cannot be seen here, its disk being full or far away.
    private_builds_.Add();
    return RunBuild(key, build);
  }
}

absl::StatusOr<Flight> SingleFlight::RunBuild(const Key& key, Build build) {
  builds_.Add();
  absl::StatusOr<EntryPtr> entry = build();
  if (entry.ok() && *entry == nullptr) entry = absl::InternalError("cache build: expected an entry, found none");
  if (entry.ok() && (*entry)->key != key) {
    entry = absl::InternalError(absl::StrCat("cache build: key: expected ", Name(key.kind), " ", key.digest.ToHex(),
                                             ", found ", Name((*entry)->key.kind), " ", (*entry)->key.digest.ToHex()));
  }
  if (entry.ok() && (*entry)->payload.empty()) {
    entry = absl::InternalError("cache build: payload: expected at least 1 byte, found 0");
  }
  if (!entry.ok()) {
    build_failures_.Add();
    return std::move(entry).status();
  }
  store_->Put(*entry);
  return Flight{*std::move(entry), Tier::kNone, true};
}

}  // namespace kiln::cache
