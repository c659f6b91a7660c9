// The interpreter: what a kernel means, run.
//
//   std::vector<float> x(m * n), w(n), y(m * n);
//   Argument args[] = {Tensor{DType::kF32, {m, n}, {}, x.data()}, ..., Scalar::Float(DType::kF32, 1e-5)};
//   KILN_RETURN_IF_ERROR(Run(kernel, args));
//
// It runs specialized, typed kernels at either level: tile operations by their reference meaning, or lowered ones
// thread by thread with barriers, shuffles, matrix instructions and asynchronous copies that land as late as they may.
// It is the oracle of every backend, and the one that finds what no static check decides: accesses out of bounds, reads
// of what nothing wrote, races, deadlocks. The whole grid runs, one CTA after another, deterministically.
//
// Errors name the kernel, the line and column, and the CTA and thread; tensor memory is then in an unspecified state.
// Invalid arguments are InvalidArgument, faults of the kernel FailedPrecondition, what is not supported Unimplemented.
// Thread-safe for calls on distinct tensors.
#ifndef KILN_COMPILER_INTERP_INTERPRETER_H_
#define KILN_COMPILER_INTERP_INTERPRETER_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/interp/value.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

// `args` in the order of kernel.params. REQUIRES: the tensors' memory holds their elements.
absl::Status Run(const ir::Kernel& kernel, absl::Span<const Argument> args, const RunOptions& options = {});

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_INTERPRETER_H_
