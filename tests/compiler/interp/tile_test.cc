// Tile-level kernels against plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "compiler/support/scalar_math.h"
#include "tests/compiler/interp/testing.h"

namespace kiln::interp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void ExpectNear(const std::vector<double>& found, const std::vector<double>& expected, double relative) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t k = 0; k < found.size(); ++k) {
    ASSERT_NEAR(found[k], expected[k], relative * std::fabs(expected[k]) + 1e-6) << "element " << k;
  }
}

TEST(Tile, RmsnormOfEveryDtypeAndRaggedRows) {
  for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (int64_t m : {1, 5, 8}) {
      int64_t n = 37;
      ir::Kernel kernel =
          KernelOfFile("api/kernels/rmsnorm.kiln", {{{"ROWS", 4}, {"THREADS", 128}, {"N", n}}, {{"T", dtype}}});
      Array x(dtype, {m, n}, Noise(m * n, 1)), w(dtype, {n}, Noise(n, 2)), y(dtype, {m, n});
      ASSERT_EQ(RunKernel(kernel, {x.tensor(), w.tensor(), y.tensor(), Scalar::Float(DType::kF32, 1e-5)}),
                absl::OkStatus());
      std::vector<double> expected, xs = x.values(), ws = w.values();
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += xs[i * n + j] * xs[i * n + j];
        for (int64_t j = 0; j < n; ++j) expected.push_back(xs[i * n + j] / std::sqrt(sum / n + 1e-5) * ws[j]);
      }
      ExpectNear(y.values(), expected, dtype == DType::kF32 ? 1e-6 : dtype == DType::kF16 ? 1e-3 : 8e-3);
    }
  }
}

TEST(Tile, GemmOfRaggedEdges) {
  int64_t m = 70, n = 50, k = 40;
  ir::Kernel kernel =
      KernelOfFile("api/kernels/gemm.kiln",
                   {{{"BM", 64}, {"BN", 64}, {"BK", 32}, {"STAGES", 2}, {"N", n}, {"K", k}}, {{"T", DType::kF16}}});
  Array a(DType::kF16, {m, k}, Noise(m * k, 3)), b(DType::kF16, {n, k}, Noise(n * k, 4)), c(DType::kF16, {m, n});
  ASSERT_EQ(RunKernel(kernel, {a.tensor(), b.tensor(), c.tensor()}), absl::OkStatus());
  std::vector<double> expected, as = a.values(), bs = b.values();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += as[i * k + l] * bs[j * k + l];
      expected.push_back(scalar::RoundTo(DType::kF16, sum));
    }
  }
  EXPECT_EQ(c.values(), expected);
}

TEST(Tile, StridedArgumentsKeepTheirGaps) {
  ir::Kernel kernel = KernelOf(R"(
    kernel twice(x: tensor<f32>[M, N], y: out tensor<f32>[M, N]) launch grid(ceildiv(M, 2)) {
      let xs = x[cta_id.x * 2 +: 2, :]
      cta.copy(y[cta_id.x * 2 +: 2, :], xs * 2.0)
    })");
  std::vector<float> x(20), y(20, -1);
  for (int k = 0; k < 20; ++k) x[k] = static_cast<float>(k);
  Tensor tx{DType::kF32, {3, 4}, {5, 1}, x.data()}, ty{DType::kF32, {3, 4}, {1, 4}, y.data()};
  ASSERT_EQ(RunKernel(kernel, {tx, ty}), absl::OkStatus());
  EXPECT_EQ(std::vector<float>(y.begin(), y.begin() + 13),
            (std::vector<float>{0, 10, 20, -1, 2, 12, 22, -1, 4, 14, 24, -1, 6}));
}

TEST(Tile, ViewsReshapeAndPermute) {
  ir::Kernel kernel = KernelOf(R"(
    kernel shuffle(x: tensor<i32>[A, B, C], y: out tensor<i32>[A * C, B]) launch grid(1) {
      let p = x.permute(0, 2, 1)
      alloc t: i32[2, 4, 3] in shared
      cta.copy(t, p)
      let flat = t.reshape(8, 3)
      y[:, :] = flat[:, :]
      y[0, 0] = flat[7, 2] + dim(x, 1)
    })");
  std::vector<double> values;
  for (int k = 0; k < 24; ++k) values.push_back(k);
  Array x(DType::kI32, {2, 3, 4}, values), y(DType::kI32, {8, 3});
  ASSERT_EQ(RunKernel(kernel, {x.tensor(), y.tensor()}), absl::OkStatus());
  std::vector<double> expected;
  for (int a = 0; a < 2; ++a)
    for (int c = 0; c < 4; ++c)
      for (int b = 0; b < 3; ++b) expected.push_back(a * 12 + b * 4 + c);
  expected[0] = 23 + 3;
  EXPECT_EQ(y.values(), expected);
}

