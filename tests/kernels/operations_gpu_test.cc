// Tile operations by themselves on the first NVIDIA GPU; skipped where there is none.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/lower/abi.h"
#include "compiler/targets/targets.h"
#include "compiler/toolchain/nvrtc.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "tests/kernels/cuda_line.h"
#include "tests/kernels/operation_cases.h"

namespace kiln::testing {
namespace {

using runtime::cuda::CudaDevice;
using runtime::cuda::DeviceMemory;

const absl::StatusOr<std::unique_ptr<NvrtcToolchain>>& Nvrtc() {
  static const auto* const opened = new absl::StatusOr<std::unique_ptr<NvrtcToolchain>>(NvrtcToolchain::Open());
  return *opened;
}

const absl::StatusOr<std::unique_ptr<CudaDevice>>& Gpu() {
  static const auto* const opened = new absl::StatusOr<std::unique_ptr<CudaDevice>>(CudaDevice::Open(0));
  return *opened;
}

absl::StatusOr<std::shared_ptr<const runtime::LoadedKernel>> Load(const OperationCase& c, const Target& target) {
  KILN_ASSIGN_OR_RETURN(const ir::Kernel kernel, SpecializeFor(c, target));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel native, LowerForCuda(kernel, target));
  KILN_ASSIGN_OR_RETURN(const Source source, EmitCuda(native, target));
  CompileOptions options;
  options.arch = target.arch;
  KILN_ASSIGN_OR_RETURN(Compiled compiled, (*Nvrtc())->Compile(source, options));
  Artifact artifact;
  artifact.kind = TargetKind::kCuda;
  artifact.arch = target.arch;
  artifact.kernel = native.name;
  artifact.entry = source.entry;
  artifact.binary = std::move(compiled.binary);
  artifact.args = ArgsOf(native);
  KILN_ASSIGN_OR_RETURN(artifact.recipe, MakeRecipe(native));
  return (*Gpu())->Load(artifact);
}

void RunOnGpu(const OperationCase& c, const Target& target) {
  const auto loaded = Load(c, target);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<interp::Array> arrays = c.args;
  std::vector<interp::Tensor> tensors;
  std::vector<DeviceMemory> memory;
  std::vector<runtime::Arg> args(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    tensors.push_back(arrays[i].tensor());
    absl::StatusOr<DeviceMemory> made = DeviceMemory::Allocate(**Gpu(), arrays[i].bytes());
    ASSERT_TRUE(made.ok()) << made.status();
    ASSERT_TRUE(made->CopyFrom(tensors[i].data, arrays[i].bytes()).ok());
    memory.push_back(*std::move(made));
  }
  for (size_t i = 0; i < args.size(); ++i) args[i].tensor = ArgumentOf(tensors[i], memory[i].data());
  const absl::Status status = (*loaded)->Launch(nullptr, args);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < args.size(); ++i) {
    // Waits for the kernel: both are of the default stream.
    const absl::Status copied = memory[i].CopyTo(tensors[i].data, arrays[i].bytes());
    ASSERT_TRUE(copied.ok()) << copied;
  }
  ExpectResults(c, arrays);
}

TEST(OperationsOnGpu, GiveWhatTheyMust) {
  if (!Gpu().ok()) GTEST_SKIP() << Gpu().status();
  if (!Nvrtc().ok()) GTEST_SKIP() << Nvrtc().status();
  const absl::StatusOr<Target> target = FindTarget((*Gpu())->arch());
  ASSERT_TRUE(target.ok()) << target.status();
  for (const OperationCase& c : OperationCases()) {
    SCOPED_TRACE(c.name);
    RunOnGpu(c, *target);
  }
}

}  // namespace
}  // namespace kiln::testing
