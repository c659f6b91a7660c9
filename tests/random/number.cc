#include "tests/random/number.h"

#include <algorithm>
#include <cmath>

namespace kiln::testing {
namespace {

// Adds the rounding of one operation where the result may need more bits than its dtype has.
Number Rounded(Number a) {
  if (!IsFloat(a.dtype)) return a;
  const double units = a.most / std::ldexp(1.0, a.grain);
  if (a.error > 0 || units > std::ldexp(1.0, Precision(a.dtype)))
    a.error += a.most * std::ldexp(1.0, -Precision(a.dtype));
  return a;
}

// Integers wrap: whatever the operands, the result is one of the dtype's.
Number Wrapped(Number a) {
  if (IsInteger(a.dtype) && a.most > Limit(a.dtype)) a.most = Limit(a.dtype);
  return a;
}

}  // namespace

int Precision(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 53;
    case DType::kF32:
      return 24;
    case DType::kF16:
      return 11;
    case DType::kBF16:
      return 8;
    case DType::kF8E4M3:
      return 4;
    case DType::kF8E5M2:
      return 3;
    default:
      return Bits(dtype);
  }
}

double Limit(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kF32:
    case DType::kBF16:
      return 0x1p100;
    case DType::kF16:
      return 60000;
    case DType::kF8E4M3:
      return 448;
    case DType::kF8E5M2:
      return 57344;
    case DType::kBool:
      return 1;
    default:
      return std::ldexp(1.0, Bits(dtype) - (IsSigned(dtype) ? 1 : 0));
  }
}

Number Whole(DType dtype, double most) { return {dtype, std::min(most, Limit(dtype)), 0, 0}; }

Number Either(const Number& a, const Number& b) {
  return {a.dtype, std::max(a.most, b.most), std::min(a.grain, b.grain), std::max(a.error, b.error)};
}

Number Widened(const Number& a) {
  Number out = a;
  if (IsNarrowFloat(a.dtype)) out.dtype = DType::kF32;
  if (IsInteger(a.dtype) && Bits(a.dtype) < 32) out.dtype = DType::kI32;
  return out;
}

DType Meeting(DType a, DType b) {
  if (a == b) return a;
  if (IsFloat(a) && IsFloat(b)) return DType::kF64;
  if (IsFloat(a)) return a;
  if (IsFloat(b)) return b;
  if (IsSigned(a) == IsSigned(b)) return Bits(a) > Bits(b) ? a : b;
  return (IsUnsigned(a) ? a : b) == DType::kU32 ? DType::kI64 : DType::kNone;
}

Number Sum(const Number& a, const Number& b) {
  return Wrapped(Rounded({a.dtype, a.most + b.most, std::min(a.grain, b.grain), a.error + b.error}));
}

Number Product(const Number& a, const Number& b) {
  return Wrapped(
      Rounded({a.dtype, a.most * b.most, a.grain + b.grain, a.most * b.error + b.most * a.error + a.error * b.error}));
}

Number Smooth(const Number& a, double most, double slope, double bound) {
  return {a.dtype, most, -60, slope * a.error + bound + most * std::ldexp(1.0, -Precision(a.dtype))};
}

Number Stored(const Number& a, DType dtype) {
  Number out = a;
  out.dtype = dtype;
  if (dtype == DType::kBool) return {dtype, 1, 0, 0};
  if (IsInteger(dtype)) {
    out.grain = 0;
    out.most = std::min(std::ceil(a.most), Limit(dtype));
    return out;
  }
  // The nearest value of the dtype may be larger than the value, by one part in 2^precision at most.
  out.most = std::min(a.most * (1 + std::ldexp(1.0, -Precision(dtype))), Limit(dtype));
  if (IsInteger(a.dtype)) out.grain = 0;
  if (a.error > 0) out.error += out.most * std::ldexp(1.0, -Precision(dtype));
  return out;
}

}  // namespace kiln::testing