TEST(Tile, ReinterpretReadsTheSameBytes) {
  ir::Kernel kernel = KernelOf(R"(
    kernel bits(x: tensor<f32>[2], y: out tensor<u16>[4]) launch grid(1) {
      alloc t: f32[2] in shared
      cta.copy(t, x)
      cta.copy(y, t.reinterpret(u16))
    })");
  Array x(DType::kF32, {2}, {1.0, -2.5}), y(DType::kU16, {4});
  ASSERT_EQ(RunKernel(kernel, {x.tensor(), y.tensor()}), absl::OkStatus());
  EXPECT_THAT(y.values(), ElementsAre(0, 0x3f80, 0, 0xc020));
}

TEST(Tile, SoftmaxWithMaskAndReductions) {
  ir::Kernel kernel = KernelOf(R"(
    kernel softmax(x: tensor<f32>[M, N], y: out tensor<f32>[M, N], valid: i32) launch grid(M) {
      alloc s: f32[1, 8] in local
      cta.copy(s, x[cta_id.x +: 1, :])
      s = select(index(s, 1) < valid, s, -inf)
      let top = cta.max(s, axis = 1)
      s = exp(s - top[:, _])
      let total = cta.sum(s, axis = 1)
      cta.copy(y[cta_id.x +: 1, :], s / total[:, _])
    })");
  Array x(DType::kF32, {2, 8}, Noise(16, 9)), y(DType::kF32, {2, 8});
  ASSERT_EQ(RunKernel(kernel, {x.tensor(), y.tensor(), Scalar::Int(DType::kI32, 5)}), absl::OkStatus());
  std::vector<double> expected, xs = x.values();
  for (int i = 0; i < 2; ++i) {
    double total = 0;
    for (int j = 0; j < 5; ++j) total += std::exp(xs[i * 8 + j]);
    for (int j = 0; j < 8; ++j) expected.push_back(j < 5 ? std::exp(xs[i * 8 + j]) / total : 0);
  }
  ExpectNear(y.values(), expected, 1e-6);
}

TEST(Tile, ReductionsOfEveryKind) {
  ir::Kernel kernel = KernelOf(R"(
    kernel all(x: tensor<i8>[2, 3], y: out tensor<i32>[8]) launch grid(1) {
      y[0] = cta.sum(x)
      y[1] = cta.max(x)
      y[2] = cta.min(x)
      y[3] = cta.prod(x)
      y[4] = select(cta.any(x == 4), 1, 0)
      let columns = cta.sum(x, axis = 0)
      y[5 +: 3] = columns
    })");
  Array x(DType::kI8, {2, 3}, {100, -2, 3, 100, 4, -5}), y(DType::kI32, {8});
  ASSERT_EQ(RunKernel(kernel, {x.tensor(), y.tensor()}), absl::OkStatus());
  EXPECT_THAT(y.values(), ElementsAre(200, 100, -5, 1200000, 1, 200, 2, -2));
}

// Case NUM-7 C
TEST(Tile, IntegerGemmIsExactAndWraps) {
  ir::Kernel kernel = KernelOf(R"(
    kernel dot(a: tensor<i8>[1, K], b: tensor<i8>[K, 1], c: out tensor<i32>[1, 1]) launch grid(1) {
      alloc acc: i32[1, 1] in local = 0
      for k in 0 .. 4608 step 2 {
        cta.gemm(acc, a[:, k +: 2], b[k +: 2, :])
      }
      cta.copy(c, acc)
    })");
  std::vector<double> ones(4608, 127);
  Array a(DType::kI8, {1, 4608}, ones), b(DType::kI8, {4608, 1}, ones), c(DType::kI32, {1, 1});
  ASSERT_EQ(RunKernel(kernel, {a.tensor(), b.tensor(), c.tensor()}), absl::OkStatus());
  EXPECT_THAT(c.values(), ElementsAre(127.0 * 127 * 4608));
}

TEST(Tile, GatherReadsZeroOutsideAndScatterDrops) {
  ir::Kernel kernel = KernelOf(R"(
    kernel rows(table: tensor<f32>[R, 2], ids: tensor<i32>[4], y: out tensor<f32>[4, 2], z: out tensor<f32>[R, 2]) launch grid(1) {
      alloc t: f32[4, 2] in local
      cta.gather(t, table, ids)
      cta.copy(y, t)
      cta.scatter(z, ids, t + 1.0)
    })");
  Array table(DType::kF32, {3, 2}, {1, 2, 3, 4, 5, 6}), ids(DType::kI32, {4}, {2, -1, 0, 9}), y(DType::kF32, {4, 2}),
      z(DType::kF32, {3, 2});
  ASSERT_EQ(RunKernel(kernel, {table.tensor(), ids.tensor(), y.tensor(), z.tensor()}), absl::OkStatus());
  EXPECT_THAT(y.values(), ElementsAre(5, 6, 0, 0, 1, 2, 0, 0));
  EXPECT_THAT(z.values(), ElementsAre(2, 3, 0, 0, 6, 7));
}

