#include "compiler/ir/nearest.h"

#include <algorithm>
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

// Optimal string alignment distance, by rows.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string DidYouMean(std::string_view name, const std::vector<std::string_view>& candidates) {
  const size_t limit = std::max<size_t>(1, name.size() / 3);
  size_t best = limit + 1;
  std::string_view nearest;
  for (std::string_view candidate : candidates) {
    size_t longer = std::max(name.size(), candidate.size()), shorter = std::min(name.size(), candidate.size());
    if (longer - shorter >= best) continue;
    size_t distance = Distance(name, candidate);
    // Replacing every letter is no resemblance.
    if (distance >= best || distance >= longer) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest.empty() ? "" : StrCat("; did you mean '", nearest, "'?");
}

}  // namespace kiln::ir
