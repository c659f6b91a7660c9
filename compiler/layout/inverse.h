// Layouts as functions: the inverse of one, and one after another.
#ifndef KILN_COMPILER_LAYOUT_INVERSE_H_
#define KILN_COMPILER_LAYOUT_INVERSE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// The layout, onto m, from places to the linear index that lives there. Its domain is row-major over `axes`, each as
// wide as the layout's span on it; empty: all axes the layout uses, in table order with m last. A replica iter becomes
// an iter of stride 0. None where the iters of an axis do not fill its span one by one (gaps, overlaps, offsets), so
// that some place has no index or several. Symbols are no obstacle. Errors: an axis that the layout uses is missing
// from `axes`.
absl::StatusOr<std::optional<TileLayout>> Inverse(const TileLayout& layout, const std::vector<Axis>& axes = {});

// The layout that sends x to outer(inner(x)), the values of `inner` on m being linear indices of `outer`; none where no
// layout has those values. An XOR of `outer` stays. Errors: an inner that maps to more than m or has replicas, indices
// outside the outer layout.
absl::StatusOr<std::optional<Layout>> Compose(const Layout& outer, const TileLayout& inner);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_INVERSE_H_
