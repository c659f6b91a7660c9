// Every kernel on this machine: lowered for its CPU, compiled, loaded and launched over a pool of threads.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "tests/kernels/case.h"
#include "tests/kernels/cpu_line.h"

namespace kiln::testing {
namespace {

absl::Status Launch(const runtime::LoadedKernel& kernel, Problem& problem) {
  std::vector<runtime::Arg> args(problem.args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (auto* tensor = std::get_if<Tensor>(&problem.args[i].value)) {
      args[i].tensor = {tensor->data(), tensor->shape().data(), tensor->strides().data(),
                        static_cast<int32_t>(tensor->shape().size()), tensor->dtype()};
    } else {
      args[i].is_tensor = false;
      args[i].scalar_dtype = DType::kF32;
      std::memcpy(&args[i].scalar, &std::get<float>(problem.args[i].value), sizeof(float));
    }
  }
  return kernel.Launch(nullptr, args);
}

class KernelOnCpu : public ::testing::TestWithParam<Run> {};

TEST_P(KernelOnCpu, AgreesWithTheReference) {
  for (const Config& config : ConfigsOf(GetParam(), 0)) {
    SCOPED_TRACE(Text(config));
    Problem problem = GetParam().test->make(GetParam().dtype, GetParam().test->memory);
    const absl::StatusOr<ir::Kernel> kernel = SpecializeFor(GetParam(), problem, config, ThisMachine());
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    const auto loaded = LoadOnCpu(*kernel);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    const absl::Status status = Launch(**loaded, problem);
    ASSERT_TRUE(status.ok()) << status;
    ExpectResults(problem);
  }
}

INSTANTIATE_TEST_SUITE_P(Library, KernelOnCpu, ::testing::ValuesIn(Runs()),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace kiln::testing
