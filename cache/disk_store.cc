#include "cache/disk_store.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cache/entry_file.h"
#include "cache/temp_file.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

constexpr absl::Duration kFirstPause = absl::Seconds(1);
constexpr absl::Duration kLongestPause = absl::Minutes(1);

absl::StatusOr<PublishResult> Publish(RootDir* root, const Key& key, const std::string& bytes) {
  TempFile file;
  KILN_RETURN_IF_ERROR(file.Create(root, bytes));
  return file.Publish(PathOf(key));
}

}  // namespace

absl::StatusOr<std::unique_ptr<DiskStore>> DiskStore::Open(const DiskStoreOptions& options) {
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<RootDir> root, RootDir::Open(options.root));
  if (!options.read_only) RemoveStaleTempFiles(root.get());
  return std::unique_ptr<DiskStore>(new DiskStore(options, std::move(root)));
}

Lookup DiskStore::Get(const Key& key) {
  EntryRead read = ReadEntryFile(root_.get(), key, touch_after_);
  // A network file system may answer with a handle it has just forgotten; asking by name again gets a fresh one.
  if (!read.status.ok() && !absl::IsNotFound(read.status) && !absl::IsDataLoss(read.status)) {
    read = ReadEntryFile(root_.get(), key, touch_after_);
  }
  if (read.status.ok()) {
    hits_.Add();
    return {std::move(read.entry), Tier::kDisk};
  }
  misses_.Add();
  if (absl::IsDataLoss(read.status)) {
    corrupt_.Add();
    if (!read_only_) RemoveDamaged(root_.get(), key, read);
  } else if (!absl::IsNotFound(read.status)) {
    read_failures_.Add();
  }
  return {};
}

void DiskStore::Put(const EntryPtr& entry) {
  if (read_only_) return;
  if (!MayWrite()) {
    writes_skipped_.Add();
    return;
  }
  const absl::StatusOr<std::string> bytes = EncodeEntry(*entry);
  if (!bytes.ok()) {
    // An entry beyond the format's bounds says nothing about the disk.
    write_failures_.Add();
    return;
  }
  const absl::StatusOr<PublishResult> result = Publish(root_.get(), entry->key, *bytes);
  NoteWrite(result.status());
  if (!result.ok()) return;
  if (*result == PublishResult::kAlreadyThere) {
    lost_races_.Add();
    return;
  }
  published_.Add();
  size_watch_.Published(root_.get(), bytes->size());
}

void DiskStore::AddStats(Stats* stats) const {
  stats->disk_hits += hits_.Get();
  stats->disk_misses += misses_.Get();
  stats->disk_corrupt += corrupt_.Get();
  stats->disk_published += published_.Get();
  stats->disk_lost_races += lost_races_.Get();
  stats->disk_read_failures += read_failures_.Get();
  stats->disk_write_failures += write_failures_.Get();
  stats->disk_writes_skipped += writes_skipped_.Get();
  stats->disk_evictions += size_watch_.evictions();
  absl::MutexLock lock(&mutex_);
  if (stats->degraded.empty()) stats->degraded = degraded_;
}

bool DiskStore::MayWrite() {
  const absl::Time now = root_->ops()->Now();
  absl::MutexLock lock(&mutex_);
  return now >= next_write_;
}

void DiskStore::NoteWrite(const absl::Status& status) {
  if (!status.ok()) write_failures_.Add();
  const absl::Time now = root_->ops()->Now();
  absl::MutexLock lock(&mutex_);
  if (status.ok()) {
    pause_ = absl::ZeroDuration();
    next_write_ = absl::InfinitePast();
    degraded_.clear();
    return;
  }
  pause_ = std::clamp(2 * pause_, kFirstPause, kLongestPause);
  next_write_ = now + pause_;
  degraded_ = std::string(status.message());
}

}  // namespace kiln::cache
