// Bounded linear equations over digits: what injectivity and overlap come down to on one axis.
#ifndef KILN_COMPILER_LAYOUT_DIGIT_SEARCH_H_
#define KILN_COMPILER_LAYOUT_DIGIT_SEARCH_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln::layout {

enum class Decision : uint8_t { kNo, kYes, kUnknown };

struct Term {
  int64_t stride;
  int64_t low;  // The digit's bounds, both included.
  int64_t high;
};

struct DigitSolution {
  Decision decision = Decision::kUnknown;
  std::vector<int64_t> digits;  // One for each term, where the decision is yes.
};

// Digits within their bounds with sum of digit * stride = target. Largest strides first, cut off by what smaller ones
// can still reach and by their common divisor, so the strides of real layouts take a few steps. `budget` counts steps
// down; once spent, or where sums would leave 61 bits, the decision is unknown.
DigitSolution SolveDigits(const std::vector<Term>& terms, int64_t target, int64_t& budget);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_DIGIT_SEARCH_H_
