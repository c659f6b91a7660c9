// What atomic operations make of the old and the new element.
#ifndef KILN_COMPILER_INTERP_TILE_COMBINE_H_
#define KILN_COMPILER_INTERP_TILE_COMBINE_H_

#include "compiler/expr/expr.h"
#include "compiler/interp/tile/view.h"

namespace kiln::interp {

// Of kAtomicAdd, kAtomicMax, kAtomicMin. Both elements are of the destination's dtype.
Combine CombineOf(TileOpKind op);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_COMBINE_H_
