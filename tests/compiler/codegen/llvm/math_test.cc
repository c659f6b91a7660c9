// Elementwise functions and conversions on this machine, against the contract of docs/numerics.md.
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "compiler/support/scalar_math.h"
#include "gtest/gtest.h"
#include "tests/compiler/codegen/llvm/host_kernel.h"

namespace kiln {
namespace {

using testing::HostKernel;
using testing::Pointer;

constexpr int64_t kLanes = 8;

// y[i] = value(x[i]) for each i below n, `lanes` at a time.
HostKernel Elementwise(DType from, DType to, int lanes, const std::function<Expr(Expr)>& value,
                       const Target& target = testing::Host()) {
  ir::Kernel kernel;
  kernel.name = "elementwise";
  kernel.native = true;
  kernel.native_params = {{ir::NativeParam::Kind::kPointer, "x", from},
                          {ir::NativeParam::Kind::kPointer, "y", to},
                          {ir::NativeParam::Kind::kSymbol, "n", DType::kI64}};
  kernel.body = {ir::For("i", Int(0), Var("n"), {ir::Store(Var("y"), Var("i"), value(Load(Var("x"), Var("i"), lanes)))},
                         ir::LoopKind::kSerial, Int(lanes))};
  absl::StatusOr<HostKernel> built = HostKernel::Build(kernel, target);
  EXPECT_TRUE(built.ok()) << built.status();
  return std::move(built).value();
}

template <typename To, typename From>
std::vector<To> Apply(const HostKernel& kernel, const std::vector<From>& x) {
  std::vector<To> y(x.size());
  kernel.Run({Pointer(x.data()), Pointer(y.data()), x.size()});
  return y;
}

// Every 4099th float, which meets every exponent with many mantissas, and the special ones.
std::vector<float> ManyFloats() {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4099) x.push_back(std::bit_cast<float>(uint32_t(bits)));
  const float infinity = std::numeric_limits<float>::infinity();
  for (float v : {0.0f, -0.0f, 1.0f, -1.0f, infinity, -infinity, std::nanf(""), std::numeric_limits<float>::max(),
                  std::numeric_limits<float>::min(), std::numeric_limits<float>::denorm_min()})
    x.push_back(v);
  // Where results leave the normal numbers, and where one way of computing gives way to another.
  for (float v : {88.72283f, 127.5f, 128.0f, -87.33654f, -126.0f, 0.625f, 0.9375f, 4.0f, 1.0f, 1.4142135f, 0.70710677f})
    for (float sign : {1.0f, -1.0f})
      for (int ulp = -3; ulp <= 3; ++ulp) x.push_back(sign * std::bit_cast<float>(std::bit_cast<uint32_t>(v) + ulp));
  while (x.size() % kLanes) x.push_back(0);
  return x;
}

struct Function {
  const char* name;
  Op op;
  double (*exact)(double);
  double relative;  // Bound where the exact result is a normal number
  double absolute;
  double limit;  // Of |x|
};

double Rsqrt(double x) { return 1 / std::sqrt(x); }

TEST(Math, FunctionsKeepTheirBoundsAndVectorsAgreeWithScalars) {
  const double all = std::numeric_limits<double>::infinity();
  const double ulp2 = std::ldexp(1, -22);
  const Function functions[] = {
      {"exp", Op::kExp, std::exp, ulp2, 0, all},
      {"exp2", Op::kExp2, std::exp2, ulp2, 0, all},
      {"log", Op::kLog, std::log, ulp2, 0, all},
      {"log2", Op::kLog2, std::log2, ulp2, 0, all},
      {"tanh", Op::kTanh, std::tanh, ulp2, 0, all},
      {"erf", Op::kErf, std::erf, ulp2, 0, all},
      {"sin", Op::kSin, std::sin, 0, std::ldexp(1, -22), 1 << 30},
      {"cos", Op::kCos, std::cos, 0, std::ldexp(1, -22), 1 << 30},
      {"sqrt", Op::kSqrt, std::sqrt, std::ldexp(1, -24), 0, all},
      {"rsqrt", Op::kRsqrt, Rsqrt, ulp2, 0, all},
  };
  const std::vector<float> x = ManyFloats();
  for (const Function& f : functions) {
    auto value = [&](Expr e) { return Math(f.op, {e}); };
    std::vector<float> vector = Apply<float>(Elementwise(DType::kF32, DType::kF32, kLanes, value), x);
    std::vector<float> scalar = Apply<float>(Elementwise(DType::kF32, DType::kF32, 1, value), x);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(std::bit_cast<uint32_t>(vector[i]) == std::bit_cast<uint32_t>(scalar[i]) ||
                  (std::isnan(vector[i]) && std::isnan(scalar[i])))
          << f.name << "(" << x[i] << "): " << vector[i] << " in a vector, " << scalar[i] << " alone";
      double exact = f.exact(x[i]);
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(vector[i])) << f.name << "(" << x[i] << ")";
        continue;
      }
      if (std::abs(double(x[i])) > f.limit) continue;
      if (std::abs(exact) < std::numeric_limits<float>::min() && vector[i] == 0) continue;  // May be flushed
      if (!std::isfinite(static_cast<float>(exact))) {
        ASSERT_EQ(vector[i], static_cast<float>(exact)) << f.name << "(" << x[i] << ")";
        continue;
      }
      double error = std::abs(vector[i] - exact);
      if (f.relative > 0 && std::abs(exact) >= std::numeric_limits<float>::min()) error /= std::abs(exact);
      if (f.relative > 0 && std::abs(exact) < std::numeric_limits<float>::min()) continue;
      worst = std::max(worst, error);
    }
    EXPECT_LE(worst, f.relative > 0 ? f.relative : f.absolute) << f.name;
  }
}

