// Pipelining: one `pipelined` loop becomes a ring of buffers, asynchronous copies ahead of the work, and a wait a step.
//
//   for k in pipelined 0 .. K step BK stages S {     alloc at: T[S, BM, BK] in shared
//     alloc at: T[BM, BK] in shared                  the first S - 1 copies are issued
//     cta.copy(at, a[m +: BM, k +: BK])       ->     for k in 0 .. K step BK {
//     cta.gemm(acc, at, ...)                           wait until this step's copies have landed
//   }                                                  issue the copies of step k + (S - 1) * BK
//                                                      the work, on this step's buffer
//                                                    }
//
// A `copy_async` of the text is a group of its own, which `wait_copy(pending)` counts: its commit is written behind it
// here. Text that calls cp_async_commit itself closes its groups itself. A wait counts the ring's groups as well, so
// that beside a pipelined loop it waits for the same copies, or more.
//
// A loop whose copies cannot be asynchronous on this target (no cp_async, differing dtypes, narrower than 4 bytes)
// becomes a serial loop; its meaning is the same. Barriers are placed later, from what each operation reads and writes.
#ifndef KILN_COMPILER_INFER_PIPELINE_LOOPS_H_
#define KILN_COMPILER_INFER_PIPELINE_LOOPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln {

// REQUIRES: specialized. `notes` gets one line a loop, for people.
absl::StatusOr<ir::Kernel> PipelineLoops(const ir::Kernel& kernel, const Target& target,
                                         std::vector<std::string>* notes);

}  // namespace kiln

#endif  // KILN_COMPILER_INFER_PIPELINE_LOOPS_H_
