// Elementwise functions of f32 as polynomials: the bodies of the helpers that kernels call.
//
// Bounds, in units in the last place, over all finite inputs (docs/numerics.md states them): exp, exp2, log, log2,
// tanh, erf 2; sin and cos 2 of the unit below |x| = 2^30. Each is one sequence of operations for every lane count, so
// that an element gives the same bits in a vector and in a tail. exp and exp2 flush subnormal results to zero.
#ifndef KILN_COMPILER_CODEGEN_LLVM_MATH_FUNCTIONS_H_
#define KILN_COMPILER_CODEGEN_LLVM_MATH_FUNCTIONS_H_

#include <string>

#include "compiler/codegen/llvm/lanes.h"
#include "compiler/expr/expr.h"

namespace kiln::llvm_text {

bool HasPolynomial(Op op);

// The value of `op` at `x`. REQUIRES: HasPolynomial(op).
std::string EmitPolynomial(Lanes& v, Op op, const std::string& x);

}  // namespace kiln::llvm_text

#endif  // KILN_COMPILER_CODEGEN_LLVM_MATH_FUNCTIONS_H_
