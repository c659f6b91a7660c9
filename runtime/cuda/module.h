// Machine code on a device: a module with one kernel, ready to launch.
#ifndef KILN_RUNTIME_CUDA_MODULE_H_
#define KILN_RUNTIME_CUDA_MODULE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/cuda/driver.h"
#include "runtime/device.h"

namespace kiln::runtime::cuda {

// Loads the artifact's binary and its entry, raises the function's dynamic shared memory to what the recipe asks for,
// and forces the code onto the device, where a lazy driver would load it inside the first launch. `*module` is the
// caller's to unload, on failure too when it is not null. REQUIRES: `context` is current. InvalidArgument when the
// recipe is malformed or needs more shared memory than the device has.
absl::StatusOr<std::shared_ptr<const LoadedKernel>> LoadKernel(const Driver& driver, Context context,
                                                               const DeviceLimits& limits, const Artifact& artifact,
                                                               Module* module);

}  // namespace kiln::runtime::cuda

#endif  // KILN_RUNTIME_CUDA_MODULE_H_
