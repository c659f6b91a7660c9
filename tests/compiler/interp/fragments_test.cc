// Matrix instructions against a plain product, through ldmatrix, for every operand dtype.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "compiler/interp/native/fragments.h"
#include "compiler/support/scalar_math.h"
#include "tests/compiler/interp/testing.h"

namespace kiln::interp {
namespace {

struct Case {
  DType operand;
  DType accumulator;
  int k;
};

std::string CaseName(const testing::TestParamInfo<Case>& info) {
  return std::string(Name(info.param.operand)) + "_" + std::string(Name(info.param.accumulator)) + "_k" +
         std::to_string(info.param.k);
}

// a is [16, K], b is [8, K]; c = a * b^T + 1. Rows of both are 32 bytes, so that ldmatrix takes them in halves.
constexpr char kText[] = R"(
kernel product(a: tensor<T>[16, K], b: tensor<T>[8, K], c: out tensor<ACC>[16, 8]) launch grid(1) block(32)
  native(a: pointer<T>, b: pointer<T>, c: pointer<ACC>) shared 768 {
  alloc as: T[16 * K] in shared.dyn offset 0
  alloc bs: T[8 * K] in shared.dyn offset 512
  alloc thread.ar: T[K / 2] in local
  alloc thread.br: T[K / 4] in local
  alloc thread.acc: ACC[4] in local
  for i in thread_id .. 16 * K step 32 { store(as, i, load(a, i)) }
  for j in thread_id .. 8 * K step 32 { store(bs, j, load(b, j)) }
  for v in unroll 0 .. 4 { store(acc, v, ACC(1)) }
  barrier()
  ldmatrix(ar, 0, as, lane_id % 16 * K + lane_id / 16 * (K / 2), 4, false)
  ldmatrix(br, 0, bs, lane_id % 8 * K + lane_id / 8 % 2 * (K / 2), 2, false)
  mma(acc, 0, ar, 0, br, 0, K)
  for w in unroll 0 .. 4 { store(c, (lane_id / 4 + 8 * (w / 2)) * 8 + lane_id % 4 * 2 + w % 2, load(acc, w)) }
})";

ir::Kernel Product(const char* text, const Case& c) {
  return KernelOf(absl::StrReplaceAll(text, {{"<T>", absl::StrCat("<", std::string(Name(c.operand)), ">")},
                                             {": T[", absl::StrCat(": ", std::string(Name(c.operand)), "[")},
                                             {"ACC", std::string(Name(c.accumulator))},
                                             {"K", std::to_string(c.k)}}));
}

std::vector<double> Expected(const std::vector<double>& a, const std::vector<double>& b, const Case& c) {
  std::vector<double> out;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      double sum = 1;
      for (int l = 0; l < c.k; ++l) sum += a[i * c.k + l] * b[j * c.k + l];
      out.push_back(IsFloat(c.accumulator) ? scalar::RoundTo(c.accumulator, sum) : sum);
    }
  }
  return out;
}

std::vector<double> Operand(const Case& c, int rows, uint32_t seed) {
  std::vector<double> values = Noise(rows * c.k, seed);
  for (double& v : values) v = IsFloat(c.operand) ? v : v * 64;
  return values;
}

class Products : public testing::TestWithParam<Case> {};

TEST_P(Products, ThroughLdmatrix) {
  const Case& c = GetParam();
  Array a(c.operand, {16, c.k}, Operand(c, 16, 1)), b(c.operand, {8, c.k}, Operand(c, 8, 2)),
      out(c.accumulator, {16, 8});
  ASSERT_EQ(MessageOf(Product(kText, c), {a.tensor(), b.tensor(), out.tensor()}), "");
  EXPECT_EQ(out.values(), Expected(a.values(), b.values(), c));
}

INSTANTIATE_TEST_SUITE_P(All, Products,
                         testing::Values(Case{DType::kF16, DType::kF32, 16}, Case{DType::kF16, DType::kF16, 16},
                                         Case{DType::kBF16, DType::kF32, 16}, Case{DType::kTF32, DType::kF32, 8},
                                         Case{DType::kF8E4M3, DType::kF32, 32}, Case{DType::kF8E5M2, DType::kF32, 32},
                                         Case{DType::kI8, DType::kI32, 32}, Case{DType::kU8, DType::kI32, 32}),
                         CaseName);

// The halves of k that m16n8k8 and the 8-bit m16n8k16 take, from registers filled by the table of cells.
class HalfProducts : public testing::TestWithParam<Case> {};

