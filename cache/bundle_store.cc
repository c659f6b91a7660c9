#include "cache/bundle_store.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

absl::Status Refused(const std::string& path, const std::string& expected, const std::string& found) {
  return absl::PermissionDeniedError(absl::StrCat("cache bundle: ", path, ": expected ", expected, ", found ", found));
}

absl::Status CheckAttributes(const RootOptions& where, const struct stat& info) {
  if (!S_ISREG(info.st_mode)) return Refused(where.path, "a regular file", "another");
  if (!IsTrusted(where, info)) {
    return Refused(where.path, "a file that only we or root can write",
                   absl::StrFormat("one of user %d with mode %04o", info.st_uid, info.st_mode & 07777));
  }
  return absl::OkStatus();
}

absl::Status CheckSigner(const std::string& path, const BundleView& view, const std::vector<PublicKey>& trusted) {
  // A signature that is there must be right, whoever asks.
  if (!view.is_signed()) {
    return trusted.empty() ? absl::OkStatus() : Refused(path, "a signature by a trusted key", "none");
  }
  KILN_ASSIGN_OR_RETURN(const PublicKey signer, view.Signer());
  if (trusted.empty() || std::find(trusted.begin(), trusted.end(), signer) != trusted.end()) return absl::OkStatus();
  return Refused(path, "a signature by a trusted key", absl::StrCat("one by ", signer.ToHex()));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Bundle>> Bundle::Open(const RootOptions& where,
                                                           const std::vector<PublicKey>& trusted) {
  FileHandle file = OpenFile(where.ops, AT_FDCWD, where.path, O_RDONLY | O_NONBLOCK);
  if (file.error() == -ELOOP || file.error() == -ENXIO) return Refused(where.path, "a regular file", "another");
  if (!file.ok()) return SystemError(absl::StrCat("cache bundle: open ", where.path), file.error());
  struct stat info;
  if (const int error = where.ops->FStat(file.fd(), &info); error < 0) {
    return SystemError(absl::StrCat("cache bundle: stat ", where.path), error);
  }
  KILN_RETURN_IF_ERROR(CheckAttributes(where, info));
  if (info.st_size == 0) return absl::DataLossError(absl::StrCat("cache bundle: ", where.path, ": an empty file"));
  KILN_ASSIGN_OR_RETURN(MappedFile mapped,
                        MappedFile::Map(where.ops, std::move(file), static_cast<size_t>(info.st_size)));
  absl::StatusOr<BundleView> view = BundleView::Parse(mapped.bytes());
  if (!view.ok()) {
    return absl::Status(view.status().code(), absl::StrCat(where.path, ": ", view.status().message()));
  }
  KILN_RETURN_IF_ERROR(CheckSigner(where.path, *view, trusted));
  return std::shared_ptr<const Bundle>(new Bundle(where.path, std::move(mapped), *view));
}

Lookup BundleStore::Get(const Key& key) {
  const std::optional<BundleRow> row = bundle_->IsWhole() ? bundle_->view().Find(key) : std::nullopt;
  absl::StatusOr<Entry> entry = row.has_value() ? bundle_->view().Read(*row) : absl::NotFoundError("");
  if (entry.ok()) {
    hits_.Add();
    return {std::make_shared<const Entry>(*std::move(entry)), Tier::kBundle};
  }
  misses_.Add();
  if (row.has_value()) corrupt_.Add();
  return {};
}

void BundleStore::AddStats(Stats* stats) const {
  stats->bundle_hits += hits_.Get();
  stats->bundle_misses += misses_.Get();
  stats->bundle_corrupt += corrupt_.Get();
}

}  // namespace kiln::cache
