#include "api/scalar_argument.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace kiln::api {
namespace {

uint64_t Double(double value, DType dtype) {
  uint64_t bits = 0;
  EXPECT_TRUE(ScalarFromDouble(value, dtype, &bits));
  return bits;
}

TEST(ScalarArgument, HalvesRoundToNearestEven) {
  EXPECT_EQ(Double(1.0, DType::kF16), 0x3c00u);
  EXPECT_EQ(Double(-2.0, DType::kF16), 0xc000u);
  EXPECT_EQ(Double(1.0 + 0x1p-11, DType::kF16), 0x3c00u);
  EXPECT_EQ(Double(1.0 + 3 * 0x1p-11, DType::kF16), 0x3c02u);
  EXPECT_EQ(Double(65504.0, DType::kF16), 0x7bffu);
  EXPECT_EQ(Double(65519.0, DType::kF16), 0x7bffu);
  EXPECT_EQ(Double(65520.0, DType::kF16), 0x7c00u);
  EXPECT_EQ(Double(0x1p-24, DType::kF16), 0x0001u);
  EXPECT_EQ(Double(0x1p-25, DType::kF16), 0x0000u);
  EXPECT_EQ(Double(0x1.8p-25, DType::kF16), 0x0001u);
  EXPECT_EQ(Double(0x1p-14, DType::kF16), 0x0400u);
  EXPECT_EQ(Double(-0.0, DType::kF16), 0x8000u);
  EXPECT_EQ(Double(std::numeric_limits<double>::infinity(), DType::kF16), 0x7c00u);
  EXPECT_EQ(Double(std::nan(""), DType::kF16) & 0x7fffu, 0x7e00u);
}

TEST(ScalarArgument, BrainFloatsRoundOnce) {
  EXPECT_EQ(Double(1.0, DType::kBF16), 0x3f80u);
  EXPECT_EQ(Double(1.0 + 0x1p-8, DType::kBF16), 0x3f80u);
  // Through f32 this would be a tie, and go down.
  EXPECT_EQ(Double(1.0 + 0x1p-8 + 0x1p-40, DType::kBF16), 0x3f81u);
  EXPECT_EQ(Double(0x1p127 * 1.9999, DType::kBF16), 0x7f80u);
}

TEST(ScalarArgument, WideFloats) {
  EXPECT_EQ(Double(0.1, DType::kF32), std::bit_cast<uint32_t>(0.1f));
  EXPECT_EQ(Double(0.1, DType::kF64), std::bit_cast<uint64_t>(0.1));
  uint64_t bits = 0;
  EXPECT_FALSE(ScalarFromDouble(1.0, DType::kI32, &bits));
  EXPECT_FALSE(ScalarFromDouble(1.0, DType::kF8E4M3, &bits));
}

TEST(ScalarArgument, IntegersMustFitExactly) {
  uint64_t bits = 0;
  EXPECT_TRUE(ScalarFromInt(-1, DType::kI8, &bits));
  EXPECT_EQ(bits, 0xffu);
  EXPECT_TRUE(ScalarFromInt(-128, DType::kI8, &bits));
  EXPECT_FALSE(ScalarFromInt(-129, DType::kI8, &bits));
  EXPECT_FALSE(ScalarFromInt(128, DType::kI8, &bits));
  EXPECT_TRUE(ScalarFromInt(255, DType::kU8, &bits));
  EXPECT_FALSE(ScalarFromInt(-1, DType::kU64, &bits));
  EXPECT_TRUE(ScalarFromInt(INT64_MIN, DType::kI64, &bits));
  EXPECT_EQ(bits, uint64_t{1} << 63);
  EXPECT_TRUE(ScalarFromInt(1, DType::kBool, &bits));
  EXPECT_FALSE(ScalarFromInt(2, DType::kBool, &bits));
  EXPECT_TRUE(ScalarFromInt(1 << 24, DType::kF32, &bits));
  EXPECT_FALSE(ScalarFromInt((1 << 24) + 1, DType::kF32, &bits));
  EXPECT_TRUE(ScalarFromInt(INT64_MIN, DType::kF32, &bits));
  EXPECT_EQ(bits, std::bit_cast<uint32_t>(-0x1p63f));
  EXPECT_TRUE(ScalarFromInt(65504, DType::kF16, &bits));
  EXPECT_FALSE(ScalarFromInt(65536, DType::kF16, &bits));
  EXPECT_FALSE(ScalarFromInt(257, DType::kBF16, &bits));
  EXPECT_FALSE(ScalarFromInt(1, DType::kF8E4M3, &bits));
}

}  // namespace
}  // namespace kiln::api
