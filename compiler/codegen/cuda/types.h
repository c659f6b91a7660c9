// C++ types of dtypes, and the types of native expressions that carry none.
#ifndef KILN_COMPILER_CODEGEN_CUDA_TYPES_H_
#define KILN_COMPILER_CODEGEN_CUDA_TYPES_H_

#include <functional>
#include <string_view>

#include "compiler/expr/expr.h"

namespace kiln::cuda {

// "float", "long long", "bf16" (a struct of the prelude).
std::string_view CType(DType dtype);

// Narrow floats and everything under 32 bits: in registers they are packed into 32-bit words.
inline bool IsPacked(DType dtype) { return IsNarrowFloat(dtype) || Bits(dtype) < 32; }
inline int PerWord(DType dtype) { return 32 / Bits(dtype); }

// The dtype that arithmetic on both gives: f32 for narrow floats, i32 for narrow integers, the wider one else, of equal
// widths the unsigned one; a float wins over an integer.
DType Promote(DType a, DType b);

// `e` with a type on every node: those of scalar leaves by `type_of` (a variable's, a tensor element's), the others by
// the rules of docs/numerics.md. Types that are there stay.
Expr WithTypes(const Expr& e, const std::function<Type(const Node& leaf)>& type_of);

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_CODEGEN_CUDA_TYPES_H_
