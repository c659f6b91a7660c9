#include "compiler/layout/factors.h"

#include <algorithm>
#include <utility>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {

absl::StatusOr<TileLayout> Interleave(const Grouped& outer, const Grouped& inner) {
  std::vector<Iter> shard;
  for (size_t dim = 0; dim + 1 < outer.separators.size(); ++dim) {
    for (const Grouped* factor : {&outer, &inner}) {
      const std::vector<Iter> run = factor->Run(dim);
      shard.insert(shard.end(), run.begin(), run.end());
    }
  }
  std::vector<Iter> replica = inner.layout.replica();
  replica.insert(replica.end(), outer.layout.replica().begin(), outer.layout.replica().end());
  Offset offset = inner.layout.offset();
  for (const auto& [axis, value] : outer.layout.offset()) offset[axis] += value;
  return TileLayout::Make(std::move(shard), std::move(replica), std::move(offset));
}

absl::StatusOr<Shape> InterleavedShape(std::string_view operation, const Shape& product, const Shape& factor,
                                       bool factor_is_inner) {
  if (product.size() != factor.size()) {
    return Error(operation, "rank of tile operands: ", ToString(product), " and ", ToString(factor),
                 " have different ranks");
  }
  Shape interleaved;
  for (size_t dim = 0; dim < product.size(); ++dim) {
    const std::optional<Extent> other = product[dim].DividedBy(factor[dim]);
    if (!other.has_value()) {
      return Error(operation, "dimension ", dim, " is indivisible: ", product[dim].ToString(), " by ",
                   factor[dim].ToString(), ", of the shapes ", ToString(product), " and ", ToString(factor));
    }
    interleaved.push_back(factor_is_inner ? *other : factor[dim]);
    interleaved.push_back(factor_is_inner ? factor[dim] : *other);
  }
  return interleaved;
}

std::vector<Iter> HalfOf(const Grouped& interleaved, bool inner) {
  std::vector<Iter> half;
  for (size_t dim = inner ? 1 : 0; dim + 1 < interleaved.separators.size(); dim += 2) {
    const std::vector<Iter> run = interleaved.Run(dim);
    half.insert(half.end(), run.begin(), run.end());
  }
  return half;
}

bool HalfMatches(const Grouped& interleaved, bool inner, const Grouped& factor) {
  for (size_t dim = 0; dim + 1 < factor.separators.size(); ++dim) {
    if (FuseRun(interleaved.Run(2 * dim + (inner ? 1 : 0))) != FuseRun(factor.Run(dim))) return false;
  }
  return true;
}

std::optional<std::vector<Iter>> ReplicasWithout(const TileLayout& product, const TileLayout& factor) {
  std::vector<Iter> left = product.replica();
  for (const Iter& iter : factor.replica()) {
    const auto it = std::find(left.begin(), left.end(), iter);
    if (it == left.end()) return std::nullopt;
    left.erase(it);
  }
  return left;
}

Offset OffsetWithout(const TileLayout& product, const TileLayout& factor) {
  Offset offset = product.offset();
  for (const auto& [axis, value] : factor.offset()) offset[axis] = offset[axis] - value;
  return offset;
}

}  // namespace kiln::layout
