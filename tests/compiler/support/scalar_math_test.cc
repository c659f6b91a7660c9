#include "compiler/support/scalar_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace kiln::scalar {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

// A second implementation, from the definition of the formats alone: the value of a pattern as sign * 2^e * m, and
// encoding as the search for the nearest entry of the sorted table of all values.
struct Definition {
  DType dtype;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool ieee;  // The top exponent holds infinities and NaNs
};

double ValueOf(const Definition& d, int pattern) {
  int mantissa = pattern % (1 << d.mantissa_bits);
  int exponent = pattern / (1 << d.mantissa_bits) % (1 << d.exponent_bits);
  double sign = pattern >> (d.mantissa_bits + d.exponent_bits) ? -1.0 : 1.0;
  if (d.ieee && exponent == (1 << d.exponent_bits) - 1) return mantissa ? kNan : sign * kInf;
  if (d.dtype == DType::kF8E4M3 && (pattern & 0x7f) == 0x7f) return kNan;
  double fraction = mantissa / std::pow(2.0, d.mantissa_bits);
  if (exponent == 0) return sign * fraction * std::pow(2.0, 1 - d.bias);
  return sign * (1 + fraction) * std::pow(2.0, exponent - d.bias);
}

class Table {
 public:
  explicit Table(const Definition& d) {
    for (int p = 0; p < 1 << (d.exponent_bits + d.mantissa_bits); ++p) {
      double v = ValueOf(d, p);
      if (std::isfinite(v)) finite_[v] = p;
    }
    past_ = d.ieee && Info(d.dtype).bits == 16;
    inf_ = ((1 << d.exponent_bits) - 1) << d.mantissa_bits;
    last_step_ = finite_.rbegin()->first - std::next(finite_.rbegin())->first;
  }

  uint64_t Nearest(double magnitude) const {
    double max = finite_.rbegin()->first;
    if (magnitude >= max) {
      if (past_ && magnitude - max >= last_step_ / 2) return inf_;
      return finite_.rbegin()->second;
    }
    auto above = finite_.upper_bound(magnitude);
    auto below = std::prev(above);
    double up = above->first - magnitude, down = magnitude - below->first;
    if (up == down) return (above->second % 2 == 0 ? above : below)->second;
    return (up < down ? above : below)->second;
  }
  const std::map<double, int>& finite() const { return finite_; }

 private:
  std::map<double, int> finite_;
  bool past_ = false;
  int inf_ = 0;
  double last_step_ = 0;
};

class NarrowFloat : public testing::TestWithParam<Definition> {};

TEST_P(NarrowFloat, EveryPatternDecodesAndEncodesBack) {
  const Definition& d = GetParam();
  int patterns = 1 << (d.exponent_bits + d.mantissa_bits + 1);
  int failures = 0;
  for (int p = 0; p < patterns; ++p) {
    double expected = ValueOf(d, p), found = DecodeFloat(d.dtype, p);
    bool same = std::isnan(expected)
                    ? std::isnan(found) && std::isnan(DecodeFloat(d.dtype, EncodeFloat(d.dtype, found)))
                    : std::bit_cast<uint64_t>(expected) == std::bit_cast<uint64_t>(found);
    // An fp8 infinity is read, never written.
    if (std::isfinite(expected) || (std::isinf(expected) && !FormatOf(d.dtype).saturates)) {
      same = same && EncodeFloat(d.dtype, found) == static_cast<uint64_t>(p);
    }
    if (!same && ++failures < 5)
      ADD_FAILURE() << Name(d.dtype) << " pattern " << p << ": " << found << ", expected " << expected;
  }
  EXPECT_EQ(failures, 0);
}

TEST_P(NarrowFloat, MidpointsAndTheirNeighboursRoundToTheNearest) {
  const Definition& d = GetParam();
  Table table(d);
  int failures = 0;
  auto check = [&](double v) {
    uint64_t sign = uint64_t{1} << (d.exponent_bits + d.mantissa_bits);
    uint64_t expected = table.Nearest(v);
    if (EncodeFloat(d.dtype, v) != expected || EncodeFloat(d.dtype, -v) != (expected | sign)) {
      if (++failures < 5)
        ADD_FAILURE() << Name(d.dtype) << " of " << v << ": " << EncodeFloat(d.dtype, v) << ", expected " << expected;
    }
  };
  const auto& finite = table.finite();
  for (auto it = finite.begin(); std::next(it) != finite.end(); ++it) {
    double middle = (it->first + std::next(it)->first) / 2;
    for (double v : {it->first, middle, std::nextafter(middle, 0.0), std::nextafter(middle, kInf),
                     it->first + (middle - it->first) / 3, middle + (middle - it->first) / 3}) {
      check(v);
    }
  }
  double max = finite.rbegin()->first, step = max - std::next(finite.rbegin())->first;
  for (double v : {max, max + step / 2, std::nextafter(max + step / 2, 0.0), max + step, max * 2, kInf}) check(v);
}

