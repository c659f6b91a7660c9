// Tiling: a layout of tiles over a layout inside each, and the questions back.
//
//   Tile(inner, outer)(o * |inner| + i)[axis] = Span(inner, axis) * D_outer(o)[axis] + D_inner(i)[axis]
//
// in every dimension, o and i being the tile and the place inside it. Under an XOR the law holds beneath it.
#ifndef KILN_COMPILER_LAYOUT_TILE_H_
#define KILN_COMPILER_LAYOUT_TILE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// The result is canonical. Errors: shapes of different rank, an operand not groupable by its shape.
absl::StatusOr<Layout> Tile(const Layout& inner, const TileLayout& outer, const Shape& outer_shape,
                            const Shape& inner_shape, const AxisTable& axes);

// Tile with a row-major outer over m of to / current. Errors: as Tile, an indivisible dimension.
absl::StatusOr<Layout> TileTo(const Layout& inner, const Shape& to, const Shape& current, const AxisTable& axes);

// The outer factor that makes `tiled` a tiling of `inner`; none where there is no such layout. With a fusing table the
// tiled thread axes are split where the inner ones end. Errors: ranks that differ, an indivisible dimension.
absl::StatusOr<std::optional<TileLayout>> IsTileInner(const Layout& inner, const Layout& tiled,
                                                      const Shape& tiled_shape, const Shape& inner_shape,
                                                      const AxisTable& axes);

// The inner factor that makes `tiled` a tiling by `outer`; none where there is no such layout. Errors: the same.
absl::StatusOr<std::optional<Layout>> IsTileOuter(const Layout& outer, const Layout& tiled, const Shape& tiled_shape,
                                                  const Shape& outer_shape, const AxisTable& axes);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_TILE_H_
