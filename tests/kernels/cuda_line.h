// Specialized kernels through the CUDA line up to native IR.
#ifndef KILN_TESTS_KERNELS_CUDA_LINE_H_
#define KILN_TESTS_KERNELS_CUDA_LINE_H_

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln::testing {

absl::StatusOr<ir::Kernel> LowerForCuda(const ir::Kernel& kernel, const Target& target);

}  // namespace kiln::testing

#endif  // KILN_TESTS_KERNELS_CUDA_LINE_H_
