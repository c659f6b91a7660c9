// Slots of rings by name become parts of whole tensors.
//
//   ring tiles[4] in shared { at: bf16[128, 64] }       ring tiles[4] in shared read by 256 {
//                                                         alloc tiles_at: bf16[4, 128, 64] in shared
//                                                       }
//   let t = tiles.push()                                let t = tiles.push()
//   ... t.at ...                                        ... tiles_at[t] ...
//   ... tiles.pop().at ...                              let tiles_slot = tiles.pop()    (before the statement)
//                                                       ... tiles_at[tiles_slot] ...
//
// Who reads a ring follows from the roles that pop or release it.
#ifndef KILN_COMPILER_SPECIALIZE_RING_SLOTS_H_
#define KILN_COMPILER_SPECIALIZE_RING_SLOTS_H_

#include "compiler/ir/kernel.h"

namespace kiln {

// REQUIRES: verified, bound and inlined; roles not expanded yet.
void ExpandRingSlots(ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_RING_SLOTS_H_
