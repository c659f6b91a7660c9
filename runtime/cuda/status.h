// A driver's result as a Status, translated on the line that got it.
#ifndef KILN_RUNTIME_CUDA_STATUS_H_
#define KILN_RUNTIME_CUDA_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "runtime/cuda/driver.h"

namespace kiln::runtime::cuda {

// "cuda: load rmsnorm: CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid". ResourceExhausted out of memory,
// InvalidArgument for an invalid value, NotFound without a device, else Internal. Allocates nothing on success.
absl::Status StatusOf(const Driver& driver, Result result, absl::string_view doing);

}  // namespace kiln::runtime::cuda

#endif  // KILN_RUNTIME_CUDA_STATUS_H_
