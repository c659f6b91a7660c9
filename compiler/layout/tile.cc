#include "compiler/layout/tile.h"

#include <utility>
#include <vector>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "compiler/layout/factors.h"
#include "compiler/layout/group.h"
#include "compiler/layout/scope.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

absl::StatusOr<TileLayout> TileBase(const TileLayout& inner, const TileLayout& outer, const Shape& outer_shape,
                                    const Shape& inner_shape, const AxisTable& axes) {
  if (outer_shape.size() != inner_shape.size()) {
    return Error("tile", "rank of tile operands: outer ", ToString(outer_shape), " and inner ", ToString(inner_shape),
                 " have different ranks");
  }
  KILN_ASSIGN_OR_RETURN(const TileLayout canonical_outer, Canonicalize(outer, axes));
  KILN_ASSIGN_OR_RETURN(const TileLayout canonical_inner, Canonicalize(inner, axes));
  KILN_ASSIGN_OR_RETURN(Grouped grouped_outer, Group(canonical_outer, outer_shape));
  KILN_ASSIGN_OR_RETURN(const Grouped grouped_inner, Group(canonical_inner, inner_shape));
  std::vector<Iter> scaled = grouped_outer.layout.shard();
  for (Iter& iter : scaled) iter.stride *= Span(canonical_inner, iter.axis);
  KILN_ASSIGN_OR_RETURN(grouped_outer.layout,
                        TileLayout::Make(std::move(scaled), canonical_outer.replica(), canonical_outer.offset()));
  KILN_ASSIGN_OR_RETURN(const TileLayout tiled, Interleave(grouped_outer, grouped_inner));
  return Canonicalize(tiled, axes);
}

// The tiled layout with its thread axes split so that the factor's unit and scope meet the other factor's.
absl::StatusOr<std::optional<TileLayout>> SplitFor(const TileLayout& tiled, const TileLayout& factor,
                                                   bool factor_is_inner, const AxisTable& axes) {
  const absl::StatusOr<std::optional<ScopeRange>> tiled_range = GetScope(tiled);
  const absl::StatusOr<std::optional<ScopeRange>> factor_range = GetScope(factor);
  if (!tiled_range.ok() || !factor_range.ok() || !tiled_range->has_value() || !factor_range->has_value()) {
    return std::optional<TileLayout>(tiled);
  }
  const Scope boundary = factor_is_inner ? (*factor_range)->scope : (*factor_range)->unit;
  return SplitAxes(tiled, boundary, axes);
}

absl::StatusOr<bool> TilesTo(const TileLayout& inner, const TileLayout& outer, const Shape& outer_shape,
                             const Shape& inner_shape, const TileLayout& tiled, const AxisTable& axes) {
  const absl::StatusOr<TileLayout> again = TileBase(inner, outer, outer_shape, inner_shape, axes);
  if (!again.ok()) return false;
  return *again == tiled;
}

Shape Half(const Shape& interleaved, bool inner) {
  Shape half;
  for (size_t i = inner ? 1 : 0; i < interleaved.size(); i += 2) half.push_back(interleaved[i]);
  return half;
}

absl::StatusOr<std::optional<TileLayout>> OuterOf(const TileLayout& inner_in, const TileLayout& tiled_in,
                                                  const Shape& interleaved, const AxisTable& axes) {
  const std::optional<TileLayout> none;
  KILN_ASSIGN_OR_RETURN(const TileLayout inner, Canonicalize(inner_in, axes));
  KILN_ASSIGN_OR_RETURN(const TileLayout tiled, Canonicalize(tiled_in, axes));
  KILN_ASSIGN_OR_RETURN(const std::optional<TileLayout> split, SplitFor(tiled, inner, /*factor_is_inner=*/true, axes));
  if (!split.has_value()) return none;
  KILN_ASSIGN_OR_RETURN(const std::optional<Grouped> grouped, TryGroup(*split, interleaved));
  KILN_ASSIGN_OR_RETURN(const std::optional<Grouped> grouped_inner, TryGroup(inner, Half(interleaved, true)));
  if (!grouped || !grouped_inner || !HalfMatches(*grouped, /*inner=*/true, *grouped_inner)) return none;
  std::vector<Iter> shard;
  for (Iter iter : HalfOf(*grouped, /*inner=*/false)) {
    if (!iter.extent.Is(1)) {
      const std::optional<Extent> stride = iter.stride.DividedBy(Span(inner, iter.axis));
      if (!stride.has_value()) return none;
      iter.stride = *stride;
    }
    shard.push_back(std::move(iter));
  }
  std::optional<std::vector<Iter>> replica = ReplicasWithout(*split, inner);
  if (!replica.has_value()) return none;
  KILN_ASSIGN_OR_RETURN(TileLayout outer,
                        TileLayout::Make(std::move(shard), *std::move(replica), OffsetWithout(*split, inner)));
  KILN_ASSIGN_OR_RETURN(const bool tiles,
                        TilesTo(inner, outer, Half(interleaved, false), Half(interleaved, true), tiled, axes));
  if (!tiles) return none;
  return std::optional<TileLayout>(std::move(outer));
}

