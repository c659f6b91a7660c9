// The kernels written for sm_90a: the tiles as written, and what they are lowered to, thread by thread. Both interpreters
// run the clusters of a persistent grid side by side.

#include <gtest/gtest.h>

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
