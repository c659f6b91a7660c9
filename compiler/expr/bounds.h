// Ranges and divisors of integer expressions.
//
// Both are sound, never exact by promise: a range holds every value the expression can take, a divisor divides every
// one. Arithmetic is in 128 bits and saturates, so that no input overflows the analysis. Thread-safe.
#ifndef KILN_COMPILER_EXPR_BOUNDS_H_
#define KILN_COMPILER_EXPR_BOUNDS_H_

#include <cstdint>

#include "compiler/expr/expr.h"
#include "compiler/expr/facts.h"

namespace kiln {

struct Bounds {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;

  bool Within(int64_t lo, int64_t hi) const { return min >= lo && max <= hi; }
  bool IsConstant() const { return min == max; }
};

// Saturating; unbounded stays unbounded.
Bounds Sum(Bounds a, Bounds b);
Bounds Scaled(Bounds a, int64_t factor);

// The range of scalar integer or bool `e` (bools are 0 and 1); everything for what is not understood.
Bounds BoundsOf(const Expr& e, const Facts& facts);

// The largest divisor proven; 0 when `e` is the constant zero.
int64_t DivisorOf(const Expr& e, const Facts& facts);
inline bool IsMultipleOf(const Expr& e, int64_t d, const Facts& facts) {
  int64_t known = DivisorOf(e, facts);
  return known % d == 0;
}

enum class Proof { kUnknown, kTrue, kFalse };
Proof Prove(const Expr& condition, const Facts& facts);
// The same for a comparison of what lies in these ranges.
Proof ProveCompare(Op compare, Bounds a, Bounds b);

}  // namespace kiln

#endif  // KILN_COMPILER_EXPR_BOUNDS_H_
