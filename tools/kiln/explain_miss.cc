// `kiln cache explain-miss`: why a kernel was not found.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "api/cache_view.h"
#include "kiln/internal/status_macros.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/kernel.h"
#include "tools/kiln/report.h"

namespace kiln::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string TimeText(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone()); }

Json ToJson(const cache::MissReport& report, const std::string& digest) {
  Json out = {{"digest", digest},
              {"hit", report.has_binary},
              {"known", report.has_request},
              {"requests", report.requests},
              {"nearest", nullptr}};
  if (!report.nearest.has_value()) return out;
  Json differences = Json::array();
  for (const cache::Difference& difference : report.nearest->differences)
    differences.push_back({{"factor", difference.factor}, {"here", difference.here}, {"there", difference.there}});
  out["nearest"] = {{"digest", report.nearest->key.digest.ToHex()},
                    {"used", TimeText(report.nearest->last_used)},
                    {"differences", differences}};
  return out;
}

void PrintText(const cache::MissReport& report, const std::string& digest) {
  if (report.has_binary) {
    Print(absl::StrCat("found: request ", digest, "\n"));
    return;
  }
  if (report.has_request) {
    Print(absl::StrCat("missed: request ", digest, " is known, but its binary is gone or damaged\n"));
    return;
  }
  Print(absl::StrCat("missed: request ", digest, "\n"));
  if (!report.nearest.has_value()) {
    Print("the cache knows no request at all\n");
    return;
  }
  Print(absl::StrCat("nearest of ", report.requests, ": ", report.nearest->key.digest.ToHex(), ", used ",
                     TimeText(report.nearest->last_used), "\n"));
  if (report.nearest->differences.empty()) Print("  the same request, by another build of Kiln's compiler\n");
  for (const cache::Difference& difference : report.nearest->differences)
    Print(absl::StrCat("  ", cache::InWords(difference), "\n"));
}

absl::StatusOr<int> Do(const ExplainMissFlags& flags) {
  KILN_ASSIGN_OR_RETURN(const std::shared_ptr<api::Session> session, OpenSession());
  KILN_ASSIGN_OR_RETURN(const LoadedKernel loaded, Load(session.get(), flags.kernel));
  KILN_ASSIGN_OR_RETURN(CompileRequest request, api::MakeRequest(loaded.order));
  KILN_ASSIGN_OR_RETURN(const api::KeyedRequest keyed, session->KeyOf(&request));
  KILN_ASSIGN_OR_RETURN(const api::CacheView view, api::OpenCacheView(flags.dir));
  KILN_ASSIGN_OR_RETURN(const cache::MissReport report, cache::ExplainMiss(view.root.get(), keyed.key, keyed.text));
  const std::string digest = keyed.key.digest.ToHex();
  if (flags.json) {
    Print(ToJson(report, digest).dump() + "\n");
  } else {
    PrintText(report, digest);
  }
  return kDone;
}

}  // namespace

int ExplainMiss(const ExplainMissFlags& flags) {
  const absl::StatusOr<int> code = Do(flags);
  return code.ok() ? *code : Fail(code.status());
}

}  // namespace kiln::tool
