// Narrow floats to f32 and back, by integer arithmetic that every host has, or by the CPU's own instruction for f16.
//
// A narrow value is held as its bits in an integer of its width. To narrow: one rounding to nearest even; fp8 saturates
// finite values (docs/numerics.md names what becomes of infinities and NaN).
#ifndef KILN_COMPILER_CODEGEN_LLVM_CONVERT_H_
#define KILN_COMPILER_CODEGEN_LLVM_CONVERT_H_

#include <string>

#include "compiler/codegen/llvm/lanes.h"
#include "kiln/internal/dtype.h"

namespace kiln::llvm_text {

// f16, bf16, tf32 (held as a float), f8e4m3, f8e5m2, f8e8m0.
bool HasConversion(DType dtype);

std::string EmitToF32(Lanes& v, DType from, const std::string& bits, bool native_f16);
std::string EmitFromF32(Lanes& v, DType to, const std::string& value, bool native_f16);

// f64 to f32 by rounding to odd: a second rounding, to any narrower float, then gives what one rounding would have.
std::string EmitRoundToOdd(Lanes& v, const std::string& value);

}  // namespace kiln::llvm_text

#endif  // KILN_COMPILER_CODEGEN_LLVM_CONVERT_H_
