// Tile kernels run on this machine against plain loops in double precision.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/compiler/lower/cpu/tile_kernel.h"

namespace kiln {
namespace {

using testing::ReadSource;
using testing::TileKernel;

std::vector<float> Random(size_t n, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> out(n);
  for (float& x : out) x = uniform(generator);
  return out;
}

TileKernel Build(std::string_view text, const Bindings& bindings, const std::string& name = "") {
  absl::StatusOr<TileKernel> kernel = TileKernel::Build(text, bindings, name);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  return std::move(kernel).value();
}

TEST(CpuRun, RmsNormOverRowsThatDoNotDivide) {
  for (int64_t n : {1, 7, 64, 300}) {
    for (int64_t rows : {1, 4}) {
      Bindings bindings;
      bindings.ints = {{"N", n}, {"ROWS", rows}, {"THREADS", 128}};
      bindings.dtypes = {{"T", DType::kF32}};
      TileKernel kernel = Build(ReadSource("api/kernels/rmsnorm.kiln"), bindings);
      for (int64_t m : {1, 3, 9}) {
        std::vector<float> x = Random(m * n), w = Random(n, 2), y(m * n + 1, -7);
        ASSERT_TRUE(kernel.Tensor(DType::kF32, x, {m, n})
                        .Tensor(DType::kF32, w, {n})
                        .Tensor(DType::kF32, y, {m, n})
                        .Scalar(1e-5f)
                        .Launch()
                        .ok());
        for (int64_t i = 0; i < m; ++i) {
          double sum = 0;
          for (int64_t j = 0; j < n; ++j) sum += double(x[i * n + j]) * x[i * n + j];
          for (int64_t j = 0; j < n; ++j) {
            double expected = x[i * n + j] / std::sqrt(sum / n + 1e-5) * w[j];
            ASSERT_NEAR(y[i * n + j], expected, 1e-5) << m << "x" << n << " at " << i << ", " << j;
          }
        }
        EXPECT_EQ(y[m * n], -7);
      }
    }
  }
}

TEST(CpuRun, GemmOverEveryKindOfEdge) {
  struct Case {
    int64_t m, n, k, bm, bn, bk;
  };
  for (Case c : {Case{64, 64, 64, 64, 64, 32}, Case{1, 64, 40, 64, 64, 32}, Case{100, 90, 70, 64, 64, 64},
                 Case{7, 3, 5, 64, 64, 32}, Case{130, 257, 33, 128, 128, 32}}) {
    Bindings bindings;
    bindings.ints = {{"N", c.n}, {"K", c.k}, {"BM", c.bm}, {"BN", c.bn}, {"BK", c.bk}, {"STAGES", 2}};
    bindings.dtypes = {{"T", DType::kF32}};
    TileKernel kernel = Build(ReadSource("api/kernels/gemm.kiln"), bindings);
    std::vector<float> a = Random(c.m * c.k), b = Random(c.n * c.k, 2), out(c.m * c.n + 1, -7);
    ASSERT_TRUE(kernel.Tensor(DType::kF32, a, {c.m, c.k})
                    .Tensor(DType::kF32, b, {c.n, c.k})
                    .Tensor(DType::kF32, out, {c.m, c.n})
                    .Launch()
                    .ok());
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        double expected = 0;
        for (int64_t k = 0; k < c.k; ++k) expected += double(a[i * c.k + k]) * b[j * c.k + k];
        ASSERT_NEAR(out[i * c.n + j], expected, 1e-4) << c.m << "x" << c.n << "x" << c.k << " at " << i << ", " << j;
      }
    EXPECT_EQ(out[c.m * c.n], -7);
  }
}

TEST(CpuRun, SoftmaxReadsPastTheEdgeAsZeroAndMasksIt) {
  const char* text = R"(
kernel softmax<ROWS: int, BN: int>(x: tensor<f32>[M, N], y: out tensor<f32>[M, N])
  where M: dynamic, N: dynamic
  launch grid(ceildiv(M, ROWS))
{
  let row = cta_id.x * ROWS
  alloc s: f32[ROWS, BN] in local
  cta.copy(s, x[row +: ROWS, 0 +: BN])
  s = select(index(s, 1) < N, s, -inf)
  let top = cta.max(s, axis = 1)
  let p = exp(s - top[:, _])
  let total = cta.sum(p, axis = 1)
  cta.copy(y[row +: ROWS, 0 +: BN], p / total[:, _])
}
)";
  Bindings bindings;
  bindings.ints = {{"ROWS", 2}, {"BN", 48}};
  TileKernel kernel = Build(text, bindings);
  for (int64_t m : {1, 5}) {
    for (int64_t n : {1, 31, 48}) {
      std::vector<float> x = Random(m * n), y(m * n + 1, -7);
      ASSERT_TRUE(kernel.Tensor(DType::kF32, x, {m, n}).Tensor(DType::kF32, y, {m, n}).Launch().ok());
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += std::exp(double(x[i * n + j]));
        for (int64_t j = 0; j < n; ++j) ASSERT_NEAR(y[i * n + j], std::exp(double(x[i * n + j])) / sum, 1e-6);
      }
      EXPECT_EQ(y[m * n], -7);
    }
  }
}

