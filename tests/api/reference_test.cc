// What `--check` believes: the comparison and the sample of the grid.
#include "api/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/documents.h"
#include "api/kernel_order.h"
#include "api/session.h"
#include "api/work.h"
#include "compiler/targets/targets.h"

namespace kiln::api {
namespace {

constexpr char kText[] = R"(
kernel twice(x: tensor<f32>[M, N], y: out tensor<f32>[M, N])
  where M: dynamic, N: static
  launch grid(M) block(32)
{
  let row = cta_id.x
  cta.copy(y[row +: 1, :], x[row +: 1, :] * 2)
}

kernel product<BM: tune(32)>(a: tensor<f32>[M, K], b: tensor<f32>[N, K], c: out tensor<f32>[M, N])
  where M: dynamic, N: static, K: static
  launch grid(ceildiv(M, BM), ceildiv(N, BM))
{
  let m = cta_id.x * BM
  let n = cta_id.y * BM
  alloc acc: f32[BM, BM] in local = 0
  for k in pipelined 0 .. K step 16 stages 2 {
    alloc at: f32[BM, 16] in shared
    alloc bt: f32[BM, 16] in shared
    cta.copy(at, a[m +: BM, k +: 16])
    cta.copy(bt, b[n +: BM, k +: 16])
    cta.gemm(acc, at, bt, trans_b = true)
  }
  cta.copy(c[m +: BM, n +: BM], acc)
}
)";

struct Case {
  Case(const std::string& kernel, std::map<std::string, int64_t> shape) : values(std::move(shape)) {
    module = ModuleFromText(kText, "test.kiln").value();
    const Target target = FindTarget("reference").value();
    request = MakeRequest(OrderFor(module, {kernel, values, {}, {}}, target).value()).value();
    const Signature signature = Signature::Create(*ir::FindKernel(module, kernel), {}).value();
    before = MakeArguments(signature, values, {}, {}, 1).value();
  }
  std::map<std::string, int64_t> values;
  ir::Module module;
  CompileRequest request;
  std::vector<MadeArgument> before;
};

float& At(std::vector<MadeArgument>& made, size_t argument, int64_t i) {
  return reinterpret_cast<float*>(made[argument].tensor.data)[i];
}

TEST(Reference, TheWholeGrid) {
  Case c("twice", {{"M", 3}, {"N", 5}});
  std::vector<MadeArgument> want = CopyOf(c.before);
  const ReferenceRun run = RunReference(c.request.kernel, &want, 1 << 20).value();
  EXPECT_TRUE(run.sample.empty());
  EXPECT_EQ(run.grid, (std::array<int64_t, 3>{3, 1, 1}));
  for (int64_t i = 0; i < 15; ++i) EXPECT_EQ(At(want, 1, i), 2 * At(want, 0, i));

  std::vector<MadeArgument> got = CopyOf(want);
  Comparison same = Compare(c.before, want, got, 0x1p-14, true);
  EXPECT_TRUE(same.pass);
  EXPECT_EQ(same.compared, 15);
  EXPECT_EQ(same.max_error, 0);
  At(got, 1, 7) += 0.5f;
  Comparison off = Compare(c.before, want, got, 0x1p-14, true);
  EXPECT_FALSE(off.pass);
  EXPECT_NEAR(off.max_error, 0.5, 1e-6);
  EXPECT_THAT(off.worst, ::testing::StartsWith("y[1, 2]: expected "));
  At(got, 1, 7) = std::nanf("");
  EXPECT_FALSE(Compare(c.before, want, got, 0x1p-14, true).pass);
}

TEST(Reference, ASampleOfTheGridHasTheLastCta) {
  Case c("twice", {{"M", 1000}, {"N", 64}});
  std::vector<MadeArgument> want = CopyOf(c.before);
  const ReferenceRun run = RunReference(c.request.kernel, &want, 2000).value();
  ASSERT_FALSE(run.sample.empty());
  EXPECT_LT(run.sample.size(), 64u);
  EXPECT_EQ(run.sample.back(), 999);
  const int64_t last = 999 * 64;
  EXPECT_EQ(At(want, 1, last), 2 * At(want, 0, last));
  // Rows that were not run are as they were, and are not compared.
  EXPECT_EQ(At(want, 1, 64), At(c.before, 1, 64));
  std::vector<MadeArgument> got = CopyOf(c.before);
  for (int64_t i = 0; i < 64000; ++i) At(got, 1, i) = 2 * At(got, 0, i);
  const Comparison comparison = Compare(c.before, want, got, 0x1p-14, false);
  EXPECT_TRUE(comparison.pass);
  EXPECT_EQ(comparison.compared, static_cast<int64_t>(run.sample.size()) * 64);
}

TEST(Reference, WritesWhereNoneShouldBe) {
  Case c("twice", {{"M", 2}, {"N", 4}});
  std::vector<MadeArgument> got = CopyOf(c.before);
  At(got, 1, 3) += 1;
  EXPECT_TRUE(Compare(c.before, c.before, got, 0x1p-14, false).pass);
  EXPECT_FALSE(Compare(c.before, c.before, got, 0x1p-14, true).pass);
}

TEST(Reference, TooMuchForOneCta) {
  Case c("twice", {{"M", 2}, {"N", 4096}});
  const absl::Status status = RunReference(c.request.kernel, &c.before, 100).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(),
            "check: kernel \"twice\": one CTA alone is too much for the reference: check a smaller shape");
}

TEST(Work, CountsProducts) {
  const Case c("product", {{"M", 100}, {"N", 64}, {"K", 48}});
  const Work work = WorkOf(c.request.kernel, c.values);
  EXPECT_EQ(work.grid, (std::array<int64_t, 3>{4, 2, 1}));
  EXPECT_EQ(work.cta_flops, 2.0 * 32 * 32 * 48);
  EXPECT_EQ(work.flops, 8 * work.cta_flops);
}

}  // namespace
}  // namespace kiln::api
