// Direct sums: as tiling, with no scaling. Over the shape (left0, right0, left1, right1, ...) the values add.
#ifndef KILN_COMPILER_LAYOUT_DIRECT_SUM_H_
#define KILN_COMPILER_LAYOUT_DIRECT_SUM_H_

#include <optional>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// The result is canonical; an XOR of the right factor stays outermost. Errors: as Tile.
absl::StatusOr<Layout> DirectSum(const TileLayout& left, const Layout& right, const Shape& left_shape,
                                 const Shape& right_shape, const AxisTable& axes);

// The left factor for which `sum` is its direct sum with `right`; none where there is no such layout.
// `interleaved_shape` is (left0, right0, left1, right1, ...). Errors: ranks, a right shape that is not in it.
absl::StatusOr<std::optional<TileLayout>> IsDirectSumRight(const Layout& right, const Layout& sum,
                                                           const Shape& interleaved_shape, const Shape& right_shape,
                                                           const AxisTable& axes);

// The right factor likewise.
absl::StatusOr<std::optional<Layout>> IsDirectSumLeft(const Layout& left, const Layout& sum,
                                                      const Shape& interleaved_shape, const Shape& left_shape,
                                                      const AxisTable& axes);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_DIRECT_SUM_H_
