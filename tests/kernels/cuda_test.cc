// Every kernel as lowered for NVIDIA GPUs, thread by thread in the interpreter: fragments, shuffles, asynchronous
// copies and barriers, with races and reads of unwritten memory as errors.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/targets/targets.h"
#include "tests/kernels/case.h"
#include "tests/kernels/cuda_line.h"
#include "tests/kernels/interp_run.h"

namespace kiln::testing {
namespace {

class KernelOnCuda : public ::testing::TestWithParam<std::tuple<Run, const char*>> {};

TEST_P(KernelOnCuda, AgreesWithTheReference) {
  const auto& [run, target_name] = GetParam();
  const Target target = FindTarget(target_name).value();
  const int turn = target.name == "sm_80" ? 0 : 1;
  int ran = 0;
  for (const Config& config : ConfigsOf(run, turn)) {
    SCOPED_TRACE(Text(config));
    Problem problem = run.test->make(run.dtype, run.test->memory);
    const absl::StatusOr<ir::Kernel> kernel = SpecializeFor(run, problem, config, target);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    const absl::StatusOr<ir::Kernel> native = LowerForCuda(*kernel, target);
    // Configurations are written for the largest dtype that fits them; a tile too large is refused, as it should be.
    if (absl::IsResourceExhausted(native.status())) continue;
    ASSERT_TRUE(native.ok()) << native.status();
    ++ran;
    const absl::Status status = RunInInterpreter(*native, problem);
    ASSERT_TRUE(status.ok()) << status;
    ExpectResults(problem);
  }
  if (ran == 0) GTEST_SKIP() << "no configuration of " << Name(run) << " fits " << target_name;
}

INSTANTIATE_TEST_SUITE_P(Library, KernelOnCuda,
                         ::testing::Combine(::testing::ValuesIn(Runs()), ::testing::Values("sm_80", "sm_90a")),
                         [](const auto& info) {
                           return absl::StrCat(Name(std::get<0>(info.param)), "_", std::get<1>(info.param));
                         });

}  // namespace
}  // namespace kiln::testing
