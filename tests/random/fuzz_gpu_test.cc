// Random kernels on the GPU of this machine give what their tiles give in the interpreter.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/lower/abi.h"
#include "compiler/targets/targets.h"
#include "compiler/toolchain/nvrtc.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "tests/kernels/cuda_line.h"
#include "tests/random/run.h"

namespace kiln::testing {
namespace {

using runtime::cuda::CudaDevice;
using runtime::cuda::DeviceMemory;

constexpr uint64_t kSeeds = 500, kSeedsOfOne = 25;

const absl::StatusOr<std::unique_ptr<NvrtcToolchain>>& Nvrtc() {
  static const auto* const opened = new absl::StatusOr<std::unique_ptr<NvrtcToolchain>>(NvrtcToolchain::Open());
  return *opened;
}

const absl::StatusOr<std::unique_ptr<CudaDevice>>& Gpu() {
  static const auto* const opened = new absl::StatusOr<std::unique_ptr<CudaDevice>>(CudaDevice::Open(0));
  return *opened;
}

absl::StatusOr<Results> RunOnGpu(const RandomKernel& kernel) {
  KILN_ASSIGN_OR_RETURN(const Target target, FindTarget((*Gpu())->arch()));
  std::vector<Tensor> tensors = kernel.Tensors();
  KILN_ASSIGN_OR_RETURN(const ir::Kernel tiles, SpecializeFor(kernel, tensors, target));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel native, LowerForCuda(tiles, target));
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
  KILN_ASSIGN_OR_RETURN(const auto loaded, (*Gpu())->Load(artifact));
  std::vector<DeviceMemory> memory;
  std::vector<runtime::Arg> args(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    // With what lies around the elements, so that a touched gap shows.
    KILN_ASSIGN_OR_RETURN(DeviceMemory made, DeviceMemory::Allocate(**Gpu(), tensors[i].span().size()));
    KILN_RETURN_IF_ERROR(made.CopyFrom(tensors[i].span().data(), tensors[i].span().size()));
    args[i].tensor = {static_cast<uint8_t*>(made.data()) + tensors[i].before(), tensors[i].shape().data(),
                      tensors[i].strides().data(), static_cast<int32_t>(tensors[i].shape().size()), tensors[i].dtype()};
    memory.push_back(std::move(made));
  }
  KILN_RETURN_IF_ERROR(loaded->Launch(nullptr, args));
  for (size_t i = 0; i < tensors.size(); ++i)
    KILN_RETURN_IF_ERROR(memory[i].CopyTo(tensors[i].span().data(), tensors[i].span().size()));
  return tensors;
}

class RandomOnGpu : public ::testing::TestWithParam<uint64_t> {};

TEST_P(RandomOnGpu, AgreesWithItsTiles) {
  if (!Gpu().ok()) GTEST_SKIP() << Gpu().status();
  if (!Nvrtc().ok()) GTEST_SKIP() << Nvrtc().status();
  for (uint64_t seed = GetParam(); seed < GetParam() + kSeedsOfOne; ++seed) EXPECT_EQ(Disagreement(seed, RunOnGpu), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomOnGpu, ::testing::Range(uint64_t{0}, kSeeds, kSeedsOfOne));

}  // namespace
}  // namespace kiln::testing
