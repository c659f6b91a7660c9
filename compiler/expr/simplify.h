// Simplify: index arithmetic as a person would write it.
//
// Sums become one linear form with constants last; `/` and `%` by constants lose every part that ranges and divisors
// decide; comparisons, minima and selections that are decided go away. Integer results are the same for all values
// within `facts` (expressions whose values leave their type wrap, and are left alone unless their range excludes it).
// Floats are not reassociated. Thread-safe, deterministic.
#ifndef KILN_COMPILER_EXPR_SIMPLIFY_H_
#define KILN_COMPILER_EXPR_SIMPLIFY_H_

#include "compiler/expr/expr.h"
#include "compiler/expr/facts.h"

namespace kiln {

Expr Simplify(const Expr& e, const Facts& facts);

// True when a - b simplifies to zero.
bool ProveEqual(const Expr& a, const Expr& b, const Facts& facts);

}  // namespace kiln

#endif  // KILN_COMPILER_EXPR_SIMPLIFY_H_