TEST(Tile, AtomicsConvertFirstAndTakeEveryCta) {
  ir::Kernel kernel = KernelOf(R"(
    kernel sums(x: tensor<bf16>[M, 2], y: inout tensor<f32>[2], top: inout tensor<f32>[2]) launch grid(M) {
      cta.atomic_add(y, x[cta_id.x, :])
      cta.atomic_max(top, x[cta_id.x, :])
    })");
  Array x(DType::kBF16, {3, 2}, {1, -2, 3, -4, 0.5, -6}), y(DType::kF32, {2}), top(DType::kF32, {2}, {-9, -9});
  ASSERT_EQ(RunKernel(kernel, {x.tensor(), y.tensor(), top.tensor()}), absl::OkStatus());
  EXPECT_THAT(y.values(), ElementsAre(4.5, -12));
  EXPECT_THAT(top.values(), ElementsAre(3, -2));
}

TEST(Tile, ControlFlowAndMutableScalars) {
  ir::Kernel kernel = KernelOf(R"(
    kernel steps(y: out tensor<i64>[4]) launch grid(1) {
      var n: i32 = 27
      var steps: i64 = 0
      while n != 1 {
        if n % 2 == 0 { n = n / 2 } else { n = 3 * n + 1 }
        steps += 1
      }
      y[0] = steps
      var sum: i64 = 0
      for i in 0 .. 100 step 3 {
        if i == 9 { continue }
        if i > 20 { break }
        sum += i
      }
      y[1] = sum
      y[2] = -7 / 2
      y[3] = -7 % 3
      assert sum == 54, "of the loop"
    })");
  Array y(DType::kI64, {4});
  ASSERT_EQ(RunKernel(kernel, {y.tensor()}), absl::OkStatus());
  EXPECT_THAT(y.values(), ElementsAre(111, 54, -4, 2));
}

TEST(Tile, NarrowTilesRoundWhatIsStored) {
  ir::Kernel kernel = KernelOf(R"(
    kernel round_trip(x: tensor<f32>[3], y: out tensor<f32>[3]) launch grid(1) {
      alloc t: f8e4m3[3] in local
      t = x * 1.0
      cta.copy(y, t)
    })");
  Array x(DType::kF32, {3}, {1.0625, 1000, -0.3}), y(DType::kF32, {3});
  ASSERT_EQ(RunKernel(kernel, {x.tensor(), y.tensor()}), absl::OkStatus());
  EXPECT_THAT(y.values(), ElementsAre(1, 448, -0.3125));
}

// Case SHAPE-7 C
TEST(Tile, SlicesFarOutsideReadZeroAndDropWrites) {
  ir::Kernel kernel = KernelOf(R"(
    kernel far(x: tensor<f32>[4], y: inout tensor<f32>[4], at: i64) launch grid(1) {
      cta.copy(y[0 +: 2], x[at +: 2] + 1.0)
      cta.copy(y[at +: 2], x[0 +: 2])
      cta.copy(y[2 +: 2], x[-1 +: 2], fill = 9.0)
    })");
  for (int64_t at : {int64_t{4}, int64_t{-2}, INT64_MAX, INT64_MIN}) {
    Array x(DType::kF32, {4}, {1, 2, 3, 4}), y(DType::kF32, {4}, {5, 6, 7, 8});
    ASSERT_EQ(RunKernel(kernel, {x.tensor(), y.tensor(), Scalar::Int(DType::kI64, at)}), absl::OkStatus());
    EXPECT_THAT(y.values(), ElementsAre(1, 1, 9, 1)) << at;
  }
}

constexpr char kAsync[] = R"(
kernel f(x: tensor<f32>[8], y: out tensor<f32>[8]) launch grid(1) {
  alloc s: f32[2, 4] in shared
  cta.copy_async(s[0, :], x[0 +: 4])
  cta.copy_async(s[1, :], x[4 +: 4])
  cta.wait_copy(pending = PENDING)
  cta.copy(y[0 +: 4], s[0, :])
  cta.copy(y[4 +: 4], s[1, :])
})";

