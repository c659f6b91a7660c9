// Every kernel's text means what its reference says: the tiles as written, in the interpreter.

#include <gtest/gtest.h>

#include "compiler/targets/targets.h"
#include "tests/kernels/case.h"
#include "tests/kernels/interp_run.h"

namespace kiln::testing {
namespace {

class KernelTiles : public ::testing::TestWithParam<Run> {};

TEST_P(KernelTiles, AgreeWithTheReference) {
  const Target target = FindTarget("reference").value();
  for (const Config& config : ConfigsOf(GetParam(), 0)) {
    SCOPED_TRACE(Text(config));
    Problem problem = GetParam().test->make(GetParam().dtype, GetParam().test->memory);
    const absl::StatusOr<ir::Kernel> kernel = SpecializeFor(GetParam(), problem, config, target);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    const absl::Status status = RunInInterpreter(*kernel, problem);
    ASSERT_TRUE(status.ok()) << status;
    ExpectResults(problem);
  }
}

INSTANTIATE_TEST_SUITE_P(Library, KernelTiles, ::testing::ValuesIn(Runs()),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace kiln::testing
