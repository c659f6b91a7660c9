// Lower, CUDA: tile operations become loops, address arithmetic and intrinsics, each by its rule's lowering.
#ifndef KILN_COMPILER_LOWER_CUDA_LOWER_H_
#define KILN_COMPILER_LOWER_CUDA_LOWER_H_

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "compiler/plan/plan.h"
#include "kiln/internal/target.h"

namespace kiln {

// REQUIRES: `plan` was made of this very kernel. The result is native: thread-level code, its shared tensors placed in
// the dynamic arena. Errors: ResourceExhausted when the shared tensors exceed the target's space, with the sum, the
// limit and each tensor.
absl::StatusOr<ir::Kernel> LowerCuda(const ir::Kernel& kernel, const Plan& plan, const Target& target);

}  // namespace kiln

#endif  // KILN_COMPILER_LOWER_CUDA_LOWER_H_
