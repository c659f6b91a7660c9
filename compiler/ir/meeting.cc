#include "compiler/ir/meeting.h"

#include "compiler/support/str_cat.h"

namespace kiln::ir {

std::string Place(const Location& at) { return at.line > 0 ? StrCat(at.line, ":", at.column, ": ") : ""; }

std::string Ranges(absl::Span<const int64_t> numbers) {
  std::string text;
  for (size_t k = 0; k < numbers.size();) {
    size_t last = k;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    StrAppend(&text, text.empty() ? "" : ", ", numbers[k]);
    if (last > k) StrAppend(&text, last == k + 1 ? ", " : "..", numbers[last]);
    k = last + 1;
  }
  return text;
}

std::string MeetingText(const Meeting& meeting) {
  const char* threads = meeting.lanes ? "lanes" : "threads";
  size_t missing = meeting.missing.size();
  std::string text =
      StrCat(Place(meeting.at), meeting.operation, " needs all ", meeting.total, " ", threads, " of ", meeting.team,
             "; ", missing, missing == 1 ? " is" : " are", " missing: ", threads, " ", Ranges(meeting.missing));
  if (meeting.branched) {
    StrAppend(&text, "; they ", meeting.why, " ");
    const Location& branch = meeting.branch;
    StrAppend(&text, branch.line > 0 ? StrCat("at ", branch.line, ":", branch.column) : std::string("around it"));
  }
  for (const Meeting::Elsewhere& other : meeting.elsewhere) {
    if (other.operation.empty()) continue;
    StrAppend(&text, "; ", Ranges(other.who), other.who.size() == 1 ? " waits at " : " wait at ", other.operation);
    if (other.at.line > 0) StrAppend(&text, " at ", other.at.line, ":", other.at.column);
  }
  return text;
}

}  // namespace kiln::ir