TEST_P(HalfProducts, FromRegisters) {
  const Case& c = GetParam();
  // Each lane's elements come ready from global memory, in the order of its registers.
  ir::Kernel kernel = Product(R"(
kernel product(a: tensor<T>[32, K / 2], b: tensor<T>[32, K / 4], c: out tensor<ACC>[16, 8]) launch grid(1) block(32)
  native(a: pointer<T>, b: pointer<T>, c: pointer<ACC>) {
  alloc thread.ar: T[K / 2] in local
  alloc thread.br: T[K / 4] in local
  alloc thread.acc: ACC[4] in local = ACC(1)
  for i in unroll 0 .. K / 2 { store(ar, i, load(a, lane_id * (K / 2) + i)) }
  for j in unroll 0 .. K / 4 { store(br, j, load(b, lane_id * (K / 4) + j)) }
  mma(acc, 0, ar, 0, br, 0, K)
  for w in unroll 0 .. 4 { store(c, (lane_id / 4 + 8 * (w / 2)) * 8 + lane_id % 4 * 2 + w % 2, load(acc, w)) }
})",
                              c);
  std::vector<double> a = Operand(c, 16, 3), b = Operand(c, 8, 4), a_lanes, b_lanes;
  // The PTX ISA's tables for these shapes, written out: group = lane / 4, t = lane % 4, e elements a register.
  int e = 32 / Bits(c.operand);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < c.k / 2; ++i) {
      int row = lane / 4 + (i >= e ? 8 : 0), column = lane % 4 * e + i % e;
      a_lanes.push_back(a[row * c.k + column]);
    }
    for (int i = 0; i < c.k / 4; ++i) b_lanes.push_back(b[lane / 4 * c.k + lane % 4 * e + i]);
  }
  Array at(c.operand, {32, c.k / 2}, a_lanes), bt(c.operand, {32, c.k / 4}, b_lanes), out(c.accumulator, {16, 8});
  ASSERT_EQ(MessageOf(kernel, {at.tensor(), bt.tensor(), out.tensor()}), "");
  EXPECT_EQ(out.values(), Expected(a, b, c));
}

INSTANTIATE_TEST_SUITE_P(All, HalfProducts,
                         testing::Values(Case{DType::kF16, DType::kF32, 8}, Case{DType::kBF16, DType::kF32, 8},
                                         Case{DType::kTF32, DType::kF32, 4}, Case{DType::kI8, DType::kI32, 16}),
                         CaseName);

TEST(Fragments, TransposedLoadsGiveTheSameOperand) {
  // b is stored [16, 8], n fastest.
  ir::Kernel kernel = KernelOf(R"(
kernel product(a: tensor<f16>[16, 16], b: tensor<f16>[16, 8], c: out tensor<f32>[16, 8]) launch grid(1) block(32)
  native(a: pointer<f16>, b: pointer<f16>, c: pointer<f32>) shared 768 {
  alloc as: f16[256] in shared.dyn offset 0
  alloc bs: f16[128] in shared.dyn offset 512
  alloc thread.ar: f16[8] in local
  alloc thread.br: f16[4] in local
  alloc thread.acc: f32[4] in local = 1.0
  for i in thread_id .. 256 step 32 { store(as, i, load(a, i)) }
  for j in thread_id .. 128 step 32 { store(bs, j, load(b, j)) }
  barrier()
  ldmatrix(ar, 0, as, lane_id % 16 * 16 + lane_id / 16 * 8, 4, false)
  ldmatrix(br, 0, bs, lane_id % 16 * 8, 2, true)
  mma(acc, 0, ar, 0, br, 0, 16)
  for w in unroll 0 .. 4 { store(c, (lane_id / 4 + 8 * (w / 2)) * 8 + lane_id % 4 * 2 + w % 2, load(acc, w)) }
})");
  Case c{DType::kF16, DType::kF32, 16};
  std::vector<double> a = Operand(c, 16, 5), b = Operand(c, 8, 6), transposed(128);
  for (int n = 0; n < 8; ++n)
    for (int k = 0; k < 16; ++k) transposed[k * 8 + n] = b[n * 16 + k];
  Array at(DType::kF16, {16, 16}, a), bt(DType::kF16, {16, 8}, transposed), out(DType::kF32, {16, 8});
  ASSERT_EQ(MessageOf(kernel, {at.tensor(), bt.tensor(), out.tensor()}), "");
  EXPECT_EQ(out.values(), Expected(a, b, c));
}

TEST(Fragments, WhatTheHardwareDoesNotHaveIsRefused) {
  ir::Kernel kernel = KernelOf(R"(
kernel product(c: out tensor<f32>[4]) launch grid(1) block(32) native(c: pointer<f32>) {
  alloc thread.ar: f16[16] in local = f16(1)
  alloc thread.br: f16[8] in local = f16(1)
  alloc thread.acc: f32[4] in local = 1.0
  mma(acc, 0, ar, 0, br, 0, 32)
})");
  Array c(DType::kF32, {4});
  EXPECT_EQ(MessageOf(kernel, {c.tensor()}),
            "interp: kernel \"product\": 6:3: mma: no m16n8k32 of f16 and f16 into f32");
}

}  // namespace
}  // namespace kiln::interp
