// Exact scalar arithmetic: what one element of each dtype is, and what one operation on it gives.
//
// This is the contract of docs/numerics.md in code. Constant folding, the interpreter and the tests call it; backends
// emit what agrees with it. Integers of every dtype travel as int64_t (u64 by its bit pattern, bool as 0 or 1), floats
// of every dtype as the double that equals them. Every function is total and pure: what the language leaves undefined
// (a division by zero, a shift by the width or more) is std::nullopt.
#ifndef KILN_COMPILER_SUPPORT_SCALAR_MATH_H_
#define KILN_COMPILER_SUPPORT_SCALAR_MATH_H_

#include <cstdint>
#include <optional>

#include "kiln/internal/dtype.h"

namespace kiln::scalar {

// A binary float format narrower than f64.
struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  bool has_inf = false;  // f16, bf16, tf32, f32 and f8e5m2 have one
  bool has_nan = false;
  bool saturates = false;  // Values past the largest finite one, infinities included, become it
  double max = 0;          // The largest finite value
};
// REQUIRES: a float dtype other than f64 and f8e8m0.
const FloatFormat& FormatOf(DType dtype);

// The value of a stored pattern (the low Bits(dtype) bits count). REQUIRES: a float dtype.
double DecodeFloat(DType dtype, uint64_t pattern);

// The pattern of `value` rounded once to the nearest, ties to even. Past the largest finite value f16, bf16, tf32 and
// f32 give an infinity, the fp8 and fp4 formats their largest value. A NaN becomes the format's quiet NaN, positive, or
// 6.0 in f4e2m1, which has none. f8e8m0 has powers of two alone: the nearest one (midpoints to the even code), 2^-127
// for what is smaller, 2^127 for what is larger, NaN for a NaN and for negative values. REQUIRES: a float dtype.
uint64_t EncodeFloat(DType dtype, double value);

// The nearest value of the dtype: DecodeFloat(EncodeFloat(value)), quicker for f32 and f64.
double RoundTo(DType dtype, double value);

// The value congruent to `value` modulo 2^Bits(dtype), in the dtype's own form. Of a bool: value != 0.
int64_t Wrap(DType dtype, int64_t value);

// As Wrap, of a stored pattern and back.
inline int64_t DecodeInteger(DType dtype, uint64_t pattern) { return Wrap(dtype, static_cast<int64_t>(pattern)); }

// Casts. Float to integer: to the nearest, ties to even, saturating at the dtype's limits; NaN gives 0. Float to bool:
// value != 0, true for NaN. Integer to float: one rounding, from 64 bits, whatever the format.
int64_t FloatToInteger(DType to, double value);
double IntegerToFloat(DType to, DType from, int64_t value);

// Division toward minus infinity, its remainder (which has the divisor's sign) and division toward plus infinity.
// Operands are of `dtype`; the result wraps (the least i32 / -1 is itself). nullopt: the divisor is zero.
std::optional<int64_t> FloorDiv(DType dtype, int64_t a, int64_t b);
std::optional<int64_t> FloorMod(DType dtype, int64_t a, int64_t b);
std::optional<int64_t> CeilDiv(DType dtype, int64_t a, int64_t b);

// Left shifts wrap; right shifts are arithmetic for signed dtypes. nullopt: a count outside 0 .. Bits(dtype) - 1.
std::optional<int64_t> ShiftLeft(DType dtype, int64_t a, int64_t count);
std::optional<int64_t> ShiftRight(DType dtype, int64_t a, int64_t count);

// Order by the dtype's signedness.
bool Less(DType dtype, int64_t a, int64_t b);
int64_t Min(DType dtype, int64_t a, int64_t b);
int64_t Max(DType dtype, int64_t a, int64_t b);

// A number wins over a NaN; of two NaNs the result is one. -0 orders before +0.
double MinNumber(double a, double b);
double MaxNumber(double a, double b);

// To the nearest integer, ties to even.
double RoundHalfEven(double value);

// a * b + c with one rounding to `dtype` (f32 or f64).
double FusedMultiplyAdd(DType dtype, double a, double b, double c);

}  // namespace kiln::scalar

#endif  // KILN_COMPILER_SUPPORT_SCALAR_MATH_H_
