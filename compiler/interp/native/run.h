// Runs a lowered kernel.
#ifndef KILN_COMPILER_INTERP_NATIVE_RUN_H_
#define KILN_COMPILER_INTERP_NATIVE_RUN_H_

#include "absl/status/status.h"
#include "compiler/interp/bind.h"
#include "compiler/interp/value.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

// Every CTA of the grid, in order of z, y, x; those of a cluster together.
absl::Status RunNative(const ir::Kernel& kernel, const Bound& bound, const RunOptions& options);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_RUN_H_
