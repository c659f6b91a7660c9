#include "cache/bundle_file.h"

#include <fcntl.h>

#include <cerrno>
#include <set>

#include "absl/strings/str_cat.h"
#include "cache/entry_file.h"
#include "cache/file_io.h"
#include "cache/inventory.h"
#include "cache/key_map.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

bool HasAll(const Entry& entry, const std::map<std::string, std::string>& fields) {
  for (const auto& [name, value] : fields) {
    const auto it = entry.fields.find(name);
    if (it == entry.fields.end() || it->second != value) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> CollectEntries(RootDir* root,
                                                        const std::map<std::string, std::string>& fields) {
  std::vector<std::string> collected;
  std::set<Digest> sources;  // Of the entries that were taken.
  const auto visit = [&](EntryKind kind_of_pass, const EntryInfo& info) -> absl::Status {
    const bool is_map = info.key.kind == EntryKind::kRequest;
    if (info.version > kFormatVersion || is_map != (kind_of_pass == EntryKind::kRequest)) return absl::OkStatus();
    const absl::StatusOr<EntryPtr> entry = InspectEntry(root, info.key);
    if (!entry.ok()) return absl::OkStatus();
    if (is_map) {
      const absl::StatusOr<Digest> source = SourceOf(**entry);
      if (!source.ok() || !sources.contains(*source)) return absl::OkStatus();
    } else {
      if (!HasAll(**entry, fields)) return absl::OkStatus();
      sources.insert(info.key.digest);
    }
    KILN_ASSIGN_OR_RETURN(std::string bytes, EncodeEntry(**entry));
    collected.push_back(std::move(bytes));
    return absl::OkStatus();
  };
  // Binaries first: they say which maps are wanted.
  for (const EntryKind kind : {EntryKind::kBinary, EntryKind::kRequest}) {
    absl::Status status;
    KILN_RETURN_IF_ERROR(ListEntries(root, "", [&](const EntryInfo& info) { status.Update(visit(kind, info)); }));
    KILN_RETURN_IF_ERROR(status);
  }
  return collected;
}

absl::StatusOr<std::vector<std::string>> CollectEntries(const std::vector<std::shared_ptr<const Bundle>>& bundles) {
  std::vector<std::string> collected;
  for (const std::shared_ptr<const Bundle>& bundle : bundles) {
    for (uint64_t i = 0; i < bundle->view().size(); ++i) {
      const absl::StatusOr<std::string_view> bytes = bundle->view().Bytes(bundle->view().Row(i));
      if (!bytes.ok()) {
        return absl::DataLossError(absl::StrCat(bundle->path(), ": ", bytes.status().message()));
      }
      collected.emplace_back(*bytes);
    }
  }
  return collected;
}

absl::Status WriteBundleFile(FileOps* ops, const std::string& path, const std::string& bytes) {
  const std::string fresh = path + ".new";
  ops->UnlinkAt(AT_FDCWD, fresh.c_str(), 0);
  FileHandle file = OpenFile(ops, AT_FDCWD, fresh, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (!file.ok()) return SystemError(absl::StrCat("cache bundle: open ", fresh), file.error());
  int error = WriteWhole(ops, file.fd(), bytes);
  if (error == 0) error = ops->FSync(file.fd());
  if (const int closed = file.Close(); error == 0) error = closed;
  if (error == 0) error = ops->RenameNoReplaceAt(AT_FDCWD, fresh.c_str(), AT_FDCWD, path.c_str());
  if (error == 0) return absl::OkStatus();
  ops->UnlinkAt(AT_FDCWD, fresh.c_str(), 0);
  if (error == -EEXIST) {
    return absl::AlreadyExistsError(
        absl::StrCat("cache bundle: ", path, ": expected no such file, found one: name another, or remove it"));
  }
  return SystemError(absl::StrCat("cache bundle: write ", path), error);
}

std::vector<std::string> VerifyBundle(const Bundle& bundle) {
  std::vector<std::string> problems;
  for (uint64_t i = 0; i < bundle.view().size(); ++i) {
    const BundleRow row = bundle.view().Row(i);
    const absl::StatusOr<Entry> entry = bundle.view().Read(row);
    if (!entry.ok()) {
      problems.push_back(absl::StrCat(Name(row.key.kind), " ", row.key.digest.ToHex(), ": ", entry.status().message()));
    }
  }
  return problems;
}

}  // namespace kiln::cache
