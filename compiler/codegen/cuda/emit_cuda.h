// Native kernels as CUDA C++ text that reads as if a person had written it: the kernel's own names, a comment where the
// lowering left one, arithmetic in the narrowest type that its ranges allow. The text needs no header; NVRTC compiles
// it with -default-device. Pure and deterministic; thread-safe.
#ifndef KILN_COMPILER_CODEGEN_CUDA_EMIT_CUDA_H_
#define KILN_COMPILER_CODEGEN_CUDA_EMIT_CUDA_H_

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/artifact.h"
#include "kiln/internal/target.h"

namespace kiln {

// REQUIRES: `native` came from lower: native_params filled, a constant block, flat element indices.
// Errors: Unimplemented for what CUDA code has no form for (vectors in arithmetic, CPU intrinsics, 4-bit elements),
// naming it.
absl::StatusOr<Source> EmitCuda(const ir::Kernel& native, const Target& target);

}  // namespace kiln

#endif  // KILN_COMPILER_CODEGEN_CUDA_EMIT_CUDA_H_
