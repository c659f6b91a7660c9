#include "compiler/support/scalar_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace kiln::scalar {
namespace {

constexpr FloatFormat kF16 = {5, 10, 15, true, true, false, 65504.0};
constexpr FloatFormat kBF16 = {8, 7, 127, true, true, false, 0x1.fep127};
constexpr FloatFormat kTF32 = {8, 10, 127, true, true, false, 0x1.ffcp127};
constexpr FloatFormat kF32 = {8, 23, 127, true, true, false, 0x1.fffffep127};
constexpr FloatFormat kF8E4M3 = {4, 3, 7, false, true, true, 448.0};
constexpr FloatFormat kF8E5M2 = {5, 2, 15, true, true, true, 57344.0};
constexpr FloatFormat kF4E2M1 = {2, 1, 1, false, false, true, 6.0};

// A tf32 is the upper 19 bits of a word.
constexpr int kTF32Padding = 13;

uint64_t NanPattern(DType dtype, const FloatFormat& format) {
  if (dtype == DType::kF8E4M3) return 0x7f;  // All other patterns of the top exponent are numbers.
  uint64_t exponent = (uint64_t{1} << format.exponent_bits) - 1;
  uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
  return exponent << format.mantissa_bits | quiet;
}

// `value` is finite and not negative, at most format.max: the pattern without its sign.
uint64_t EncodeMagnitude(const FloatFormat& format, double value) {
  constexpr int kMantissa = 52, kBias = 1023;  // Of a double
  auto bits = std::bit_cast<uint64_t>(value);
  int exponent = static_cast<int>(bits >> kMantissa) - kBias;
  if (exponent == -kBias) return 0;  // Zero, or too small for any of the formats.
  uint64_t mantissa = (bits & ((uint64_t{1} << kMantissa) - 1)) | uint64_t{1} << kMantissa;
  int least = 1 - format.bias;  // Exponent of subnormal numbers
  int drop = kMantissa - format.mantissa_bits + std::max(0, least - exponent);
  if (drop > kMantissa + 1) return 0;  // Less than half of the least value.
  uint64_t kept = mantissa >> drop, rest = mantissa & ((uint64_t{1} << drop) - 1), half = uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && kept % 2 == 1)) ++kept;
  // A mantissa that rounded up to the next power of two carries into the exponent by itself.
  return exponent < least ? kept : (static_cast<uint64_t>(exponent - least) << format.mantissa_bits) + kept;
}

// The first value that no longer rounds to format.max.
double OverflowLimit(const FloatFormat& format) {
  return format.max + std::ldexp(0.5, std::ilogb(format.max) - format.mantissa_bits);
}

uint64_t EncodeE8M0(double value) {
  if (!(value >= 0)) return 0xff;
  if (value >= 0x1p127) return 0xfe;
  if (value <= 0x1p-127) return 0;
  int exponent = std::ilogb(value);
  double midpoint = std::ldexp(1.5, exponent);
  int code = exponent + 127;
  return static_cast<uint64_t>(value > midpoint || (value == midpoint && code % 2 == 1) ? code + 1 : code);
}

// The magnitude as a double whose last bit is odd where 53 bits did not hold it all, so that a later rounding to a
// narrower format is the rounding of the integer itself.
double RoundToOdd(uint64_t magnitude) {
  int excess = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 53);
  uint64_t kept = magnitude >> excess;
  if (kept << excess != magnitude) kept |= 1;
  return std::ldexp(static_cast<double>(kept), excess);
}

int64_t Limit(DType dtype, bool upper) {
  int bits = Bits(dtype);
  if (IsUnsigned(dtype)) return upper ? static_cast<int64_t>(~uint64_t{0} >> (64 - bits)) : 0;
  int64_t max = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
  return upper ? max : -max - 1;
}

}  // namespace

const FloatFormat& FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return kF16;
    case DType::kBF16:
      return kBF16;
    case DType::kTF32:
      return kTF32;
    case DType::kF8E4M3:
      return kF8E4M3;
    case DType::kF8E5M2:
      return kF8E5M2;
    case DType::kF4E2M1:
      return kF4E2M1;
    default:
      return kF32;
  }
}

