// Roles become branches on the warp, entered with the registers they ask for.
//
//   role math = warpgroup(1, 2) regs(232) {       if warp_id >= 4 and warp_id < 12 {
//     alloc acc: f32[64, 256] in local              set_max_registers(232, true)
//     ... role_rank ...                             let math_rank = warp_id / 4 - 1
//   }                                               alloc warpgroup.acc: f32[64, 256] in local
//                                                   ... math_rank ...
//
// In a cluster all threads meet before the kernel ends: no CTA leaves while another one may still signal it.
#ifndef KILN_COMPILER_SPECIALIZE_ROLES_H_
#define KILN_COMPILER_SPECIALIZE_ROLES_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// REQUIRES: verified and bound. Errors: roles beyond the block's warpgroups, or of more registers than a multiprocessor
// has; a `return` beside roles.
absl::Status ExpandRoles(ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_ROLES_H_