const DType kNarrow[] = {DType::kF16, DType::kBF16, DType::kTF32, DType::kF8E4M3, DType::kF8E5M2, DType::kF8E8M0};

uint64_t PatternAt(DType dtype, const std::vector<uint8_t>& bytes, size_t i) {
  uint64_t pattern = 0;
  for (int64_t b = 0; b < Bytes(dtype); ++b) pattern |= uint64_t{bytes[i * Bytes(dtype) + b]} << (8 * b);
  return pattern;
}

// The same value, or both NaN.
void ExpectPattern(DType dtype, uint64_t found, double value) {
  uint64_t expected = scalar::EncodeFloat(dtype, value);
  if (std::isnan(scalar::DecodeFloat(dtype, expected))) {
    ASSERT_TRUE(std::isnan(scalar::DecodeFloat(dtype, found))) << Name(dtype) << " of " << value;
  } else
    ASSERT_EQ(found, expected) << Name(dtype) << " of " << value;
}

// This machine, and one with no instruction for f16.
std::vector<Target> WithAndWithoutF16() {
  Target plain = testing::Host();
  plain.features.erase("f16c");
  return {testing::Host(), plain};
}

TEST(Conversions, NarrowFloatsToF32AreExact) {
  for (const Target& target : WithAndWithoutF16()) {
    for (DType dtype : kNarrow) {
      size_t count = dtype == DType::kTF32 ? 1 << 16 : size_t{1} << Bits(dtype);
      std::vector<uint8_t> x(count * Bytes(dtype));
      for (size_t i = 0; i < count; ++i) {
        uint64_t pattern = dtype == DType::kTF32 ? i * 65537 : i;
        for (int64_t b = 0; b < Bytes(dtype); ++b) x[i * Bytes(dtype) + b] = uint8_t(pattern >> (8 * b));
      }
      HostKernel kernel =
          Elementwise(dtype, DType::kF32, kLanes, [](Expr e) { return Cast({DType::kF32, ""}, e); }, target);
      std::vector<float> y(count);
      kernel.Run({Pointer(x.data()), Pointer(y.data()), count});
      for (size_t i = 0; i < count; ++i) {
        double expected = scalar::DecodeFloat(dtype, PatternAt(dtype, x, i));
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(y[i])) << Name(dtype) << " " << i;
        } else
          ASSERT_EQ(y[i], expected) << Name(dtype) << " " << i;
      }
    }
  }
}

TEST(Conversions, F32ToNarrowFloatsRoundsOnce) {
  std::vector<float> x = ManyFloats();
  for (float v : {259.0f, -259.0f, 449.0f, 464.0f, 465.0f, 57345.0f, 65519.0f, 65520.0f, 1e6f, 1.0625001f, 3e-8f})
    x.push_back(v);
  // What lies between two neighbours of each format, and a bit beside it.
  for (uint32_t exponent = 1; exponent < 255; ++exponent)
    for (uint32_t mantissa = 0; mantissa < 64; ++mantissa)
      for (int64_t off : {-1, 0, 1})
        x.push_back(std::bit_cast<float>(uint32_t((exponent << 23 | mantissa << 17) + off)));
  while (x.size() % kLanes) x.push_back(0);
  for (const Target& target : WithAndWithoutF16()) {
    for (DType dtype : kNarrow) {
      HostKernel kernel = Elementwise(DType::kF32, dtype, kLanes, [&](Expr e) { return Cast({dtype, ""}, e); }, target);
      std::vector<uint8_t> y(x.size() * Bytes(dtype));
      kernel.Run({Pointer(x.data()), Pointer(y.data()), x.size()});
      for (size_t i = 0; i < x.size(); ++i) ExpectPattern(dtype, PatternAt(dtype, y, i), x[i]);
    }
  }
}

// Case NUM-4 C
TEST(Conversions, F64ToNarrowFloatsRoundsOnce) {
  std::vector<double> x = {1 + std::ldexp(1, -11) + std::ldexp(1, -40),
                           1 + std::ldexp(1, -11) - std::ldexp(1, -40),
                           1 + std::ldexp(1, -8) + std::ldexp(1, -50),
                           -65519.999999,
                           1e300,
                           -1e-300,
                           0,
                           448.0000001};
  for (DType dtype : kNarrow) {
    HostKernel kernel = Elementwise(DType::kF64, dtype, 8, [&](Expr e) { return Cast({dtype, ""}, e); });
    std::vector<uint8_t> y(x.size() * Bytes(dtype));
    kernel.Run({Pointer(x.data()), Pointer(y.data()), x.size()});
    for (size_t i = 0; i < x.size(); ++i) ExpectPattern(dtype, PatternAt(dtype, y, i), x[i]);
  }
}

