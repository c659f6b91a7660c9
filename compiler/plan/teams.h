// Whether all threads of its team reach a tile operation, as far as branches on thread ids tell.
//
// A condition counts where its value follows from thread_id, lane_id and warp_id, by way of lets as well; where it does
// not, each thread may or may not go either way, and nothing is refused for it.
#ifndef KILN_COMPILER_PLAN_TEAMS_H_
#define KILN_COMPILER_PLAN_TEAMS_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// FailedPrecondition for the first operation that a part of its team alone can reach, naming the threads that are
// missing. REQUIRES: specialized, with a constant block.
absl::Status CheckTeams(const ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_PLAN_TEAMS_H_
