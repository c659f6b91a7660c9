// A loaded CUDA kernel and its launch.
#ifndef KILN_RUNTIME_CUDA_LAUNCH_H_
#define KILN_RUNTIME_CUDA_LAUNCH_H_

#include <string>

#include "runtime/cuda/driver.h"
#include "runtime/device.h"
#include "runtime/prepared_recipe.h"

namespace kiln::runtime::cuda {

class CudaKernel : public LoadedKernel {
 public:
  // REQUIRES: the artifact's recipe is valid, and `function` lives as long as this.
  CudaKernel(const Driver& driver, Context context, Function function, const DeviceLimits& limits,
             const Artifact& artifact);

  // `stream` is a CUstream of the device; null is the default stream. Nothing is allocated but an error's text.
  absl::Status Launch(void* stream, absl::Span<const Arg> args) const override;

 private:
  const Driver& driver_;
  const Context context_;
  const Function function_;
  const DeviceLimits limits_;
  const PreparedRecipe recipe_;
  const size_t arg_count_;
  const bool has_tensor_maps_;
  const std::string launching_;  // "launch rmsnorm": for errors
};

}  // namespace kiln::runtime::cuda

#endif  // KILN_RUNTIME_CUDA_LAUNCH_H_
