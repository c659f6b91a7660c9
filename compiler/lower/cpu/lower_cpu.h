// Specialized tile kernels to native CPU kernels: loops over vectors, one worker a CTA.
//
//   KILN_ASSIGN_OR_RETURN(ir::Kernel native, LowerCpu(specialized, target, &rules));
//
// Every tile lives in a worker's scratch. A tile statement becomes one nest of loops with its innermost axis in vectors
// of the target's width; edges of slices split off whole tiles, so that the common path carries no checks; reductions
// add in a fixed order; gemm is one register-blocked FMA kernel over packed panels.
#ifndef KILN_COMPILER_LOWER_CPU_LOWER_CPU_H_
#define KILN_COMPILER_LOWER_CPU_LOWER_CPU_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln {

// REQUIRES: `kernel` comes from Specialize. `rules`, when given, receives "cta.copy: vector" for each tile operation in
// program order. Errors: Unimplemented for text that needs more than one thread of a CTA, and for what a CPU has no
// lowering of, naming kernel and place; ResourceExhausted when the tiles do not fit scratch.
absl::StatusOr<ir::Kernel> LowerCpu(const ir::Kernel& kernel, const Target& target,
                                    std::vector<std::string>* rules = nullptr);

}  // namespace kiln

#endif  // KILN_COMPILER_LOWER_CPU_LOWER_CPU_H_
