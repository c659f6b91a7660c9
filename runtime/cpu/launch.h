// A loaded CPU kernel and how its grid runs.
#ifndef KILN_RUNTIME_CPU_LAUNCH_H_
#define KILN_RUNTIME_CPU_LAUNCH_H_

#include <memory>
#include <string>

#include "runtime/cpu/module.h"
#include "runtime/cpu/parallel.h"
#include "runtime/cpu/scratch.h"
#include "runtime/device.h"
#include "runtime/prepared_recipe.h"

namespace kiln::runtime::cpu {

// What every kernel of a device shares; kernels hold it, so that they may outlive the device.
struct Shared {
  const LlvmBackendApi* llvm = nullptr;
  std::unique_ptr<Parallel> own_pool;  // Null where an engine lends its threads
  Parallel* parallel = nullptr;
  ScratchPool scratch;
  std::string arch;
  DeviceLimits limits;
};

class CpuKernel : public LoadedKernel {
 public:
  CpuKernel(std::shared_ptr<Shared> shared, std::unique_ptr<const Module> module, const Artifact& artifact)
      : shared_(std::move(shared)),
        module_(std::move(module)),
        kernel_(artifact.kernel),
        recipe_(artifact.recipe),
        arg_count_(artifact.args.size()) {}

  absl::Status Launch(void* stream, absl::Span<const Arg> args) const override;

 private:
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<const Module> module_;
  const std::string kernel_;
  const PreparedRecipe recipe_;
  const size_t arg_count_;
};

}  // namespace kiln::runtime::cpu

#endif  // KILN_RUNTIME_CPU_LAUNCH_H_
