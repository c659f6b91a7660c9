// `kiln cache`: the disk cache from outside.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "api/cache_view.h"
#include "kiln/internal/status_macros.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/report.h"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const cache::EntryInfo& info) {
  return {{"kind", cache::Name(info.key.kind)},
          {"digest", info.key.digest.ToHex()},
          {"bytes", info.bytes},
          {"used", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", info.last_used, absl::UTCTimeZone())}};
}

absl::StatusOr<int> Stats(cache::RootDir* root, bool json) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> kinds;  // Entries, bytes
  uint64_t entries = 0, bytes = 0;
  KILN_RETURN_IF_ERROR(cache::ListEntries(root, "", [&](const cache::EntryInfo& info) {
    auto& [kind_entries, kind_bytes] = kinds[cache::Name(info.key.kind)];
    ++kind_entries;
    kind_bytes += info.bytes;
    ++entries;
    bytes += info.bytes;
  }));
  const std::string network(cache::NetworkFileSystemAt(root->path()));
  if (json) {
    Json out = {{"directory", root->path()},
                {"network", network},
                {"entries", entries},
                {"bytes", bytes},
                {"kinds", Json::object()}};
    for (const auto& [kind, sum] : kinds) out["kinds"][kind] = {{"entries", sum.first}, {"bytes", sum.second}};
    Print(out.dump() + "\n");
    return kDone;
  }
  Print(absl::StrFormat("directory  %s\n", root->path()));
  if (!network.empty()) Print(absl::StrFormat("network    %s\n", network));
  Print(absl::StrFormat("entries    %d\nbytes      %d\n", entries, bytes));
  for (const auto& [kind, sum] : kinds)
    Print(absl::StrFormat("  %-9s%d entries, %d bytes\n", kind, sum.first, sum.second));
  return kDone;
}

absl::StatusOr<int> List(cache::RootDir* root, bool json) {
  Json all = Json::array();
  KILN_RETURN_IF_ERROR(cache::ListEntries(root, "", [&](const cache::EntryInfo& info) {
    if (json) {
      all.push_back(ToJson(info));
    } else {
      Print(absl::StrFormat("%-8s %s %10d  %s\n", cache::Name(info.key.kind), info.key.digest.ToHex(), info.bytes,
                            absl::FormatTime("%Y-%m-%d %H:%M:%S", info.last_used, absl::LocalTimeZone())));
    }
  }));
  if (json) Print(all.dump() + "\n");
  return kDone;
}

absl::StatusOr<int> Inspect(cache::RootDir* root, const CacheFlags& flags) {
  std::vector<cache::EntryInfo> found;
  KILN_RETURN_IF_ERROR(
      cache::ListEntries(root, flags.digest, [&](const cache::EntryInfo& info) { found.push_back(info); }));
  if (found.empty())
    return absl::NotFoundError(absl::StrCat("cache: no entry whose digest begins with ", flags.digest));
  if (found.size() > 1)
    return absl::InvalidArgumentError(absl::StrCat("cache: expected the digits to name one entry, got ", found.size()));
  KILN_ASSIGN_OR_RETURN(const cache::EntryPtr entry, cache::InspectEntry(root, found.front().key));
  if (flags.json) {
    Json out = ToJson(found.front());
    out["fields"] = entry->fields;
    out["payload_bytes"] = entry->payload.size();
    out["request"] = entry->request;
    Print(out.dump() + "\n");
    return kDone;
  }
  Print(absl::StrFormat("kind     %s\ndigest   %s\nfile     %d bytes\npayload  %d bytes\n",
                        cache::Name(entry->key.kind), entry->key.digest.ToHex(), found.front().bytes,
                        entry->payload.size()));
  for (const auto& [name, value] : entry->fields) Print(absl::StrFormat("%-8s %s\n", name, value));
  Print(absl::StrCat("\n", entry->request));
  if (!entry->request.empty() && entry->request.back() != '\n') Print("\n");
  return kDone;
}

absl::StatusOr<int> Verify(cache::RootDir* root, const CacheFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const cache::VerifyReport report, cache::VerifyEntries(root, flags.remove));
  const auto problems = [](const std::vector<cache::VerifyReport::Problem>& list) {
    Json out = Json::array();
    for (const auto& problem : list) out.push_back({{"path", problem.path}, {"reason", problem.reason}});
    return out;
  };
  if (flags.json) {
    Print(Json{{"valid", report.valid},
               {"later_version", report.later_version},
               {"damaged", problems(report.damaged)},
               {"removed", report.removed},
               {"unreadable", problems(report.unreadable)}}
              .dump() +
          "\n");
  } else {
    for (const auto& problem : report.damaged)
      Print(absl::StrCat("damaged: ", problem.path, ": ", problem.reason, "\n"));
    for (const auto& problem : report.unreadable)
      Print(absl::StrCat("unreadable: ", problem.path, ": ", problem.reason, "\n"));
    Print(absl::StrCat(report.valid, " valid, ", report.damaged.size(), " damaged, ", report.removed, " removed, ",
                       report.unreadable.size(), " unreadable, ", report.later_version, " of a later version\n"));
  }
  return report.damaged.size() == report.removed && report.unreadable.empty() ? kDone : kFailed;
}

absl::StatusOr<int> Gc(cache::RootDir* root, cache::SizeLimits limits, const CacheFlags& flags) {
  limits.max_bytes = flags.max_bytes.value_or(limits.max_bytes);
  limits.max_entries = flags.max_entries.value_or(limits.max_entries);
  KILN_ASSIGN_OR_RETURN(const cache::TrimReport report, cache::TrimEntries(root, limits, limits));
  if (flags.json) {
    Print(Json{{"entries", report.entries - report.removed_entries},
               {"bytes", report.bytes - report.removed_bytes},
               {"removed_entries", report.removed_entries},
               {"removed_bytes", report.removed_bytes},
               {"kept", report.kept}}
              .dump() +
          "\n");
  } else {
    Print(absl::StrCat("removed ", report.removed_entries, " of ", report.entries, " entries, ", report.removed_bytes,
                       " of ", report.bytes, " bytes\n"));
    for (const std::string& kept : report.kept) Print(absl::StrCat("kept: ", kept, "\n"));
  }
  return report.kept.empty() ? kDone : kFailed;
}

absl::StatusOr<int> Clear(cache::RootDir* root, bool json) {
  KILN_ASSIGN_OR_RETURN(const cache::ClearReport report, cache::ClearEntries(root));
  if (json) {
    Print(Json{{"entries", report.entries}, {"bytes", report.bytes}, {"kept", report.kept}}.dump() + "\n");
  } else {
    Print(absl::StrCat("removed ", report.entries, " entries, ", report.bytes, " bytes\n"));
    for (const std::string& kept : report.kept) Print(absl::StrCat("kept: ", kept, "\n"));
  }
  return report.kept.empty() ? kDone : kFailed;
}

absl::StatusOr<int> Do(const CacheFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const api::CacheView view, api::OpenCacheView(flags.dir));
  cache::RootDir* root = view.root.get();
  if (flags.action == "stats") return Stats(root, flags.json);
  if (flags.action == "list") return List(root, flags.json);
  if (flags.action == "inspect") return Inspect(root, flags);
  if (flags.action == "verify") return Verify(root, flags);
  if (flags.action == "gc") return Gc(root, view.limits, flags);
  return Clear(root, flags.json);
}

}  // namespace

int Cache(const CacheFlags& flags) {
  const absl::StatusOr<int> code = Do(flags);
  return code.ok() ? *code : Fail(code.status());
}

}  // namespace kiln::tool