INSTANTIATE_TEST_SUITE_P(Formats, NarrowFloat,
                         testing::Values(Definition{DType::kF16, 5, 10, 15, true},
                                         Definition{DType::kBF16, 8, 7, 127, true},
                                         Definition{DType::kF8E4M3, 4, 3, 7, false},
                                         Definition{DType::kF8E5M2, 5, 2, 15, true},
                                         Definition{DType::kF4E2M1, 2, 1, 1, false}),
                         [](const auto& info) { return std::string(Name(info.param.dtype)); });

// Case NUM-3 C
TEST(ScalarMath, Fp8AndFp4SaturateInfinitiesTooAndKeepNan) {
  for (double v : {464.1, 465.0, 57345.0, 1e6, kInf}) {
    EXPECT_EQ(RoundTo(DType::kF8E4M3, v), 448.0) << v;
    EXPECT_EQ(RoundTo(DType::kF8E4M3, -v), -448.0) << v;
    EXPECT_EQ(RoundTo(DType::kF4E2M1, v), 6.0) << v;
  }
  EXPECT_EQ(RoundTo(DType::kF8E4M3, 449), 448.0);
  EXPECT_EQ(RoundTo(DType::kF8E5M2, 1e6), 57344.0);
  EXPECT_EQ(RoundTo(DType::kF8E5M2, -kInf), -57344.0);
  EXPECT_TRUE(std::isnan(RoundTo(DType::kF8E4M3, kNan)));
  EXPECT_TRUE(std::isnan(RoundTo(DType::kF8E5M2, kNan)));
  EXPECT_EQ(RoundTo(DType::kF4E2M1, kNan), 6.0);
}

