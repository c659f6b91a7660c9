// Simplification of statements: index arithmetic with what loops, lets, branches and assumptions prove; branches that
// cannot run go away.
#ifndef KILN_COMPILER_SPECIALIZE_SIMPLIFY_BODY_H_
#define KILN_COMPILER_SPECIALIZE_SIMPLIFY_BODY_H_

#include "compiler/expr/facts.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// Runs on typed kernels, before and after lowering. Integer lets whose value is a literal or a plain name are replaced
// by it.
ir::Block SimplifyBody(const ir::Block& block, const Facts& facts);

// `facts` with what `condition` proves when it holds.
Facts Assuming(const Expr& condition, Facts facts);

// `facts` with the range and divisor of a loop variable, or of an immutable integer.
void AddLoopFact(const ir::StmtNode& loop, Facts& facts);
void AddLetFact(const ir::StmtNode& let, Facts& facts);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_SIMPLIFY_BODY_H_
