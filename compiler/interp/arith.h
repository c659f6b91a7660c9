// Operators and functions on arrays of slots: one meaning for tiles, vectors and scalars at every level.
#ifndef KILN_COMPILER_INTERP_ARITH_H_
#define KILN_COMPILER_INTERP_ARITH_H_

#include <cstdint>

#include "compiler/expr/expr.h"
#include "compiler/interp/element.h"

namespace kiln::interp {

// Null when all went well, else what was wrong with an operand, in plain words.
using Fault = const char*;

// `dtype` is what the operator computes in, and what its operands already are; comparisons give bools, all others
// `dtype`. Strides are 0 (the one value for all) or 1.
Fault ApplyBinary(Op op, DType dtype, const Slot* a, int a_stride, const Slot* b, int b_stride, int64_t count,
                  Slot* out);
Fault ApplyUnary(Op op, DType dtype, const Slot* a, int64_t count, Slot* out);
// kMath. `operands` has 1 to 3 arrays of `count`; kIsNan gives bools.
Fault ApplyMath(Op op, DType dtype, const Slot* const* operands, int64_t count, Slot* out);

bool IsComparison(Op op);
int MathArity(Op op);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_ARITH_H_