TEST(CpuRun, ReductionsOverEitherAxisAndAll) {
  const char* text = R"(
kernel reduce(x: tensor<f32>[8, 20], rows: out tensor<f32>[8], columns: out tensor<f32>[20], all: out tensor<f32>[4])
  launch grid(1)
{
  alloc t: f32[8, 20] in local
  cta.copy(t, x[:, :])
  cta.copy(rows[:], cta.max(t, axis = 1))
  cta.copy(columns[:], cta.sum(t, axis = 0))
  let total = cta.sum(t)
  let least = cta.min(t)
  let product = cta.prod(t + 1)
  all[0] = total
  all[1] = least
  all[2] = product
  all[3] = select(cta.any(t > 0.99), 1.0, 0.0)
}
)";
  TileKernel kernel = Build(text, {});
  std::vector<float> x = Random(160), rows(8), columns(20), all(4);
  ASSERT_TRUE(kernel.Tensor(DType::kF32, x, {8, 20})
                  .Tensor(DType::kF32, rows, {8})
                  .Tensor(DType::kF32, columns, {20})
                  .Tensor(DType::kF32, all, {4})
                  .Launch()
                  .ok());
  double total = 0, product = 1;
  float least = 2, most = -2;
  for (int64_t i = 0; i < 8; ++i) {
    float top = -2;
    for (int64_t j = 0; j < 20; ++j) {
      float v = x[i * 20 + j];
      top = std::max(top, v);
      least = std::min(least, v);
      most = std::max(most, v);
      total += v;
      product *= v + 1.0;
    }
    EXPECT_EQ(rows[i], top);
  }
  for (int64_t j = 0; j < 20; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < 8; ++i) sum += x[i * 20 + j];
    EXPECT_NEAR(columns[j], sum, 1e-6);
  }
  EXPECT_NEAR(all[0], total, 1e-4);
  EXPECT_EQ(all[1], least);
  EXPECT_NEAR(all[2] / product, 1, 1e-4);
  EXPECT_EQ(all[3], most > 0.99f ? 1.0f : 0.0f);
}

TEST(CpuRun, GatherReadsZeroOutsideTheTable) {
  const char* text = R"(
kernel embed<R: int>(table: tensor<f32>[V, 24], ids: tensor<i32>[M], y: out tensor<f32>[M, 24])
  where M: dynamic, V: dynamic
  launch grid(ceildiv(M, R))
{
  let row = cta_id.x * R
  alloc i: i32[R] in local
  alloc t: f32[R, 24] in local
  cta.copy(i, ids[row +: R])
  cta.gather(t, table, i)
  cta.copy(y[row +: R, :], t)
}
)";
  Bindings bindings;
  bindings.ints = {{"R", 4}};
  TileKernel kernel = Build(text, bindings);
  std::vector<float> table = Random(5 * 24), y(6 * 24, -7);
  std::vector<int32_t> ids = {4, 0, -1, 5, 2, 2};
  ASSERT_TRUE(kernel.Tensor(DType::kF32, table, {5, 24})
                  .Tensor(DType::kI32, ids, {6})
                  .Tensor(DType::kF32, y, {6, 24})
                  .Launch()
                  .ok());
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 24; ++j)
      EXPECT_EQ(y[i * 24 + j], ids[i] < 0 || ids[i] > 4 ? 0 : table[ids[i] * 24 + j]) << i << ", " << j;
}

