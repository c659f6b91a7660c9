#include "cache/explain_miss.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cache/inventory.h"
#include "cache/key_map.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cache {
namespace {

using Factor = std::pair<std::string, std::string>;  // Name and value.

// What stands in several lines of a request, told apart by the word that follows.
bool HasSecondName(const std::string& word) { return word == "config" || word == "space"; }

Factor FactorOf(const std::string& line) {
  size_t end = line.find(' ');
  if (end != std::string::npos && HasSecondName(line.substr(0, end))) end = line.find(' ', end + 1);
  if (end == std::string::npos) return {line, ""};
  return {line.substr(0, end), line.substr(end + 1)};
}

std::vector<Factor> FactorsOf(const std::string& text) {
  std::vector<Factor> factors;
  int kernel_line = -1;  // Before the kernel.
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    if (kernel_line >= 0) {
      factors.emplace_back(absl::StrCat("kernel line ", ++kernel_line), line);
    } else if (line == "kernel") {
      kernel_line = 0;
    } else if (!line.empty()) {
      factors.push_back(FactorOf(line));
    }
  }
  return factors;
}

}  // namespace

std::vector<Difference> DiffRequests(const std::string& here, const std::string& there) {
  std::vector<Difference> differences;
  const std::vector<Factor> theirs = FactorsOf(there);
  std::map<std::string, std::string> left(theirs.begin(), theirs.end());
  for (const auto& [name, value] : FactorsOf(here)) {
    const auto it = left.find(name);
    if (it == left.end()) {
      differences.push_back({name, value, ""});
      continue;
    }
    if (it->second != value) differences.push_back({name, value, it->second});
    left.erase(it);
  }
  for (const auto& [name, value] : theirs) {
    if (left.contains(name)) differences.push_back({name, "", value});
  }
  return differences;
}

absl::StatusOr<MissReport> ExplainMiss(RootDir* root, const Key& request, const std::string& text) {
  MissReport report;
  KILN_RETURN_IF_ERROR(ListEntries(root, "", [&](const EntryInfo& info) {
    if (info.key.kind != EntryKind::kRequest || info.version > kFormatVersion) return;
    const absl::StatusOr<EntryPtr> entry = InspectEntry(root, info.key);
    if (!entry.ok()) return;
    ++report.requests;
    if (info.key == request) {
      report.has_request = true;
      const absl::StatusOr<Digest> source = SourceOf(**entry);
      report.has_binary = source.ok() && InspectEntry(root, {EntryKind::kBinary, *source}).ok();
      return;
    }
    Nearest other = {info.key, info.last_used, DiffRequests(text, (*entry)->request)};
    const bool nearer =
        !report.nearest.has_value() || other.differences.size() < report.nearest->differences.size() ||
        (other.differences.size() == report.nearest->differences.size() && other.last_used > report.nearest->last_used);
    if (nearer) report.nearest = std::move(other);
  }));
  return report;
}

std::string InWords(const Difference& difference) {
  const auto quoted = [](const std::string& value) { return value.empty() ? "nothing" : value; };
  return absl::StrCat(difference.factor, ": ", quoted(difference.here), " here, ", quoted(difference.there), " there");
}

}  // namespace kiln::cache