absl::StatusOr<std::optional<TileLayout>> InnerOf(const TileLayout& outer_in, const TileLayout& tiled_in,
                                                  const Shape& interleaved, const AxisTable& axes) {
  const std::optional<TileLayout> none;
  KILN_ASSIGN_OR_RETURN(const TileLayout outer, Canonicalize(outer_in, axes));
  KILN_ASSIGN_OR_RETURN(const TileLayout tiled, Canonicalize(tiled_in, axes));
  KILN_ASSIGN_OR_RETURN(const std::optional<TileLayout> split, SplitFor(tiled, outer, /*factor_is_inner=*/false, axes));
  if (!split.has_value()) return none;
  KILN_ASSIGN_OR_RETURN(const std::optional<Grouped> grouped, TryGroup(*split, interleaved));
  if (!grouped.has_value()) return none;
  std::optional<std::vector<Iter>> replica = ReplicasWithout(*split, outer);
  if (!replica.has_value()) return none;
  KILN_ASSIGN_OR_RETURN(TileLayout inner, TileLayout::Make(HalfOf(*grouped, /*inner=*/true), *std::move(replica),
                                                           OffsetWithout(*split, outer)));
  // The scale of the outer strides is the inner span, known only now.
  KILN_ASSIGN_OR_RETURN(const bool tiles,
                        TilesTo(inner, outer, Half(interleaved, false), Half(interleaved, true), tiled, axes));
  if (!tiles) return none;
  return std::optional<TileLayout>(std::move(inner));
}

}  // namespace

absl::StatusOr<Layout> Tile(const Layout& inner, const TileLayout& outer, const Shape& outer_shape,
                            const Shape& inner_shape, const AxisTable& axes) {
  KILN_ASSIGN_OR_RETURN(TileLayout tiled, TileBase(inner.base(), outer, outer_shape, inner_shape, axes));
  return inner.WithBase(std::move(tiled));
}

absl::StatusOr<Layout> TileTo(const Layout& inner, const Shape& to, const Shape& current, const AxisTable& axes) {
  KILN_ASSIGN_OR_RETURN(const Shape interleaved, InterleavedShape("tile_to", to, current, /*factor_is_inner=*/true));
  const Shape outer_shape = Half(interleaved, /*inner=*/false);
  KILN_ASSIGN_OR_RETURN(const TileLayout outer, TileLayout::RowMajor(outer_shape));
  return Tile(inner, outer, outer_shape, current, axes);
}

absl::StatusOr<std::optional<TileLayout>> IsTileInner(const Layout& inner, const Layout& tiled,
                                                      const Shape& tiled_shape, const Shape& inner_shape,
                                                      const AxisTable& axes) {
  KILN_ASSIGN_OR_RETURN(const Shape interleaved,
                        InterleavedShape("is_tile_inner", tiled_shape, inner_shape, /*factor_is_inner=*/true));
  if (inner.is_tile() != tiled.is_tile()) return std::optional<TileLayout>();
  if (!inner.is_tile() && !(inner.swizzled_if()->swizzle() == tiled.swizzled_if()->swizzle())) {
    return std::optional<TileLayout>();
  }
  return OuterOf(inner.base(), tiled.base(), interleaved, axes);
}

absl::StatusOr<std::optional<Layout>> IsTileOuter(const Layout& outer, const Layout& tiled, const Shape& tiled_shape,
                                                  const Shape& outer_shape, const AxisTable& axes) {
  KILN_ASSIGN_OR_RETURN(const Shape interleaved,
                        InterleavedShape("is_tile_outer", tiled_shape, outer_shape, /*factor_is_inner=*/false));
  if (!outer.is_tile()) return std::optional<Layout>();
  KILN_ASSIGN_OR_RETURN(std::optional<TileLayout> inner, InnerOf(*outer.tile_if(), tiled.base(), interleaved, axes));
  if (!inner.has_value()) return std::optional<Layout>();
  KILN_ASSIGN_OR_RETURN(Layout result, tiled.WithBase(*std::move(inner)));
  return std::optional<Layout>(std::move(result));
}

}  // namespace kiln::layout
