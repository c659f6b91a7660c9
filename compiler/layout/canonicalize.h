// The canonical form, and the thread axes of a target: what makes two spellings of one layout compare equal.
#ifndef KILN_COMPILER_LAYOUT_CANONICALIZE_H_
#define KILN_COMPILER_LAYOUT_CANONICALIZE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// Unit shard iters go (one stays if all are), zero offsets go, thread axes fuse as `axes` says where the scopes
// connect, neighbours on one axis fuse when the outer stride is the inner extent times stride, replicas sort by (axis,
// extent, stride). Evaluates as before, up to the renamed thread axes. Idempotent. Errors: a fused stride that leaves
// 63 bits.
absl::StatusOr<TileLayout> Canonicalize(const TileLayout& layout, const AxisTable& axes);
absl::StatusOr<Layout> Canonicalize(const Layout& layout, const AxisTable& axes);

// Equal after Canonicalize.
absl::StatusOr<bool> Equivalent(const Layout& a, const Layout& b, const AxisTable& axes);

// Units dropped and neighbours fused, nothing else: the shortest run with the same components.
std::vector<Iter> FuseRun(const std::vector<Iter>& iters);

// The axes of threads that span from a unit to beyond `scope`, each split into the part inside the scope and the part
// above: at a warp, tid becomes laneid and warpid. None where an iter straddles the boundary indivisibly.
absl::StatusOr<std::optional<TileLayout>> SplitAxes(const TileLayout& layout, Scope scope, const AxisTable& axes);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_CANONICALIZE_H_
