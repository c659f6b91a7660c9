// Typing: gives every expression its type, and makes every conversion an explicit cast.
//
// Rules (docs/language.md, docs/numerics.md): narrow floats are read as f32 by any operator or function; small integers
// as 32-bit; literals take the type of what they meet; tiles broadcast where an extent is 1 and ranks agree; index
// arithmetic is i64.
#ifndef KILN_COMPILER_SPECIALIZE_TYPE_H_
#define KILN_COMPILER_SPECIALIZE_TYPE_H_

#include "absl/status/status.h"
#include "compiler/expr/facts.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// Types the body, launch, conditions and strides of `kernel` in place. REQUIRES: metas bound, inline calls and views
// resolved. Errors: InvalidArgument, naming the kernel, the place, what was expected and what was found.
absl::Status TypeKernel(ir::Kernel& kernel, const Facts& facts);

// The dtype arithmetic on `dtype` is done in.
DType ArithmeticType(DType dtype);

// `e` as `dtype`: literals are converted, anything else is cast. `e` must be typed.
Expr ConvertTo(const Expr& e, DType dtype);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_TYPE_H_
