#include "compiler/codegen/llvm/convert.h"

namespace kiln::llvm_text {
namespace {

// A float format below f32: where its numbers lie in the bits, and what it has beside numbers.
struct Format {
  int bits;
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;
  int64_t largest;  // The bits of the largest finite number
  int64_t nan;      // The bits of NaN
};

constexpr Format FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return {16, 5, 10, true, 0x7BFF, 0x7E00};
    case DType::kF8E5M2:
      return {8, 5, 2, true, 0x7B, 0x7E};
    default:
      return {8, 4, 3, false, 0x7E, 0x7F};
  }
}

std::string IntType(int bits) { return absl::StrCat("i", bits); }

// Through the exponent: shifted to f32's place, the number is off by the difference of biases, which a multiplication
// repairs for subnormals too.
std::string WidenIeee(Lanes& v, const Format& format, const std::string& bits) {
  int bias = (1 << (format.exponent_bits - 1)) - 1;
  int64_t magnitude_mask = (int64_t{1} << (format.bits - 1)) - 1;
  std::string wide = v.Conv("zext", IntType(format.bits), bits, "i32");
  std::string magnitude = v.Bin("and", "i32", wide, v.I(magnitude_mask));
  std::string sign = v.Bin("shl", "i32", v.Bin("xor", "i32", wide, magnitude), v.I(32 - format.bits));
  std::string shifted = v.Bin("shl", "i32", magnitude, v.I(23 - format.mantissa_bits));
  double scale = 1;
  for (int i = 0; i < 127 - bias; ++i) scale *= 2;
  std::string number = v.Bits(v.Mul(v.FromBits(shifted), v.F(scale)));
  std::string special;
  std::string is_special;
  if (format.has_infinity) {
    is_special = v.ICmp("ugt", magnitude, v.I(format.largest));
    special = v.Bin("or", "i32", shifted, v.I(0x7F800000));
  } else {
    is_special = v.ICmp("eq", magnitude, v.I(format.nan));
    special = v.I(0x7FC00000);
  }
  return v.FromBits(v.Bin("or", "i32", v.Select(is_special, "i32", special, number), sign));
}

std::string NarrowIeee(Lanes& v, const Format& format, bool saturate, const std::string& value) {
  int bias = (1 << (format.exponent_bits - 1)) - 1;
  int drop = 23 - format.mantissa_bits;
  std::string bits = v.Bits(value);
  std::string magnitude = v.Bin("and", "i32", bits, v.I(0x7FFFFFFF));
  // Normal results: rebias, then round to nearest even at the last kept bit.
  std::string odd = v.Bin("and", "i32", v.Bin("lshr", "i32", magnitude, v.I(drop)), v.I(1));
  int64_t rebias = -(int64_t{127 - bias} << 23) + (int64_t{1} << (drop - 1)) - 1;
  std::string rounded = v.Bin("add", "i32", v.Bin("add", "i32", magnitude, v.I(rebias)), odd);
  std::string normal = v.Bin("lshr", "i32", rounded, v.I(drop));
  // Subnormal results: the addition's own rounding drops what lies below their last bit.
  int64_t magic = int64_t{127 + 23 - (bias - 1 + format.mantissa_bits)} << 23;
  std::string sum = v.Add(v.FromBits(magnitude), v.FromBits(v.I(magic)));
  std::string subnormal = v.Bin("sub", "i32", v.Bits(sum), v.I(magic));
  int64_t smallest_normal = int64_t{127 - bias + 1} << 23;
  std::string r = v.Select(v.ICmp("ult", magnitude, v.I(smallest_normal)), "i32", subnormal, normal);
  // Beyond the largest number: to it, or to infinity.
  int64_t overflow = saturate ? format.largest : format.largest + 1;
  int top = 127 + bias + (format.has_infinity ? 1 : 2);  // No number has this exponent
  std::string huge = v.ICmp("ugt", magnitude, v.I(int64_t{top} << 23));
  r = v.Select(v.Bin("or", "i1", huge, v.ICmp("ugt", r, v.I(overflow))), "i32", v.I(overflow), r);
  r = v.Select(v.ICmp("ugt", magnitude, v.I(0x7F800000)), "i32", v.I(format.nan), r);
  std::string sign =
      v.Bin("and", "i32", v.Bin("lshr", "i32", bits, v.I(32 - format.bits)), v.I(int64_t{1} << (format.bits - 1)));
  return v.Conv("trunc", "i32", v.Bin("or", "i32", r, sign), IntType(format.bits));
}

std::string FromBf16(Lanes& v, const std::string& bits) {
  return v.FromBits(v.Bin("shl", "i32", v.Conv("zext", "i16", bits, "i32"), v.I(16)));
}

