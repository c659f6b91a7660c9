// The matrix unit: numbers of every dtype, swizzle and majorness, and what each misuse says.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/compiler/interp/native/running.h"

namespace kiln::interp {
namespace {

std::string Text(int64_t value) { return std::to_string(value); }

// How one operand of 64 rows by 64 of k (16-bit elements) lies in shared memory, in boxes of `row` bytes by 64.
struct Side {
  int swizzle = 128;
  bool rows_innermost = false;

  int64_t Row() const { return swizzle == 0 ? 16 : swizzle; }
  int64_t Boxes() const { return 128 / Row(); }
  std::string Shape(const std::string& rows) const {
    return rows_innermost ? "[64, " + rows + "]" : "[" + rows + ", 64]";
  }
  std::string Map() const { return "box (64, " + Text(Row() / 2) + ") swizzle " + Text(swizzle); }
  // Element offset of k step `kk`, of 16.
  int64_t Step(int64_t kk) const {
    if (rows_innermost) return 16 * Row() * kk / 2;
    return swizzle == 0 ? kk * 2 * 64 * 16 / 2 : (32 * kk / Row() * 64 * Row() + 32 * kk % Row()) / 2;
  }
  std::string Layout() const {
    const int64_t box = 64 * Row();
    if (swizzle == 0) return rows_innermost ? "128, 1024, 0, 1" : "1024, 128, 0, 0";
    return Text(box) + ", " + Text(8 * swizzle) + ", " + Text(swizzle) + ", " + (rows_innermost ? "1" : "0");
  }
  std::string Loads(const std::string& name) const {
    std::string text;
    for (int64_t box = 0; box < Boxes(); ++box) {
      text += "      tma_load(" + name + "s, " + Text(box * 32 * Row()) + ", " + name + "_map, full, 0, " +
              Text(box * Row() / 2) + ", 0)\n";
    }
    return text;
  }
};

// c (64 x 64, f32) = a * b^T, by one warpgroup, one tile.
std::string Gemm(const Side& a, const Side& b, const std::string& dtype = "f16") {
  std::string text = "kernel f(a: tensor<" + dtype + ">" + a.Shape("64") + ", b: tensor<" + dtype + ">" +
                     b.Shape("64") +
                     ", c: out tensor<f32>[64, 64]) launch grid(1) block(128)\n  native(c: pointer<f32>, a_map: map<" +
                     dtype + "> of a " + a.Map() + ", b_map: map<" + dtype + "> of b " + b.Map() + ") shared 17408 {\n";
  text += "    alloc as: " + dtype + "[4096] in shared.dyn offset 0\n    alloc bs: " + dtype +
          "[4096] in shared.dyn offset 8192\n";
  text += R"(    alloc full: mbarrier[1] in shared.dyn offset 16384
    alloc thread.acc: f32[32] in local
    if thread_id == 0 {
      mbarrier_init(full, 0, 1)
      fence_barrier_init()
    }
    barrier()
    if thread_id == 0 {
      mbarrier_expect(full, 0, 16384)
)" + a.Loads("a") +
          b.Loads("b") + "    }\n    mbarrier_wait(full, 0, 0)\n    wgmma_fence()\n";
  for (int64_t kk = 0; kk < 4; ++kk) {
    text += "    wgmma(acc, 0, as, " + Text(a.Step(kk)) + ", bs, " + Text(b.Step(kk)) + ", 64, " + a.Layout() + ", " +
            b.Layout() + ", " + (kk == 0 ? "false" : "true") + ")\n";
  }
  text += R"(    wgmma_commit()
    wgmma_wait(0)
    for j in 0 .. 8 {
      for h in 0 .. 2 {
        for p in 0 .. 2 {
          store(c, (warp_id * 16 + lane_id / 4 + 8 * h) * 64 + 8 * j + lane_id % 4 * 2 + p, load(acc, 4 * j + 2 * h + p))
        }
      }
    }
  })";
  return text;
}

// sum over k of a[i, k] * b[j, k], of 64 x 64 operands.
std::vector<double> Reference(const std::vector<double>& a, bool a_rows, const std::vector<double>& b, bool b_rows) {
  std::vector<double> c(4096);
  for (size_t i = 0; i < 64; ++i)
    for (size_t j = 0; j < 64; ++j)
      for (size_t k = 0; k < 64; ++k)
        c[i * 64 + j] += a[a_rows ? k * 64 + i : i * 64 + k] * b[b_rows ? k * 64 + j : j * 64 + k];
  return c;
}

class Swizzles : public testing::TestWithParam<std::tuple<int, int, bool, bool>> {};