// Case NUM-4 C
TEST(ScalarMath, OneRoundingHowEverWideTheSource) {
  EXPECT_EQ(RoundTo(DType::kF8E4M3, 1.0625001), 1.125);
  EXPECT_EQ(RoundTo(DType::kF8E5M2, 1.125), 1.0);
  EXPECT_EQ(RoundTo(DType::kF16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(RoundTo(DType::kTF32, 1 + 0x1p-11), 1.0);
  EXPECT_EQ(RoundTo(DType::kTF32, 1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(EncodeFloat(DType::kTF32, 1.5), 0x3fc00000u);
}

TEST(ScalarMath, PowersOfTwoOfE8M0) {
  EXPECT_EQ(EncodeFloat(DType::kF8E8M0, 1.0), 127u);
  EXPECT_EQ(EncodeFloat(DType::kF8E8M0, 1.49), 127u);
  EXPECT_EQ(EncodeFloat(DType::kF8E8M0, 1.5), 128u);  // 127 is odd
  EXPECT_EQ(EncodeFloat(DType::kF8E8M0, 3.0), 128u);
  EXPECT_EQ(EncodeFloat(DType::kF8E8M0, 0.0), 0u);
  EXPECT_EQ(EncodeFloat(DType::kF8E8M0, kInf), 0xfeu);
  EXPECT_EQ(EncodeFloat(DType::kF8E8M0, -1.0), 0xffu);
  EXPECT_EQ(EncodeFloat(DType::kF8E8M0, kNan), 0xffu);
  for (uint64_t p = 0; p < 0xff; ++p) EXPECT_EQ(EncodeFloat(DType::kF8E8M0, DecodeFloat(DType::kF8E8M0, p)), p);
}

// Case NUM-1 C
TEST(ScalarMath, IntegersBecomeFloatsWithOneRounding) {
  EXPECT_EQ(IntegerToFloat(DType::kBF16, DType::kI32, 259), 260.0);
  EXPECT_EQ(IntegerToFloat(DType::kBF16, DType::kI32, -259), -260.0);
  EXPECT_EQ(IntegerToFloat(DType::kBF16, DType::kI32, 33000), 33024.0);
  EXPECT_EQ(IntegerToFloat(DType::kBF16, DType::kI32, (1 << 24) + 1), 0x1p24);
  // Through f64 this would round twice, first down to the tie and then to even.
  int64_t v = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_EQ(IntegerToFloat(DType::kF32, DType::kI64, v), 0x1p60 + 0x1p37);
  EXPECT_EQ(IntegerToFloat(DType::kF32, DType::kI64, v - 1), 0x1p60);
  EXPECT_EQ(IntegerToFloat(DType::kF64, DType::kU64, -1), 0x1p64);
  EXPECT_EQ(IntegerToFloat(DType::kF16, DType::kI32, 65520), kInf);
  EXPECT_EQ(IntegerToFloat(DType::kF32, DType::kI64, INT64_MIN), -0x1p63);
}

TEST(ScalarMath, FloatsBecomeIntegersToNearestEvenAndSaturate) {
  EXPECT_EQ(FloatToInteger(DType::kI32, 2.5), 2);
  EXPECT_EQ(FloatToInteger(DType::kI32, 3.5), 4);
  EXPECT_EQ(FloatToInteger(DType::kI32, -0.75), -1);
  EXPECT_EQ(FloatToInteger(DType::kI8, 127.5), 127);
  EXPECT_EQ(FloatToInteger(DType::kI8, -1000), -128);
  EXPECT_EQ(FloatToInteger(DType::kU8, -3), 0);
  EXPECT_EQ(FloatToInteger(DType::kU8, 255.5), 255);
  EXPECT_EQ(FloatToInteger(DType::kI32, kInf), INT32_MAX);
  EXPECT_EQ(FloatToInteger(DType::kI64, 1e30), INT64_MAX);
  EXPECT_EQ(FloatToInteger(DType::kI64, -1e30), INT64_MIN);
  EXPECT_EQ(FloatToInteger(DType::kU64, 1e30), -1);
  EXPECT_EQ(FloatToInteger(DType::kI32, kNan), 0);
  EXPECT_EQ(FloatToInteger(DType::kBool, 0.5), 1);
  EXPECT_EQ(FloatToInteger(DType::kBool, -0.0), 0);
  EXPECT_EQ(FloatToInteger(DType::kBool, kNan), 1);
}

TEST(ScalarMath, IntegersWrapAndBoolsDoNot) {
  EXPECT_EQ(Wrap(DType::kI8, 128), -128);
  EXPECT_EQ(Wrap(DType::kU8, -1), 255);
  EXPECT_EQ(Wrap(DType::kI32, int64_t{1} << 31), INT32_MIN);
  EXPECT_EQ(Wrap(DType::kU32, -1), 0xffffffff);
  for (int64_t v : {1, 255, 256, 512, -256}) EXPECT_EQ(Wrap(DType::kBool, v), 1) << v;
  EXPECT_EQ(Wrap(DType::kBool, 0), 0);
}

// Case IDX-4 C
TEST(ScalarMath, DivisionIsByFloor) {
  for (int64_t a = -20; a <= 20; ++a) {
    for (int64_t b = -7; b <= 7; ++b) {
      if (b == 0) continue;
      auto q = static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
      EXPECT_EQ(FloorDiv(DType::kI32, a, b), q) << a << " " << b;
      EXPECT_EQ(FloorMod(DType::kI32, a, b), a - q * b) << a << " " << b;
      EXPECT_EQ(CeilDiv(DType::kI32, a, b),
                static_cast<int64_t>(std::ceil(static_cast<double>(a) / static_cast<double>(b))))
          << a << " " << b;
    }
  }
  EXPECT_EQ(FloorDiv(DType::kI32, 1, 0), std::nullopt);
  EXPECT_EQ(FloorMod(DType::kU64, 1, 0), std::nullopt);
  EXPECT_EQ(FloorDiv(DType::kI32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(FloorDiv(DType::kI64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(FloorDiv(DType::kU64, -1, 2), INT64_MAX);
  EXPECT_EQ(CeilDiv(DType::kU64, -1, 2), INT64_MIN);
}

TEST(ScalarMath, ShiftsWrapKeepTheSignAndRefuseBadCounts) {
  EXPECT_EQ(ShiftLeft(DType::kI32, 1, 31), INT32_MIN);
  EXPECT_EQ(ShiftLeft(DType::kU32, 0xffffffff, 4), 0xfffffff0);
  EXPECT_EQ(ShiftRight(DType::kI32, -8, 1), -4);
  EXPECT_EQ(ShiftRight(DType::kU64, -1, 60), 15);
  EXPECT_EQ(ShiftLeft(DType::kI32, 1, 32), std::nullopt);
  EXPECT_EQ(ShiftRight(DType::kI64, 1, -1), std::nullopt);
}

TEST(ScalarMath, NumbersWinOverNan) {
  EXPECT_EQ(MinNumber(kNan, 1), 1.0);
  EXPECT_EQ(MaxNumber(1, kNan), 1.0);
  EXPECT_TRUE(std::isnan(MaxNumber(kNan, kNan)));
  EXPECT_TRUE(std::signbit(MinNumber(0.0, -0.0)));
  EXPECT_FALSE(std::signbit(MaxNumber(-0.0, 0.0)));
  EXPECT_EQ(Max(DType::kU64, -1, 1), -1);
  EXPECT_EQ(Max(DType::kI64, -1, 1), 1);
}

TEST(ScalarMath, RoundIsToEven) {
  EXPECT_EQ(RoundHalfEven(0.5), 0.0);
  EXPECT_EQ(RoundHalfEven(2.5), 2.0);
  EXPECT_EQ(RoundHalfEven(3.5), 4.0);
  EXPECT_TRUE(std::signbit(RoundHalfEven(-0.5)));
  EXPECT_EQ(RoundHalfEven(-1.5), -2.0);
  EXPECT_EQ(RoundHalfEven(0x1p60 + 512), 0x1p60 + 512);
}

TEST(ScalarMath, FusedMultiplyAddRoundsOnce) {
  double a = 1 + 0x1p-12;
  EXPECT_EQ(FusedMultiplyAdd(DType::kF32, a, a, -(1 + 0x1p-11)), 0x1p-24);
}

}  // namespace
}  // namespace kiln::scalar