// Rounds to nearest even at bit `drop`, leaving the dropped bits as they fall; NaN stays NaN.
std::string RoundBits(Lanes& v, const std::string& value, int drop) {
  std::string bits = v.Bits(value);
  std::string odd = v.Bin("and", "i32", v.Bin("lshr", "i32", bits, v.I(drop)), v.I(1));
  std::string half = v.I((int64_t{1} << (drop - 1)) - 1);
  std::string rounded = v.Bin("add", "i32", v.Bin("add", "i32", bits, half), odd);
  std::string quiet = v.Bin("or", "i32", bits, v.I(0x00400000));
  return v.Select(v.FCmp("uno", value, value), "i32", quiet, rounded);
}

std::string ToBf16(Lanes& v, const std::string& value) {
  return v.Conv("trunc", "i32", v.Bin("lshr", "i32", RoundBits(v, value, 16), v.I(16)), "i16");
}

std::string ToTf32(Lanes& v, const std::string& value) {
  return v.FromBits(v.Bin("and", "i32", RoundBits(v, value, 13), v.I(~int64_t{0x1FFF})));
}

// 2^(bits - 127); 0 is 2^-127, a subnormal of f32; 255 is NaN.
std::string FromE8M0(Lanes& v, const std::string& bits) {
  std::string wide = v.Conv("zext", "i8", bits, "i32");
  std::string power = v.Bin("shl", "i32", wide, v.I(23));
  power = v.Select(v.ICmp("eq", wide, v.I(0)), "i32", v.I(0x00400000), power);
  return v.FromBits(v.Select(v.ICmp("eq", wide, v.I(255)), "i32", v.I(0x7FC00000), power));
}

// The nearest power of two, midpoints to the even code; negative or NaN is NaN.
std::string ToE8M0(Lanes& v, const std::string& value) {
  std::string bits = v.Bin("and", "i32", v.Bits(value), v.I(0x7FFFFFFF));
  std::string exponent = v.Bin("lshr", "i32", bits, v.I(23));
  std::string mantissa = v.Bin("and", "i32", bits, v.I(0x7FFFFF));
  std::string odd = v.Bin("and", "i32", exponent, v.I(1));
  // Code 0 is 2^-127, which f32 holds as a subnormal: the middle between it and 2^-126 lies higher in the mantissa.
  std::string middle = v.Select(v.ICmp("eq", exponent, v.I(0)), "i32", v.I(0x600000), v.I(0x400000));
  std::string up = v.ICmp("ugt", v.Bin("add", "i32", mantissa, odd), middle);
  std::string r = v.Bin("add", "i32", exponent, v.Conv("zext", "i1", up, "i32"));
  r = v.Select(v.ICmp("ugt", r, v.I(254)), "i32", v.I(254), r);
  std::string none = v.FCmp("ult", value, v.F(0.0));
  return v.Conv("trunc", "i32", v.Select(none, "i32", v.I(255), r), "i8");
}

}  // namespace

bool HasConversion(DType dtype) { return IsNarrowFloat(dtype) && dtype != DType::kF4E2M1; }

std::string EmitToF32(Lanes& v, DType from, const std::string& bits, bool native_f16) {
  switch (from) {
    case DType::kTF32:
      return v.FromBits(v.Bin("and", "i32", v.Bits(bits), v.I(~int64_t{0x1FFF})));
    case DType::kBF16:
      return FromBf16(v, bits);
    case DType::kF8E8M0:
      return FromE8M0(v, bits);
    case DType::kF16:
      if (native_f16) return v.Conv("fpext", "half", v.Conv("bitcast", "i16", bits, "half"), "float");
      [[fallthrough]];
    default:
      return WidenIeee(v, FormatOf(from), bits);
  }
}

std::string EmitFromF32(Lanes& v, DType to, const std::string& value, bool native_f16) {
  switch (to) {
    case DType::kTF32:
      return ToTf32(v, value);
    case DType::kBF16:
      return ToBf16(v, value);
    case DType::kF8E8M0:
      return ToE8M0(v, value);
    case DType::kF16:
      if (native_f16) return v.Conv("bitcast", "half", v.Conv("fptrunc", "float", value, "half"), "i16");
      return NarrowIeee(v, FormatOf(to), /*saturate=*/false, value);
    default:
      return NarrowIeee(v, FormatOf(to), /*saturate=*/true, value);
  }
}

std::string EmitRoundToOdd(Lanes& v, const std::string& value) {
  std::string nearest = v.Conv("fptrunc", "double", value, "float");
  std::string back = v.Conv("fpext", "float", nearest, "double");
  std::string wide_abs = v.Intrinsic("fabs", "double", {value});
  std::string back_abs = v.Intrinsic("fabs", "double", {back});
  std::string bits = v.Bits(nearest);
  std::string beyond = v.out().Set("fcmp ogt ", v.Type("double"), " ", back_abs, ", ", wide_abs);
  std::string toward_zero = v.Select(beyond, "i32", v.Bin("sub", "i32", bits, v.I(1)), bits);
  std::string inexact = v.out().Set("fcmp one ", v.Type("double"), " ", back, ", ", value);
  std::string odd = v.Select(inexact, "i32", v.Bin("or", "i32", toward_zero, v.I(1)), bits);
  return v.FromBits(odd);
}

}  // namespace kiln::llvm_text