TEST(CpuRun, ViewsReshapePermuteAndStrides) {
  // y[h, i, :] = x[i, h, :] for x as [M, H * D].
  const char* text = R"(
kernel heads(x: tensor<f32>[M, 12], y: out tensor<f32>[3, M, 4])
  where M: dynamic
  launch grid(ceildiv(M, 5))
{
  let row = cta_id.x * 5
  alloc t: f32[5, 12] in local
  cta.copy(t, x[row +: 5, :])
  cta.copy(y[:, row +: 5, :], t.reshape(5, 3, 4).permute(1, 0, 2))
}
)";
  Bindings bindings;
  bindings.tensors["x"].contiguous = false;
  TileKernel kernel = Build(text, bindings);
  constexpr int64_t kRows = 7, kStride = 15;
  std::vector<float> x = Random(kRows * kStride), y(kRows * 12 + 1, -7);
  ASSERT_TRUE(
      kernel.Add(DType::kF32, x.data(), {kRows, 12}, {kStride, 1}).Tensor(DType::kF32, y, {3, kRows, 4}).Launch().ok());
  for (int64_t h = 0; h < 3; ++h)
    for (int64_t i = 0; i < kRows; ++i)
      for (int64_t d = 0; d < 4; ++d)
        EXPECT_EQ(y[(h * kRows + i) * 4 + d], x[i * kStride + h * 4 + d]) << h << ", " << i << ", " << d;
  EXPECT_EQ(y[kRows * 12], -7);
}

TEST(CpuRun, ATileMayBeRearrangedInPlace) {
  const char* text = R"(
kernel turn(x: tensor<f32>[16, 16], y: out tensor<f32>[16, 16])
  launch grid(1)
{
  alloc t: f32[16, 16] in local
  cta.copy(t, x[:, :])
  t = t + t.permute(1, 0)
  cta.copy(y[:, :], t)
}
)";
  std::vector<float> x = Random(256), y(256);
  ASSERT_TRUE(Build(text, {}).Tensor(DType::kF32, x, {16, 16}).Tensor(DType::kF32, y, {16, 16}).Launch().ok());
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) EXPECT_EQ(y[i * 16 + j], x[i * 16 + j] + x[j * 16 + i]);
}

TEST(CpuRun, TextForOneThread) {
  const char* text = R"(
kernel staging(q: tensor<i32>[8], y: out tensor<i32>[8])
  launch grid(4) block(1)
{
  alloc t: i32[2] in shared
  for i in thread_id .. 2 step 1 { t[i] = q[cta_id.x * 2 + i] * 2 }
  cta.sync()
  for i in thread_id .. 2 step 1 { y[cta_id.x * 2 + i] = t[i] + 1 }
}
)";
  std::vector<int32_t> q = {0, 1, 2, 3, 4, 5, 6, 7}, y(8);
  ASSERT_TRUE(Build(text, {}).Tensor(DType::kI32, q, {8}).Tensor(DType::kI32, y, {8}).Launch().ok());
  EXPECT_EQ(y, (std::vector<int32_t>{1, 3, 5, 7, 9, 11, 13, 15}));
}

TEST(CpuRun, TextForManyThreadsIsRefused) {
  const char* text = R"(
kernel lanes(y: out tensor<i32>[32])
  launch grid(1) block(32)
{
  y[thread_id] = 1
}
)";
  EXPECT_EQ(TileKernel::Build(text, {}).status(),
            absl::UnimplementedError("lower: kernel \"lanes\" 5:5: expected text for one thread a CTA, found thread_id "
                                     "with block(32); write block(1), or use target `reference`, which interprets "
                                     "threads"));
}

// Case CPU-2 V
TEST(CpuRun, TilesBeyondScratchAreRefused) {
  const char* text = R"(
kernel large(x: tensor<u8>[8])
  launch grid(1)
{
  alloc t: u8[65536, 65537] in local
  cta.fill(t, 0)
}
)";
  EXPECT_EQ(TileKernel::Build(text, {}).status(),
            absl::ResourceExhaustedError("lower: kernel \"large\" 5:3: tile \"t\" takes 4295032832 bytes after 0 of "
                                         "others: expected at most 268435456"));
}

}  // namespace
}  // namespace kiln
