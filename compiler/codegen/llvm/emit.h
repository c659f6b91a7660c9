// A native kernel as LLVM IR text. Pure printing: knows no tile operation and links no LLVM.
//
// The function, kiln_NAME, is `void entry(const uint64_t* params, int64_t cta_x, int64_t cta_y, int64_t cta_z, void*
// scratch)`: parameters in the order of native_params, eight bytes each (a pointer, an i64, a scalar's bits), then
// grid.x, .y, .z; scratch is 64-byte aligned and this CTA's alone. The code is reentrant: it has no static storage and
// calls nothing but LLVM's intrinsics and a few functions of libm.
#ifndef KILN_COMPILER_CODEGEN_LLVM_EMIT_H_
#define KILN_COMPILER_CODEGEN_LLVM_EMIT_H_

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/artifact.h"
#include "kiln/internal/target.h"

namespace kiln {

// REQUIRES: `kernel.native`. Unimplemented for intrinsics and dtypes that a CPU has no form of. Deterministic.
absl::StatusOr<Source> EmitLlvm(const ir::Kernel& kernel, const Target& target);

}  // namespace kiln

#endif  // KILN_COMPILER_CODEGEN_LLVM_EMIT_H_
