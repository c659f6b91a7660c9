#include "compiler/toolchain/ptxas_log.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kiln {
namespace {

// The number that stands right before `unit`, as in "24 bytes stack frame, 8 bytes spill stores"; -1 when absent.
int64_t NumberBefore(absl::string_view line, absl::string_view unit) {
  size_t end = line.find(unit);
  if (end == absl::string_view::npos) return -1;
  absl::string_view head = absl::StripTrailingAsciiWhitespace(line.substr(0, end));
  size_t begin = head.find_last_not_of("0123456789");
  int64_t value = 0;
  absl::string_view digits = begin == absl::string_view::npos ? head : head.substr(begin + 1);
  return absl::SimpleAtoi(digits, &value) ? value : -1;
}

// The number that follows `word`, as in "used 1 barriers".
int64_t NumberAfter(absl::string_view line, absl::string_view word) {
  size_t begin = line.find(word);
  if (begin == absl::string_view::npos) return -1;
  absl::string_view tail = absl::StripLeadingAsciiWhitespace(line.substr(begin + word.size()));
  int64_t value = 0;
  return absl::SimpleAtoi(tail.substr(0, tail.find_first_not_of("0123456789")), &value) ? value : -1;
}

void AddTo(int64_t value, int64_t* total) {
  if (value >= 0) *total = (*total < 0 ? 0 : *total) + value;
}

bool IsFatal(absl::string_view line) {
  size_t code = line.find("(C75");
  return code != absl::string_view::npos && !absl::StartsWith(line.substr(code), "(C7519)");
}

}  // namespace

PtxasLog ParsePtxasLog(absl::string_view log, absl::string_view entry) {
  PtxasLog result;
  Resources& resources = result.resources;
  const std::string compiling = absl::StrCat("Compiling entry function '", entry, "'");
  bool in_entry = false;
  for (absl::string_view line : absl::StrSplit(log, '\n')) {
    if (IsFatal(line)) result.fatal.emplace_back(absl::StripAsciiWhitespace(line));
    if (absl::StrContains(line, "Compiling entry function")) in_entry = absl::StrContains(line, compiling);
    if (absl::StrContains(line, "bytes stack frame")) {
      AddTo(NumberBefore(line, "bytes stack frame"), &resources.stack_bytes);
      AddTo(NumberBefore(line, "bytes spill stores"), &resources.spill_bytes);
      AddTo(NumberBefore(line, "bytes spill loads"), &resources.spill_bytes);
    }
    if (!in_entry || !absl::StrContains(line, " registers")) continue;
    int64_t shared = NumberBefore(line, "bytes smem");
    resources.registers = static_cast<int>(NumberBefore(line, " registers"));
    resources.barriers = static_cast<int>(NumberAfter(line, "used"));
    resources.shared_bytes = shared < 0 ? 0 : shared;
  }
  return result;
}

}  // namespace kiln
