// The kernels written for sm_90a: the tiles as written, and what they are lowered to, thread by thread. Both
// interpreters run the clusters of a persistent grid side by side.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/targets/targets.h"
#include "tests/kernels/case.h"
#include "tests/kernels/cuda_line.h"
#include "tests/kernels/interp_run.h"
#include "tests/kernels/problem_builder.h"

namespace kiln::testing {
namespace {

// log(sum(exp(scores))) of every query over the keys that are not after it: [batch, heads, queries].
Values LogSumExp(const Doubles& q, const Doubles& k, double scale, const AttentionShape& s) {
  Values out;
  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t h = 0; h < s.heads; ++h)
      for (int64_t i = 0; i < s.queries; ++i) {
        const int64_t group = h / (s.heads / s.groups), row = ((b * s.queries + i) * s.heads + h) * s.dim;
        double sum = 0, magnitude = 0;
        for (int64_t j = 0; j <= i; ++j) {
          const int64_t key = ((b * s.keys + j) * s.groups + group) * s.dim;
          double score = 0, terms = 0;
          for (int64_t d = 0; d < s.dim; ++d) {
            score += scale * q[row + d] * k[key + d];
            terms += std::fabs(scale * q[row + d] * k[key + d]);
          }
          sum += std::exp(score);
          magnitude = std::max(magnitude, terms);
        }
        // The scores' own error, exp2 and log2, and one addition a key.
        out.push_back({std::log(sum), s.dim * 0x1p-22 * magnitude + (s.keys + 32) * 0x1p-23});
      }
  return out;
}

// Causal attention over one whole block and over ragged ones, with heads that share keys; and its log-sum-exp.
void AddAttention(std::vector<Case>& cases) {
  constexpr int64_t kDim = 128;
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 128, 2, 1}, std::vector<int64_t>{2, 200, 2, 2}}) {
    const int64_t batch = shape[0], length = shape[1], heads = shape[2], groups = shape[3];
    Case c;
    c.file = c.kernel = "attention_sm90";
    c.shape = absl::StrJoin(shape, "x");
    c.ints = {{"D", kDim}};
    c.configs = {{}};
    c.make = [=](DType dtype, Memory memory) {
      ProblemBuilder p(dtype, memory);
      const Doubles q = p.In("q", {batch, length, heads, kDim}), k = p.In("k", {batch, length, groups, kDim}),
                    v = p.In("v", {batch, length, groups, kDim});
      const size_t o = p.Out("o", {batch, length, heads, kDim});
      const size_t lse = p.OutAs(DType::kF32, "lse", {batch, heads, length});
      const double scale = p.Scalar("scale", 0.088388f);
      const AttentionShape all = {batch, length, length, heads, groups, kDim, /*causal=*/true};
      const Doubles lens(static_cast<size_t>(batch), static_cast<double>(length));
      p.Expect(o, Attention(q, k, v, lens, all, scale, dtype, (length + 127) / 128));
      p.Expect(lse, LogSumExp(q, k, scale, all));
      return p.Done();
    };
    cases.push_back(std::move(c));
  }
}

// c = a * b^T, of two by two tiles and six steps, and of ragged tiles in every dimension.
const std::vector<Case>& HopperCases() {
  static const auto* const cases = [] {
    auto* out = new std::vector<Case>;
    for (const std::vector<int64_t>& shape :
         {std::vector<int64_t>{512, 256, 384}, std::vector<int64_t>{300, 136, 200}, std::vector<int64_t>{1, 8, 8}}) {
      const int64_t m = shape[0], n = shape[1], k = shape[2];
      Case c;
      c.file = c.kernel = "gemm_sm90";
      c.shape = absl::StrJoin(shape, "x");
      c.ints = {{"N", n}, {"K", k}};
      c.configs = {{{"BN", 128}, {"STAGES", 3}, {"GROUP", 4}}};
      c.make = [=](DType dtype, Memory memory) {
        ProblemBuilder p(dtype, memory);
        const Doubles a = p.In("a", {m, k}), b = p.In("b", {n, k});
        p.Expect(p.Out("c", {m, n}), Gemm(a, b, m, n, k, true));
        return p.Done();
      };
      out->push_back(std::move(c));
    }
    AddAttention(*out);
    return out;
  }();
  return *cases;
}

class HopperKernel : public ::testing::TestWithParam<struct Run> {
 protected:
  void Check(const Target& target, bool lowered) {
    const struct Run& run = GetParam();
    for (const Config& config : run.test->configs) {
      SCOPED_TRACE(Text(config));
      Problem problem = run.test->make(run.dtype, run.test->memory);
      absl::StatusOr<ir::Kernel> kernel = SpecializeFor(run, problem, config, target);
      ASSERT_TRUE(kernel.ok()) << kernel.status();
      if (lowered) kernel = LowerForCuda(*kernel, target);
      ASSERT_TRUE(kernel.ok()) << kernel.status();
      const absl::Status status = RunInInterpreter(*kernel, problem);
      ASSERT_TRUE(status.ok()) << status;
      ExpectResults(problem);
    }
  }
};

TEST_P(HopperKernel, AgreesAsTiles) { Check(FindTarget("reference").value(), /*lowered=*/false); }
TEST_P(HopperKernel, AgreesAsLowered) { Check(FindTarget("sm_90a").value(), /*lowered=*/true); }

std::vector<Run> HopperRuns() {
  std::vector<Run> runs;
  for (const Case& c : HopperCases())
    for (DType dtype : {DType::kF16, DType::kBF16}) runs.push_back({&c, dtype});
  return runs;
}

INSTANTIATE_TEST_SUITE_P(Library, HopperKernel, ::testing::ValuesIn(HopperRuns()),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace kiln::testing
