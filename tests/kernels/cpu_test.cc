// Every kernel on this machine: lowered for its CPU, compiled, loaded and launched over a pool of threads.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/lower/abi.h"
#include "compiler/lower/cpu/lower_cpu.h"
#include "compiler/targets/targets.h"
#include "compiler/toolchain/cpu_arch.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cpu/device.h"
#include "tests/compiler/codegen/llvm/host_kernel.h"
#include "tests/kernels/case.h"

namespace kiln::testing {
namespace {

const Target& ThisMachine() {
  static const auto* const target = [] {
    auto* made = new Target(FindTarget("cpu").value());
    FillCpuTarget(Llvm().HostArch(), made);
    return made;
  }();
  return *target;
}

absl::StatusOr<std::shared_ptr<const runtime::LoadedKernel>> Load(const ir::Kernel& kernel) {
  KILN_ASSIGN_OR_RETURN(const ir::Kernel native, LowerCpu(kernel, ThisMachine()));
  KILN_ASSIGN_OR_RETURN(const Source source, EmitLlvm(native, ThisMachine()));
  CompileOptions options;
  options.arch = ThisMachine().arch;
  KILN_ASSIGN_OR_RETURN(Compiled compiled, Llvm().Compile(source, options));
  Artifact artifact;
  artifact.kind = TargetKind::kCpu;
  artifact.arch = options.arch;
  artifact.kernel = kernel.name;
  artifact.entry = source.entry;
  artifact.binary = std::move(compiled.binary);
  artifact.args = ArgsOf(native);
  KILN_ASSIGN_OR_RETURN(artifact.recipe, MakeRecipe(native));
  static auto* const device =
      new std::shared_ptr<runtime::Device>(runtime::cpu::CreateDevice({2, nullptr, ""}).value());
  return (*device)->Load(artifact);
}

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
    const auto loaded = Load(*kernel);
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