double DecodeFloat(DType dtype, uint64_t pattern) {
  if (dtype == DType::kF64) return std::bit_cast<double>(pattern);
  if (dtype == DType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(pattern));
  if (dtype == DType::kTF32) {
    return std::bit_cast<float>(static_cast<uint32_t>(pattern) >> kTF32Padding << kTF32Padding);
  }
  if (dtype == DType::kBF16) return std::bit_cast<float>(static_cast<uint32_t>(pattern) << 16);
  if (dtype == DType::kF8E8M0) {
    pattern &= 0xff;
    return pattern == 0xff ? std::numeric_limits<double>::quiet_NaN()
                           : std::ldexp(1.0, static_cast<int>(pattern) - 127);
  }
  if (dtype == DType::kF16 && (pattern & 0x7c00) != 0 && (pattern & 0x7c00) != 0x7c00) {
    // The common case without a multiplication: f32 has the same fields, wider.
    auto wide = static_cast<uint32_t>((pattern & 0x8000) << 16 | ((pattern & 0x7fff) + (112 << 10)) << 13);
    return std::bit_cast<float>(wide);
  }
  const FloatFormat& format = FormatOf(dtype);
  uint64_t mantissa = pattern & ((uint64_t{1} << format.mantissa_bits) - 1);
  uint64_t top = (uint64_t{1} << format.exponent_bits) - 1;
  uint64_t exponent = pattern >> format.mantissa_bits & top;
  bool negative = pattern >> (format.mantissa_bits + format.exponent_bits) & 1;
  double magnitude;
  if (exponent == top && format.has_inf) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (dtype == DType::kF8E4M3 && (pattern & 0x7f) == 0x7f) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(mantissa), 1 - format.bias - format.mantissa_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(mantissa | uint64_t{1} << format.mantissa_bits),
                           static_cast<int>(exponent) - format.bias - format.mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

uint64_t EncodeFloat(DType dtype, double value) {
  if (dtype == DType::kF64) return std::bit_cast<uint64_t>(value);
  if (dtype == DType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (dtype == DType::kF8E8M0) return EncodeE8M0(value);
  const FloatFormat& format = FormatOf(dtype);
  int padding = dtype == DType::kTF32 ? kTF32Padding : 0;
  if (std::isnan(value)) {
    return (format.has_nan ? NanPattern(dtype, format) : EncodeMagnitude(format, format.max)) << padding;
  }
  double magnitude = std::fabs(value);
  uint64_t pattern;
  if (format.saturates || magnitude < OverflowLimit(format)) {
    pattern = EncodeMagnitude(format, std::min(magnitude, format.saturates ? format.max : magnitude));
  } else {
    pattern = ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  }
  uint64_t sign = std::signbit(value) ? uint64_t{1} << (format.mantissa_bits + format.exponent_bits) : 0;
  return (sign | pattern) << padding;
}

double RoundTo(DType dtype, double value) {
  if (dtype == DType::kF32) return static_cast<float>(value);
  if (dtype == DType::kF64) return value;
  return DecodeFloat(dtype, EncodeFloat(dtype, value));
}

int64_t Wrap(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::kBool:
      return value != 0;
    case DType::kI8:
      return static_cast<int8_t>(value);
    case DType::kI16:
      return static_cast<int16_t>(value);
    case DType::kI32:
      return static_cast<int32_t>(value);
    case DType::kU8:
      return static_cast<uint8_t>(value);
    case DType::kU16:
      return static_cast<uint16_t>(value);
    case DType::kU32:
      return static_cast<uint32_t>(value);
    default:
      return value;
  }
}

int64_t FloatToInteger(DType to, double value) {
  if (to == DType::kBool) return value != 0;
  if (std::isnan(value)) return 0;
  double rounded = RoundHalfEven(value);
  // Both limits are powers of two (or zero), exact in a double, whatever the width.
  double past_upper = std::ldexp(1.0, IsUnsigned(to) ? Bits(to) : Bits(to) - 1);
  if (rounded >= past_upper) return Limit(to, true);
  if (rounded < (IsUnsigned(to) ? 0.0 : -past_upper)) return Limit(to, false);
  return IsUnsigned(to) ? static_cast<int64_t>(static_cast<uint64_t>(rounded)) : static_cast<int64_t>(rounded);
}

double IntegerToFloat(DType to, DType from, int64_t value) {
  bool negative = from != DType::kU64 && value < 0;
  uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  double rounded = to == DType::kF64 ? static_cast<double>(magnitude) : RoundToOdd(magnitude);
  return RoundTo(to, negative ? -rounded : rounded);
}

std::optional<int64_t> FloorDiv(DType dtype, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (!IsSigned(dtype)) return Wrap(dtype, static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b)));
  if (b == -1) return Wrap(dtype, static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(a)));
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<int64_t> FloorMod(DType dtype, int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (!IsSigned(dtype)) return Wrap(dtype, static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b)));
  if (b == -1) return 0;
  int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

std::optional<int64_t> CeilDiv(DType dtype, int64_t a, int64_t b) {
  std::optional<int64_t> quotient = FloorDiv(dtype, a, b);
  if (!quotient || *FloorMod(dtype, a, b) == 0) return quotient;
  // Added unsigned: a u64 quotient may be just below the largest i64.
  return Wrap(dtype, static_cast<int64_t>(static_cast<uint64_t>(*quotient) + 1));
}

std::optional<int64_t> ShiftLeft(DType dtype, int64_t a, int64_t count) {
  if (count < 0 || count >= Bits(dtype)) return std::nullopt;
  return Wrap(dtype, static_cast<int64_t>(static_cast<uint64_t>(a) << count));
}

std::optional<int64_t> ShiftRight(DType dtype, int64_t a, int64_t count) {
  if (count < 0 || count >= Bits(dtype)) return std::nullopt;
  return IsSigned(dtype) ? a >> count : static_cast<int64_t>(static_cast<uint64_t>(a) >> count);
}

bool Less(DType dtype, int64_t a, int64_t b) {
  return dtype == DType::kU64 ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

int64_t Min(DType dtype, int64_t a, int64_t b) { return Less(dtype, b, a) ? b : a; }
int64_t Max(DType dtype, int64_t a, int64_t b) { return Less(dtype, a, b) ? b : a; }

double MinNumber(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double MaxNumber(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

double RoundHalfEven(double value) {
  // Independent of the floating-point environment, which belongs to the caller's program.
  if (!(std::fabs(value) < 0x1p52)) return value;
  double floor = std::floor(value);
  double fraction = value - floor;
  bool up = fraction > 0.5 || (fraction == 0.5 && std::fmod(floor, 2.0) != 0);
  return std::copysign(up ? floor + 1 : floor, value);
}

double FusedMultiplyAdd(DType dtype, double a, double b, double c) {
  if (dtype == DType::kF64) return std::fma(a, b, c);
  return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}

}  // namespace kiln::scalar
