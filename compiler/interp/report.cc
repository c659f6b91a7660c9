#include "compiler/interp/report.h"

#include "compiler/support/str_cat.h"

namespace kiln::interp {

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

}  // namespace kiln::interp