TEST(Tile, AsynchronousCopiesLandAtTheirWait) {
  std::string text = kAsync;
  text.replace(text.find("PENDING"), 7, "0");
  Array x(DType::kF32, {8}, {1, 2, 3, 4, 5, 6, 7, 8}), y(DType::kF32, {8});
  ASSERT_EQ(MessageOf(KernelOf(text), {x.tensor(), y.tensor()}), "");
  EXPECT_EQ(y.values(), x.values());
}

TEST(Tile, AWaitForTooFewCopiesIsFound) {
  std::string text = kAsync;
  text.replace(text.find("PENDING"), 7, "1");
  Array x(DType::kF32, {8}), y(DType::kF32, {8});
  EXPECT_EQ(MessageOf(KernelOf(text), {x.tensor(), y.tensor()}),
            "interp: kernel \"f\": 8:23: \"s\" is read while an asynchronous copy into it is in flight (cta 0, 0, 0)");
}

// What each faulty kernel is told. The places are lines and columns of the text.
struct FaultCase {
  const char* name;
  const char* body;
  const char* message;
};
class TileFaults : public testing::TestWithParam<FaultCase> {};

TEST_P(TileFaults, NameThePlaceAndTheFact) {
  std::string text =
      std::string("kernel f(x: tensor<f32>[4], y: out tensor<f32>[4]) launch grid(1) {\n") + GetParam().body + "\n}";
  Array x(DType::kF32, {4}, {1, 2, 3, 4}), y(DType::kF32, {4});
  RunOptions options;
  options.max_steps = 10000;
  std::string message = MessageOf(KernelOf(text), {x.tensor(), y.tensor()}, options);
  EXPECT_EQ(message, std::string("interp: kernel \"f\": ") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, TileFaults,
    testing::Values(
        FaultCase{"Uninitialized", "alloc t: f32[4] in shared\ncta.copy(y, t)",
                  "3:13: \"t\" is read at element 0, which nothing wrote (cta 0, 0, 0)"},
        FaultCase{"Bounds", "y[0] = x[4]", "2:8: \"x\" dim 0: index 4 is outside 0 .. 3 (cta 0, 0, 0)"},
        FaultCase{"Division", "let z = 0\ny[0] = f32(3 / z)", "3:14: division by zero (cta 0, 0, 0)"},
        FaultCase{"Shift", "let s = 64\ny[0] = f32(1 << s)",
                  "3:14: shift count outside the width of its operand (cta 0, 0, 0)"},
        FaultCase{"Assert", "assert dim(x, 0) == 5, \"five\"", "2:1: assert failed: five (cta 0, 0, 0)"},
        FaultCase{"Assume", "assume dim(x, 0) == 5", "2:1: assume does not hold (cta 0, 0, 0)"},
        FaultCase{"Shapes", "y[:] = x[0 +: 3]", "2:1: expected a value of shape [4], got [3] (cta 0, 0, 0)"},
        FaultCase{"Broadcast", "y[:] = x + x[0 +: 3]", "2:10: shapes [4] and [3] do not broadcast (cta 0, 0, 0)"},
        FaultCase{"Endless", "while true { }", "2:1: more steps than allowed: a loop without end? (cta 0, 0, 0)"},
        FaultCase{"Step", "for i in 0 .. 4 step 0 { }", "2:1: loop step: expected at least 1, got 0 (cta 0, 0, 0)"}),
    [](const auto& info) { return info.param.name; });

TEST(Tile, ArgumentsAreChecked) {
  ir::Kernel kernel = KernelOf("kernel f(x: tensor<f32>[M, 4], y: out tensor<f32>[M], s: f32) launch grid(1) { }");
  Array x(DType::kF32, {2, 4}), y(DType::kF32, {3}), i(DType::kI32, {2, 4});
  Scalar s = Scalar::Float(DType::kF32, 1);
  auto message = [&](std::vector<Argument> args) { return MessageOf(kernel, args); };
  EXPECT_EQ(message({x.tensor(), y.tensor(), s}), "interp: kernel \"f\": argument \"y\" dim 0: expected 2, got 3");
  EXPECT_EQ(message({i.tensor(), y.tensor(), s}), "interp: kernel \"f\": argument \"x\": expected f32, got i32");
  EXPECT_EQ(message({y.tensor(), y.tensor(), s}), "interp: kernel \"f\": argument \"x\": expected rank 2, got 1");
  EXPECT_EQ(message({s, y.tensor(), s}), "interp: kernel \"f\": argument \"x\": expected a tensor, got a scalar");
  EXPECT_EQ(message({x.tensor(), y.tensor()}), "interp: kernel \"f\": expected 3 arguments, got 2");
  Tensor null{DType::kF32, {2, 4}, {}, nullptr};
  EXPECT_EQ(message({null, y.tensor(), s}), "interp: kernel \"f\": argument \"x\": null data");
}

}  // namespace
}  // namespace kiln::interp
