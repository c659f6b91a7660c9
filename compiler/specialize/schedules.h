// Schedules become loops over tiles: the clusters of the grid take them in turn, in the schedule's order.
//
//   schedule work over (R, C) order grouped(8)
//   for (i, j) in work { ... }            for work_tile in cta_id.x / 2 .. R * C step grid.x / 2 { let i = ... }
#ifndef KILN_COMPILER_SPECIALIZE_SCHEDULES_H_
#define KILN_COMPILER_SPECIALIZE_SCHEDULES_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// REQUIRES: verified and bound. Errors: a schedule in a grid of more than one dimension.
absl::Status ExpandSchedules(ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_SCHEDULES_H_