// Case NUM-1 C
TEST(Conversions, IntegersToFloatsRoundOnce) {
  const std::vector<int64_t> x = {259,
                                  -259,
                                  33000,
                                  (1 << 24) + 1,
                                  (int64_t{1} << 53) + 1,
                                  INT64_MAX,
                                  INT64_MIN,
                                  0,
                                  -1,
                                  (int64_t{1} << 40) + 1,
                                  8589934593,
                                  -8589934593,
                                  65519,
                                  65520,
                                  (int64_t{257} << 32) + 1,
                                  -(int64_t{259} << 50) - 1};
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kF32, DType::kF64}) {
    HostKernel kernel = Elementwise(DType::kI64, dtype, 8, [&](Expr e) { return Cast({dtype, ""}, e); });
    std::vector<uint8_t> y(x.size() * Bytes(dtype));
    kernel.Run({Pointer(x.data()), Pointer(y.data()), x.size()});
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(scalar::DecodeFloat(dtype, PatternAt(dtype, y, i)), scalar::IntegerToFloat(dtype, DType::kI64, x[i]))
          << Name(dtype) << " of " << x[i];
  }
}

TEST(Conversions, FloatsToIntegersRoundAndSaturate) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f,    127.5f,    128,           255.5f,
                                300,  -300, 3e9f, -3e9f, infinity, -infinity, std::nanf(""), 1e20f};
  for (DType dtype : {DType::kI8, DType::kU8, DType::kI32, DType::kU32, DType::kI64}) {
    HostKernel kernel = Elementwise(DType::kF32, dtype, 8, [&](Expr e) { return Cast({dtype, ""}, e); });
    std::vector<uint8_t> y(x.size() * Bytes(dtype));
    kernel.Run({Pointer(x.data()), Pointer(y.data()), x.size()});
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(scalar::DecodeInteger(dtype, PatternAt(dtype, y, i)), scalar::FloatToInteger(dtype, x[i]))
          << Name(dtype) << " of " << x[i];
  }
}

// Case NUM-6 C
TEST(Conversions, IntegersToBoolAskForZero) {
  const std::vector<int32_t> x = {0, 1, 255, 256, 512, -256, 0, 2};
  HostKernel kernel = Elementwise(DType::kI32, DType::kBool, 8, [](Expr e) { return Cast({DType::kBool, ""}, e); });
  EXPECT_EQ(Apply<uint8_t>(kernel, x), (std::vector<uint8_t>{0, 1, 1, 1, 1, 1, 0, 1}));
  HostKernel floats = Elementwise(DType::kF32, DType::kBool, 4, [](Expr e) { return Cast({DType::kBool, ""}, e); });
  EXPECT_EQ(Apply<uint8_t>(floats, std::vector<float>{0.5f, 0, -0.0f, std::nanf("")}),
            (std::vector<uint8_t>{1, 0, 0, 1}));
}

TEST(Math, ANumberWinsOverANan) {
  const float nan = std::nanf("");
  const std::vector<float> x = {nan, 1, nan, -2, nan, 3, nan, 4};
  auto max = [](Expr e) { return Max(e, Broadcast(Float(0), 4)); };
  EXPECT_EQ(Apply<float>(Elementwise(DType::kF32, DType::kF32, 4, max), x),
            (std::vector<float>{0, 1, 0, 0, 0, 3, 0, 4}));
}

TEST(Math, RoundingIsToEven) {
  const std::vector<float> x = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 0.49999997f, 8388609};
  auto round = [](Expr e) { return Math(Op::kRound, {e}); };
  EXPECT_EQ(Apply<float>(Elementwise(DType::kF32, DType::kF32, 8, round), x),
            (std::vector<float>{0, 2, 2, 0, -2, -2, 0, 8388609}));
}

TEST(Math, WhatHasNoPolynomialGoesThroughTheLibrary) {
  const std::vector<double> x = {0.5, 1, 2, 3};
  auto exp = [](Expr e) { return Math(Op::kExp, {e}); };
  std::vector<double> y = Apply<double>(Elementwise(DType::kF64, DType::kF64, 4, exp), x);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], std::exp(x[i]));
  const std::vector<float> bases = {2, 3, 0.5f, 10};
  auto cube = [](Expr e) { return Math(Op::kPow, {e, Float(3)}); };
  EXPECT_EQ(Apply<float>(Elementwise(DType::kF32, DType::kF32, 4, cube), bases),
            (std::vector<float>{8, 27, 0.125f, 1000}));
}

}  // namespace
}  // namespace kiln
