// Reductions of tiles, over all elements or along one axis.
#ifndef KILN_COMPILER_INTERP_TILE_REDUCE_H_
#define KILN_COMPILER_INTERP_TILE_REDUCE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/expr/expr.h"
#include "compiler/interp/tile/view.h"

namespace kiln::interp {

// `parts` are what each owner of the operand has, of one shape; the result joins them all. `dtype` is the result's, or
// kNone for the one that sums of the operand have. Floats are summed in double and rounded once. Errors: an axis that
// the operand lacks; an axis of a tile of which the threads asked about hold only some elements.
// With `threads` above 1 they stay apart in a last dimension: pairs of neighbours along the axis go to one after the
// other, as a matrix accumulator has them.
absl::StatusOr<ValuePtr> Reduce(TileOpKind op, DType dtype, absl::Span<const ValuePtr> parts,
                                std::optional<int64_t> axis, int64_t threads = 1);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_REDUCE_H_
