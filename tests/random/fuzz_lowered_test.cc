// Random kernels as lowered for NVIDIA GPUs give what their tiles give, thread by thread in the interpreter, with races
// and reads of unwritten memory as errors.

#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>

#include "compiler/targets/targets.h"
#include "tests/random/run.h"

namespace kiln::testing {
namespace {

constexpr uint64_t kSeedsOfOne = 25;

class RandomLowered : public ::testing::TestWithParam<std::tuple<const char*, uint64_t>> {};

TEST_P(RandomLowered, AgreesWithItsTiles) {
  const Target target = FindTarget(std::get<0>(GetParam())).value();
  const uint64_t first = std::get<1>(GetParam());
  for (uint64_t seed = first; seed < first + kSeedsOfOne; ++seed)
    EXPECT_EQ(Disagreement(seed, [&](const RandomKernel& kernel) { return RunLowered(kernel, target); }), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLowered,
                         ::testing::Combine(::testing::Values("sm_80", "sm_90a"),
                                            ::testing::Range(uint64_t{0}, uint64_t{500}, kSeedsOfOne)));

}  // namespace
}  // namespace kiln::testing
