// Placement: every shared tensor of a native kernel gets its offset in the dynamic arena.
#ifndef KILN_COMPILER_LOWER_CUDA_PLACE_H_
#define KILN_COMPILER_LOWER_CUDA_PLACE_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln {

// Sets TensorDecl::offset of every shared alloc and kernel.shared_bytes. Tensors are side by side, in program order,
// each on its own alignment. Errors: ResourceExhausted with the sum, the limit and the tensors, largest first.
absl::Status PlaceShared(ir::Kernel& kernel, const Target& target);

}  // namespace kiln

#endif  // KILN_COMPILER_LOWER_CUDA_PLACE_H_
