// `kiln cache bundle`: many entries in one file, to be shipped with a model.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "api/cache_view.h"
#include "kiln/internal/status_macros.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/files.h"
#include "tools/kiln/report.h"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;
using cache::Bundle;

// Relative to the working directory, where the cache takes absolute paths only; a name such as "model.kbundle" serves.
absl::StatusOr<std::shared_ptr<const Bundle>> Open(const std::string& path, const BundleFlags& flags) {
  std::vector<cache::PublicKey> trusted;
  for (const std::string& hex : flags.keys) {
    const std::optional<cache::PublicKey> key = cache::PublicKey::FromHex(hex);
    if (!key.has_value())
      return absl::InvalidArgumentError(absl::StrCat("bundle: key: expected 64 hexadecimal digits, got \"", hex, "\""));
    trusted.push_back(*key);
  }
  return Bundle::Open({.path = path}, trusted);
}

absl::StatusOr<std::optional<cache::SigningKey>> Signer(const BundleFlags& flags) {
  std::optional<cache::SigningKey> signer;
  if (flags.sign.empty()) return signer;
  struct stat info;
  if (stat(flags.sign.c_str(), &info) == 0 && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return absl::PermissionDeniedError(
        absl::StrFormat("bundle: %s: expected a secret that only its owner can read, found mode %04o: chmod go= it",
                        flags.sign, info.st_mode & 07777));
  KILN_ASSIGN_OR_RETURN(const std::string text, ReadFile(flags.sign));
  signer = cache::SigningKey::FromHex(std::string(absl::StripTrailingAsciiWhitespace(text)));
  if (!signer.has_value())
    return absl::InvalidArgumentError(
        absl::StrCat("bundle: ", flags.sign, ": expected a key as `kiln cache bundle keygen` makes it, got another"));
  return signer;
}

absl::StatusOr<int> Write(const std::vector<std::string>& entries, const BundleFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const std::optional<cache::SigningKey> signer, Signer(flags));
  KILN_ASSIGN_OR_RETURN(const std::string bytes, cache::EncodeBundle(entries, signer.has_value() ? &*signer : nullptr));
  KILN_RETURN_IF_ERROR(cache::WriteBundleFile(cache::PosixFileOps(), flags.file, bytes));
  KILN_ASSIGN_OR_RETURN(const auto bundle, Open(flags.file, {}));
  if (flags.json) {
    Print(Json{{"entries", bundle->view().size()}, {"bytes", bytes.size()}}.dump() + "\n");
  } else {
    Print(absl::StrCat(bundle->view().size(), " entries, ", bytes.size(), " bytes\n"));
  }
  return kDone;
}

absl::StatusOr<int> Create(const BundleFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const api::CacheView view, api::OpenCacheView(flags.dir));
  KILN_ASSIGN_OR_RETURN(const std::vector<std::string> entries, cache::CollectEntries(view.root.get(), flags.where));
  if (entries.empty())
    return absl::NotFoundError(absl::StrCat("bundle: ", view.root->path(), " holds no entry with these fields"));
  return Write(entries, flags);
}

absl::StatusOr<int> Merge(const BundleFlags& flags) {
  std::vector<std::shared_ptr<const Bundle>> bundles;
  for (const std::string& path : flags.from) {
    KILN_ASSIGN_OR_RETURN(auto bundle, Open(path, flags));
    bundles.push_back(std::move(bundle));
  }
  KILN_ASSIGN_OR_RETURN(const std::vector<std::string> entries, cache::CollectEntries(bundles));
  return Write(entries, flags);
}

absl::StatusOr<int> List(const BundleFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const auto bundle, Open(flags.file, flags));
  Json all = Json::array();
  for (uint64_t i = 0; i < bundle->view().size(); ++i) {
    const cache::BundleRow row = bundle->view().Row(i);
    const absl::StatusOr<cache::Entry> entry = bundle->view().Read(row);
    const std::map<std::string, std::string> fields = entry.ok() ? entry->fields : std::map<std::string, std::string>();
    if (flags.json) {
      all.push_back({{"kind", cache::Name(row.key.kind)},
                     {"digest", row.key.digest.ToHex()},
                     {"bytes", row.bytes},
                     {"damaged", !entry.ok()},
                     {"fields", fields}});
      continue;
    }
    Print(absl::StrFormat("%-8s %s %10d", cache::Name(row.key.kind), row.key.digest.ToHex(), row.bytes));
    for (const char* field : {"kernel", "arch", "config"}) {
      const auto it = fields.find(field);
      if (it != fields.end()) Print(absl::StrCat("  ", it->second));
    }
    Print(entry.ok() ? "\n" : "  damaged\n");
  }
  if (flags.json) Print(all.dump() + "\n");
  return kDone;
}

absl::StatusOr<int> Verify(const BundleFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const auto bundle, Open(flags.file, flags));
  const std::vector<std::string> problems = cache::VerifyBundle(*bundle);
  const absl::StatusOr<cache::PublicKey> signer = bundle->view().Signer();
  if (flags.json) {
    Print(Json{{"entries", bundle->view().size()},
               {"damaged", problems},
               {"signer", signer.ok() ? Json(signer->ToHex()) : Json(nullptr)}}
              .dump() +
          "\n");
  } else {
    for (const std::string& problem : problems) Print(absl::StrCat("damaged: ", problem, "\n"));
    Print(absl::StrCat(bundle->view().size() - problems.size(), " valid, ", problems.size(), " damaged, ",
                       signer.ok() ? absl::StrCat("signed by ", signer->ToHex()) : "not signed", "\n"));
  }
  return problems.empty() ? kDone : kFailed;
}

absl::StatusOr<int> KeyGen(const BundleFlags& flags) {
  const cache::SigningKey key = cache::SigningKey::Generate();
  const std::string text = key.ToHex() + "\n";
  // Never over another key, and never readable by others for a moment.
  const int fd = open(flags.file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("bundle: ", flags.file));
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(fd) != 0 || !written) return absl::ErrnoToStatus(errno, absl::StrCat("bundle: ", flags.file));
  if (flags.json) {
    Print(Json{{"public_key", key.public_key().ToHex()}}.dump() + "\n");
  } else {
    Print(key.public_key().ToHex() + "\n");
  }
  return kDone;
}

absl::StatusOr<int> Do(const BundleFlags& flags) {
  if (flags.action == "create") return Create(flags);
  if (flags.action == "merge") return Merge(flags);
  if (flags.action == "list") return List(flags);
  if (flags.action == "verify") return Verify(flags);
  return KeyGen(flags);
}

}  // namespace

int BundleCommand(const BundleFlags& flags) {
  const absl::StatusOr<int> code = Do(flags);
  return code.ok() ? *code : Fail(code.status());
}

}  // namespace kiln::tool