TEST_P(Swizzles, OneTile) {
  auto [a_swizzle, b_swizzle, a_rows, b_rows] = GetParam();
  const Side a{a_swizzle, a_rows}, b{b_swizzle, b_rows};
  for (DType dtype : {DType::kF16, DType::kBF16}) {
    const std::vector<double> left = Noise(4096, 1), right = Noise(4096, 2);
    Array x(dtype, {64, 64}, left), y(dtype, {64, 64}, right), c(DType::kF32, {64, 64});
    RunText(Gemm(a, b, dtype == DType::kF16 ? "f16" : "bf16"), {&x, &y, &c});
    // Sums of 64 products of multiples of 1/64: exact in f32.
    EXPECT_EQ(c.values(), Reference(left, a_rows, right, b_rows));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Swizzles,
                         testing::Combine(testing::Values(0, 32, 64, 128), testing::Values(0, 32, 64, 128),
                                          testing::Bool(), testing::Bool()));

// acc (64 x 16) += a (64 x K) * b (16 x K)^T over 32 bytes of k, operands written by threads, no swizzle: 8 rows of 16
// bytes an atom, the two halves of k 1024 (a) and 256 (b) bytes apart. `a` comes from registers when `fragments`.
std::string OneProduct(const std::string& dtype, const std::string& acc, int bits, bool fragments) {
  const int depth = 256 / bits, wide = 128 / bits, word = 32 / bits;
  std::string text = "kernel f(a: tensor<" + dtype + ">[64, " + Text(depth) + "], b: tensor<" + dtype + ">[16, " +
                     Text(depth) + "], c: inout tensor<" + acc +
                     ">[64, 16]) launch grid(1) block(128)\n  native(a: pointer<" + dtype + ">, b: pointer<" + dtype +
                     ">, c: pointer<" + acc + ">) shared 4096 {\n";
  text += "  alloc as: " + dtype + "[" + Text(64 * depth) + "] in shared.dyn offset 0\n  alloc bs: " + dtype + "[" +
          Text(16 * depth) + "] in shared.dyn offset 2048\n  alloc thread.acc: " + acc + "[8] in local\n";
  text += "  alloc thread.av: " + dtype + "[" + Text(128 / bits) + "] in local\n";
  const std::string d = Text(depth), w = Text(wide);
  for (const char* name : {"a", "b"}) {
    const std::string n = name, rows = n == "a" ? "64" : "16";
    text += "  for i in thread_id .. " + rows + " * " + d + " step 128 { store(" + n + "s, i % " + d + " / " + w +
            " * " + rows + " * " + w + " + i / " + d + " * " + w + " + i % " + w + ", load(" + n + ", i)) }\n";
  }
  text +=
      "  for e in 0 .. 8 { store(acc, e, load(c, (warp_id * 16 + lane_id / 4 + e / 2 % 2 * 8) * 16 + e / 4 * 8 + "
      "lane_id % "
      "4 * 2 + e % 2)) }\n";
  const std::string v = Text(word);
  text += "  for e in 0 .. " + Text(128 / bits) + " { store(av, e, load(a, (warp_id * 16 + lane_id / 4 + e / " + v +
          " % 2 * 8) * " + d + " + lane_id % 4 * " + v + " + e % " + v + " + e / " + v + " / 2 * 4 * " + v + ")) }\n";
  text += "  fence_proxy_async()\n  barrier()\n  wgmma_fence()\n";
  text += std::string("  wgmma(acc, 0, ") + (fragments ? "av" : "as") +
          ", 0, bs, 0, 16, 1024, 128, 0, 0, 256, 128, 0, 0, true)\n  wgmma_commit()\n  wgmma_wait(0)\n";
  text +=
      "  for e in 0 .. 8 { store(c, (warp_id * 16 + lane_id / 4 + e / 2 % 2 * 8) * 16 + e / 4 * 8 + lane_id % 4 * 2 + "
      "e % "
      "2, load(acc, e)) }\n}";
  return text;
}

class Dtypes : public testing::TestWithParam<std::tuple<DType, bool>> {};

TEST_P(Dtypes, OneInstruction) {
  auto [dtype, fragments] = GetParam();
  const bool is_float = IsFloat(dtype);
  const DType acc = is_float ? DType::kF32 : DType::kI32;
  const size_t depth = 256 / static_cast<size_t>(Bits(dtype));
  std::vector<double> a, b, c;
  // Small integers, which every dtype holds: of u8 as they are, of the others with both signs.
  const int shift = dtype == DType::kU8 ? 0 : 3;
  for (size_t k = 0; k < 64 * depth; ++k) a.push_back(static_cast<double>(k * 5 % 7) - shift);
  for (size_t k = 0; k < 16 * depth; ++k) b.push_back(static_cast<double>(k * 3 % 8) - shift);
  for (size_t k = 0; k < 1024; ++k) c.push_back(static_cast<double>(k % 100));
  const auto count = static_cast<int64_t>(depth);
  Array x(dtype, {64, count}, a), y(dtype, {16, count}, b), z(acc, {64, 16}, c);
  RunText(OneProduct(std::string(Name(dtype)), std::string(Name(acc)), Bits(dtype), fragments), {&x, &y, &z});
  for (size_t i = 0; i < 64; ++i)
    for (size_t j = 0; j < 16; ++j)
      for (size_t k = 0; k < depth; ++k) c[i * 16 + j] += a[i * depth + k] * b[j * depth + k];
  EXPECT_EQ(z.values(), c);
}

INSTANTIATE_TEST_SUITE_P(All, Dtypes,
                         testing::Combine(testing::Values(DType::kF16, DType::kBF16, DType::kTF32, DType::kF8E4M3,
                                                          DType::kF8E5M2, DType::kI8, DType::kU8),
                                          testing::Bool()));

TEST(Products, RoundOnce) {
  // 1 + 2^-24 + 2^-24: rounded after each product it would stay 1.
  std::vector<double> a(64 * 16), b(16 * 16), c(1024, 0);
  a[0] = 1;
  a[1] = a[2] = std::ldexp(1, -12);
  b[0] = 1;
  b[1] = b[2] = std::ldexp(1, -12);
  Array x(DType::kF16, {64, 16}, a), y(DType::kF16, {16, 16}, b), z(DType::kF32, {64, 16}, c);
  RunText(OneProduct("f16", "f32", 16, false), {&x, &y, &z});
  EXPECT_EQ(z.values()[0], 1 + std::ldexp(1, -23));
}

TEST(Products, IntegersWrap) {
  std::vector<double> a(64 * 32, 127), b(16 * 32, 127), c(1024, 2147483647.0);
  Array x(DType::kI8, {64, 32}, a), y(DType::kI8, {16, 32}, b), z(DType::kI32, {64, 16}, c);
  RunText(OneProduct("i8", "i32", 8, false), {&x, &y, &z});
  EXPECT_EQ(z.values()[5], 2147483647.0 + 32 * 127 * 127 - 4294967296.0);
}

std::string GemmFault(const std::string& text) {
  Array a(DType::kF16, {64, 64}, Noise(4096, 1)), b(DType::kF16, {64, 64}, Noise(4096, 2)), c(DType::kF32, {64, 64});
  return FaultOf(text, {&a, &b, &c});
}
std::string ProductFault(const std::string& text) {
  Array a(DType::kF16, {64, 16}, Noise(1024, 1)), b(DType::kF16, {16, 16}, Noise(256, 2)),
      c(DType::kF32, {64, 16}, Noise(1024, 3));
  return FaultOf(text, {&a, &b, &c});
}

TEST(ProductFaults, AccumulatorReadInFlight) {
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), "    wgmma_wait(0)\n", "")),
            "27:93: \"acc\" byte 0 is read while a wgmma into it is in flight (thread 0) (cta 0, 0, 0)");
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), "wgmma_wait(0)", "wgmma_wait(1)")),
            "28:93: \"acc\" byte 0 is read while a wgmma into it is in flight (thread 0) (cta 0, 0, 0)");
}

