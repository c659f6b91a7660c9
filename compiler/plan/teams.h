// Whether all threads of its team reach an operation.
//
// A condition counts where its value follows from thread_id, lane_id and warp_id, by way of lets as well: the threads
// for which it fails are missing. A condition whose value is not known refuses nothing where a whole team agrees on it
// (symbols, cta_id, `count[cta_id.x]`), and everything below it where the threads of the team may part over it
// (`mask[thread_id]`, elect()). Loops that threads run a different number of times, and those who leave by `break`,
// `continue` or `return`, count alike.
#ifndef KILN_COMPILER_PLAN_TEAMS_H_
#define KILN_COMPILER_PLAN_TEAMS_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"
#include "compiler/plan/uniform.h"

namespace kiln {

// FailedPrecondition for the first operation that a part of its team may reach without the rest, naming the threads
// that are missing and the condition that keeps them away. REQUIRES: specialized and normalized, with a constant block.
absl::Status CheckTeams(const ir::Kernel& kernel, const Uniformity& uniformity);

}  // namespace kiln

#endif  // KILN_COMPILER_PLAN_TEAMS_H_
