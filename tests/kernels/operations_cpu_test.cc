// Tile operations by themselves on this machine's CPU.

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/cpu_line.h"
#include "tests/kernels/operation_cases.h"

namespace kiln::testing {
namespace {

class OperationOnCpu : public ::testing::TestWithParam<OperationCase> {};

TEST_P(OperationOnCpu, GivesWhatItMust) {
  const absl::StatusOr<ir::Kernel> kernel = SpecializeFor(GetParam(), ThisMachine());
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const auto loaded = LoadOnCpu(*kernel);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<interp::Array> arrays = GetParam().args;
  std::vector<interp::Tensor> tensors;
  std::vector<runtime::Arg> args(arrays.size());
  for (interp::Array& array : arrays) tensors.push_back(array.tensor());
  for (size_t i = 0; i < args.size(); ++i) args[i].tensor = ArgumentOf(tensors[i], tensors[i].data);
  const absl::Status status = (*loaded)->Launch(nullptr, args);
  ASSERT_TRUE(status.ok()) << status;
  ExpectResults(GetParam(), arrays);
}

std::vector<OperationCase> Portable() {
  std::vector<OperationCase> cases;
  for (const OperationCase& c : OperationCases())
    if (c.cpu) cases.push_back(c);
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, OperationOnCpu, ::testing::ValuesIn(Portable()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kiln::testing
