#include "compiler/layout/direct_sum.h"

#include <utility>
#include <vector>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "compiler/layout/factors.h"
#include "compiler/layout/group.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

absl::Status CheckInterleaved(std::string_view operation, const Shape& interleaved, const Shape& factor, bool right) {
  if (interleaved.size() != 2 * factor.size()) {
    return Error(operation, "rank: the interleaved shape ", ToString(interleaved), " must have twice the rank of ",
                 ToString(factor));
  }
  for (size_t dim = 0; dim < factor.size(); ++dim) {
    if (!(interleaved[2 * dim + (right ? 1 : 0)] == factor[dim])) {
      return Error(operation, "dimension ", dim, " of ", ToString(factor), " is not in the interleaved shape ",
                   ToString(interleaved));
    }
  }
  return absl::OkStatus();
}

// The factor that is left when `factor`, the right (inner) or the left (outer) one, is taken out of the sum.
absl::StatusOr<std::optional<TileLayout>> OtherFactor(const TileLayout& factor_in, const TileLayout& sum_in,
                                                      const Shape& interleaved, const Shape& factor_shape,
                                                      bool factor_is_right, const AxisTable& axes) {
  const std::optional<TileLayout> none;
  KILN_ASSIGN_OR_RETURN(const TileLayout factor, Canonicalize(factor_in, axes));
  KILN_ASSIGN_OR_RETURN(const TileLayout sum, Canonicalize(sum_in, axes));
  KILN_ASSIGN_OR_RETURN(const std::optional<Grouped> grouped, TryGroup(sum, interleaved));
  KILN_ASSIGN_OR_RETURN(const std::optional<Grouped> grouped_factor, TryGroup(factor, factor_shape));
  if (!grouped || !grouped_factor || !HalfMatches(*grouped, factor_is_right, *grouped_factor)) return none;
  std::optional<std::vector<Iter>> replica = ReplicasWithout(sum, factor);
  if (!replica.has_value()) return none;
  KILN_ASSIGN_OR_RETURN(TileLayout other, TileLayout::Make(HalfOf(*grouped, !factor_is_right), *std::move(replica),
                                                           OffsetWithout(sum, factor)));
  return std::optional<TileLayout>(std::move(other));
}

}  // namespace

absl::StatusOr<Layout> DirectSum(const TileLayout& left, const Layout& right, const Shape& left_shape,
                                 const Shape& right_shape, const AxisTable& axes) {
  if (left_shape.size() != right_shape.size()) {
    return Error("direct_sum", "rank of tile operands: left ", ToString(left_shape), " and right ",
                 ToString(right_shape), " have different ranks");
  }
  KILN_ASSIGN_OR_RETURN(const TileLayout canonical_left, Canonicalize(left, axes));
  KILN_ASSIGN_OR_RETURN(const TileLayout canonical_right, Canonicalize(right.base(), axes));
  KILN_ASSIGN_OR_RETURN(const Grouped grouped_left, Group(canonical_left, left_shape));
  KILN_ASSIGN_OR_RETURN(const Grouped grouped_right, Group(canonical_right, right_shape));
  KILN_ASSIGN_OR_RETURN(const TileLayout sum, Interleave(grouped_left, grouped_right));
  KILN_ASSIGN_OR_RETURN(TileLayout canonical, Canonicalize(sum, axes));
  return right.WithBase(std::move(canonical));
}

absl::StatusOr<std::optional<TileLayout>> IsDirectSumRight(const Layout& right, const Layout& sum,
                                                           const Shape& interleaved_shape, const Shape& right_shape,
                                                           const AxisTable& axes) {
  KILN_RETURN_IF_ERROR(CheckInterleaved("is_direct_sum_right", interleaved_shape, right_shape, /*right=*/true));
  if (right.is_tile() != sum.is_tile()) return std::optional<TileLayout>();
  if (!right.is_tile() && !(right.swizzled_if()->swizzle() == sum.swizzled_if()->swizzle())) {
    return std::optional<TileLayout>();
  }
  return OtherFactor(right.base(), sum.base(), interleaved_shape, right_shape, /*factor_is_right=*/true, axes);
}

absl::StatusOr<std::optional<Layout>> IsDirectSumLeft(const Layout& left, const Layout& sum,
                                                      const Shape& interleaved_shape, const Shape& left_shape,
                                                      const AxisTable& axes) {
  KILN_RETURN_IF_ERROR(CheckInterleaved("is_direct_sum_left", interleaved_shape, left_shape, /*right=*/false));
  if (!left.is_tile()) return std::optional<Layout>();
  KILN_ASSIGN_OR_RETURN(std::optional<TileLayout> right, OtherFactor(*left.tile_if(), sum.base(), interleaved_shape,
                                                                     left_shape, /*factor_is_right=*/false, axes));
  if (!right.has_value()) return std::optional<Layout>();
  KILN_ASSIGN_OR_RETURN(Layout result, sum.WithBase(*std::move(right)));
  return std::optional<Layout>(std::move(result));
}

}  // namespace kiln::layout
