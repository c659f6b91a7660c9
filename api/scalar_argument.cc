#include "api/scalar_argument.h"

#include <bit>
#include <cmath>

namespace kiln::api {
namespace {

// A float of `fraction` stored bits, least exponent `min_exponent` and the bias that goes with it; from a double
// directly, since going through f32 would round twice.
uint16_t NarrowBits(double value, int fraction, int exponent_bits) {
  const uint64_t wide = std::bit_cast<uint64_t>(value);
  const uint16_t sign = static_cast<uint16_t>(wide >> 63 << 15);
  const uint16_t infinity = static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | infinity | 1 << (fraction - 1));
  if (std::isinf(value)) return static_cast<uint16_t>(sign | infinity);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - bias) exponent = 1 - bias;
  // In units of the last place, at most 2^(fraction + 1): exact in a double, so rint rounds once, to nearest even.
  const uint32_t units = static_cast<uint32_t>(std::rint(std::ldexp(magnitude, fraction - exponent)));
  // Counting units up from the start of the exponent's range carries into the exponent by itself.
  const uint32_t bits = (static_cast<uint32_t>(exponent + bias - 1) << fraction) + units;
  return static_cast<uint16_t>(sign | (bits < infinity ? bits : infinity));
}

}  // namespace

bool ScalarFromDouble(double value, DType dtype, uint64_t* bits) {
  switch (dtype) {
    case DType::kF64:
      *bits = std::bit_cast<uint64_t>(value);
      return true;
    case DType::kF32:
    case DType::kTF32:
      *bits = std::bit_cast<uint32_t>(static_cast<float>(value));
      return true;
    case DType::kF16:
      *bits = NarrowBits(value, 10, 5);
      return true;
    case DType::kBF16:
      *bits = NarrowBits(value, 7, 8);
      return true;
    default:
      return false;
  }
}

bool ScalarFromInt(int64_t value, DType dtype, uint64_t* bits) {
  if (dtype == DType::kBool) {
    *bits = static_cast<uint64_t>(value);
    return value == 0 || value == 1;
  }
  const int width = Bits(dtype);
  if (IsSigned(dtype)) {
    const int64_t high = width == 64 ? INT64_MAX : (int64_t{1} << (width - 1)) - 1;
    *bits = static_cast<uint64_t>(value) & (width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1);
    return value >= -high - 1 && value <= high;
  }
  if (IsUnsigned(dtype)) {
    *bits = static_cast<uint64_t>(value);
    return value >= 0 && (width == 64 || value < int64_t{1} << width);
  }
  // An integer is exact in a float when it needs no more bits, from its first to its last, than the float's fraction.
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const int needed = magnitude == 0 ? 0 : 64 - std::countl_zero(magnitude) - std::countr_zero(magnitude);
  int precision = 24;
  if (dtype == DType::kF64) precision = 53;
  if (dtype == DType::kF16 || dtype == DType::kTF32) precision = 11;
  if (dtype == DType::kBF16) precision = 8;
  if (needed > precision || (dtype == DType::kF16 && magnitude > 65504)) return false;
  return ScalarFromDouble(static_cast<double>(value), dtype, bits);
}

}  // namespace kiln::api