TEST(ProductFaults, AccumulatorWrittenInFlight) {
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), "wgmma_wait(0)", "store(acc, 3, 0.0)\n    wgmma_wait(0)")),
            "24:5: \"acc\" byte 12 is written while a wgmma that uses it is in flight (thread 0) (cta 0, 0, 0)");
}

TEST(ProductFaults, OperandBeforeItsBarrier) {
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), "    mbarrier_wait(full, 0, 0)\n", "")),
            "18:5: \"bs\" byte 0 is read while an asynchronous copy into it is in flight (cta 0, 0, 0)");
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), "mbarrier_wait(full, 0, 0)", "if warp_id < 3 { mbarrier_wait(full, 0, 0) }")),
            "19:5: \"bs\" byte 0 is read by the wgmma at 19:5 and written by the tma_load at 15:7, which it has not "
            "waited for (cta 0, 0, 0)");
}

// Case ASYNC-2 C
TEST(ProductFaults, OperandOverwrittenInFlight) {
  EXPECT_EQ(
      GemmFault(With(Gemm({}, {}), "wgmma_wait(0)", "if thread_id == 0 { store(as, 0, 1.0) }\n    wgmma_wait(0)")),
      "24:25: \"as\" byte 0 is written by thread 0 and read by the wgmma at 22:5, which it has not waited for "
      "(thread 0) (cta 0, 0, 0)");
  // The same by the copy engine.
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), "wgmma_wait(0)",
                           "if thread_id == 0 { tma_load(bs, 0, b_map, full, 0, 0, 0) }\n    wgmma_wait(0)")),
            "24:25: \"bs\" byte 0 of the box is written by thread 0 and read by the wgmma at 22:5, which it has not "
            "waited for (thread 0) (cta 0, 0, 0)");
}

