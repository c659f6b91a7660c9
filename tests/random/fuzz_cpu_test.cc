// Random kernels on this machine's CPU give what their tiles give in the interpreter.

#include <gtest/gtest.h>

#include "kiln/internal/status_macros.h"
#include "tests/kernels/cpu_line.h"
#include "tests/random/run.h"

namespace kiln::testing {
namespace {

constexpr uint64_t kSeedsOfOne = 100;

absl::StatusOr<Results> RunOnCpu(const RandomKernel& kernel) {
  std::vector<Tensor> tensors = kernel.Tensors();
  KILN_ASSIGN_OR_RETURN(const ir::Kernel tiles, SpecializeFor(kernel, tensors, ThisMachine()));
  KILN_ASSIGN_OR_RETURN(const auto loaded, LoadOnCpu(tiles));
  std::vector<runtime::Arg> args(tensors.size());
  for (size_t i = 0; i < args.size(); ++i)
    args[i].tensor = {tensors[i].data(), tensors[i].shape().data(), tensors[i].strides().data(),
                      static_cast<int32_t>(tensors[i].shape().size()), tensors[i].dtype()};
  KILN_RETURN_IF_ERROR(loaded->Launch(nullptr, args));
  return tensors;
}

class RandomOnCpu : public ::testing::TestWithParam<uint64_t> {};

TEST_P(RandomOnCpu, AgreesWithItsTiles) {
  for (uint64_t seed = GetParam(); seed < GetParam() + kSeedsOfOne; ++seed) EXPECT_EQ(Disagreement(seed, RunOnCpu), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomOnCpu, ::testing::Range(uint64_t{0}, uint64_t{2000}, kSeedsOfOne));

}  // namespace
}  // namespace kiln::testing