TEST(ProductFaults, WrittenWithNoProxyFence) {
  EXPECT_EQ(
      ProductFault(With(OneProduct("f16", "f32", 16, false), "  fence_proxy_async()\n", "")),
      "13:3: \"bs\" byte 0 is read by the wgmma at 13:3 and written by thread 0 with no fence_proxy_async between "
      "(cta 0, 0, 0)");
}

TEST(ProductFaults, WrittenWithNoBarrier) {
  EXPECT_EQ(
      ProductFault(With(OneProduct("f16", "f32", 16, false), "  barrier()\n", "")),
      "13:3: \"bs\" byte 0 is read by the wgmma at 13:3 and written by thread 0 with no barrier between (cta 0, 0, "
      "0)");
}

TEST(ProductFaults, RegistersWithNoFence) {
  EXPECT_EQ(
      ProductFault(With(OneProduct("f16", "f32", 16, false), "  wgmma_fence()\n", "")),
      "13:3: \"acc\" byte 0 of thread 0 is written with no wgmma_fence before the wgmma that uses it (cta 0, 0, 0)");
  std::string text =
      With(OneProduct("f16", "f32", 16, true), "  wgmma_fence()\n", "  wgmma_fence()\n  store(av, 1, 1.0)\n");
  EXPECT_EQ(
      ProductFault(text),
      "15:3: \"av\" byte 2 of thread 0 is written with no wgmma_fence before the wgmma that uses it (cta 0, 0, 0)");
}

TEST(ProductFaults, RegisterOperandWrittenInFlight) {
  std::string text =
      With(OneProduct("f16", "f32", 16, true), "  wgmma_wait(0)\n", "  store(av, 7, 1.0)\n  wgmma_wait(0)\n");
  EXPECT_EQ(ProductFault(text),
            "16:3: \"av\" byte 14 is written while a wgmma that uses it is in flight (thread 0) (cta 0, 0, 0)");
}

TEST(ProductFaults, AnAccumulatorThatNothingWrote) {
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), ", false)", ", true)")),
            "19:5: \"acc\" byte 0 of thread 0 is read, and nothing wrote it (cta 0, 0, 0)");
}

TEST(ProductFaults, LeftInFlight) {
  std::string text = With(OneProduct("f16", "f32", 16, false), "  wgmma_wait(0)\n", "  return\n");
  EXPECT_EQ(ProductFault(text),
            "14:3: wgmma is in flight when its warpgroup ends: a wgmma_wait is missing (cta 0, 0, 0)");
  EXPECT_EQ(ProductFault(With(text, "  wgmma_commit()\n", "")),
            "14:3: wgmma is in no group when its warpgroup ends: a wgmma_commit is missing (cta 0, 0, 0)");
}

TEST(ProductFaults, AWarpIsMissing) {
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), "    wgmma_fence()\n", "    if warp_id == 3 { return }\n    wgmma_fence()\n")),
            "19:5: wgmma_fence needs all 128 threads of warpgroup 0; 32 are missing: threads 96..127 (cta 0, 0, 0)");
}

TEST(ProductFaults, PastTheOperand) {
  EXPECT_EQ(GemmFault(With(Gemm({}, {}), "wgmma(acc, 0, as, 0, bs, 0, 64", "wgmma(acc, 0, as, 0, bs, 512, 64")),
            "19:5: wgmma: b reaches byte 8208 of \"bs\", which has 8192 (cta 0, 0, 0)");
}

TEST(ProductFaults, OffItsSwizzle) {
  EXPECT_EQ(
      GemmFault(With(Gemm({}, {}), "wgmma(acc, 0, as, 0, bs, 0, 64", "wgmma(acc, 0, as, 64, bs, 0, 64")),
      "19:5: wgmma: a starts at byte 128 of shared memory, and its swizzle repeats every 1024 bytes (cta 0, 0, 0)");
}

TEST(ProductFaults, NoSuchProduct) {
  EXPECT_EQ(ProductFault(With(OneProduct("f16", "f32", 16, false), "0, 16, 1024", "0, 12, 1024")),
            "14:3: wgmma: expected n of 8 .. 256 in steps of 8, of integers past 24 of 16, got 12");
  Array a(DType::kF16, {64, 16}), b(DType::kF16, {16, 16}), c(DType::kF16, {64, 16});
  EXPECT_EQ(FaultOf(OneProduct("f16", "f16", 16, false), {&a, &b, &c}),
            "14:3: wgmma: no product of f16 and f16 into f16");
}

}  // namespace
}  // namespace kiln::interp
