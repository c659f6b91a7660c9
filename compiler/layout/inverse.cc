#include "compiler/layout/inverse.h"

#include <algorithm>
#include <utility>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "compiler/layout/slice.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// The iters of one axis as (extent, stride on the axis, weight in the index).
struct Weighted {
  Extent extent;
  Extent stride;
  Extent weight;
};

std::vector<Weighted> WeightedOn(const TileLayout& layout, Axis axis) {
  std::vector<Weighted> found;
  Extent weight = 1;
  for (size_t i = layout.shard().size(); i-- > 0;) {
    const Iter& iter = layout.shard()[i];
    if (iter.axis == axis && !iter.extent.Is(1)) found.push_back({iter.extent, iter.stride, weight});
    weight *= iter.extent;
  }
  for (const Iter& iter : layout.replica()) {
    if (iter.axis == axis && !iter.extent.Is(1)) found.push_back({iter.extent, iter.stride, 0});
  }
  return found;
}

// What is left of the outer layout's iters, innermost last, while strides and extents are taken from the inside.
class Walk {
 public:
  explicit Walk(std::vector<Iter> iters) : iters_(std::move(iters)) {}

  // Drops the innermost `count` positions; false where that cuts an iter indivisibly.
  bool Skip(Extent count) {
    while (!count.Is(1)) {
      if (iters_.empty()) return false;
      Iter& iter = iters_.back();
      if (const std::optional<Extent> left = count.DividedBy(iter.extent); left.has_value() && iters_.size() > 1) {
        count = *left;
        iters_.pop_back();
      } else if (const std::optional<Extent> above = iter.extent.DividedBy(count)) {
        iter = {*above, iter.stride * count, iter.axis};
        count = 1;
      } else if (iters_.size() == 1) {
        // The outermost iter is entered by steps alone; the caller has checked the range.
        iter.stride *= count;
        count = 1;
      } else {
        return false;
      }
    }
    return true;
  }

  // The iters of the next `count` positions, innermost first, onto `out`.
  bool Take(Extent count, std::vector<Iter>& out) const {
    for (size_t i = iters_.size(); i-- > 0 && !count.Is(1);) {
      const Iter& iter = iters_[i];
      const std::optional<Extent> left = count.DividedBy(iter.extent);
      if (i > 0 && left.has_value()) {
        out.push_back(iter);
        count = *left;
      } else if (i == 0 || iter.extent.ProvablyAtLeast(count)) {
        out.push_back({count, iter.stride, iter.axis});
        count = 1;
      } else {
        return false;
      }
    }
    return count.Is(1);
  }

 private:
  std::vector<Iter> iters_;
};

// The iters, innermost first, of one inner iter seen through the outer layout.
bool Through(const TileLayout& outer, const Iter& inner, std::vector<Iter>& out) {
  if (inner.stride.Is(0)) {
    out.push_back({inner.extent, 0, outer.shard().empty() ? Axis::kM : outer.shard().back().axis});
    return true;
  }
  Walk walk(FuseRun(outer.shard()));
  return walk.Skip(inner.stride) && walk.Take(inner.extent, out);
}

// No sum of inner iters carries from one's positions into another's: in rising order each stride covers the iter below.
bool NoCarries(const TileLayout& inner) {
  std::vector<Iter> iters;
  for (const Iter& iter : inner.shard()) {
    if (!iter.extent.Is(1) && !iter.stride.Is(0)) iters.push_back(iter);
  }
  for (size_t i = 0; i < iters.size(); ++i) {
    if (!iters[i].stride.ProvablyAtLeast(1)) return false;
    for (size_t j = i + 1; j < iters.size(); ++j) {
      const bool nested = iters[i].stride.ProvablyAtLeast(iters[j].stride * iters[j].extent) ||
                          iters[j].stride.ProvablyAtLeast(iters[i].stride * iters[i].extent);
      if (!nested) return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<std::optional<TileLayout>> Inverse(const TileLayout& layout, const std::vector<Axis>& axes_in) {
  std::vector<Axis> axes = axes_in;
  for (const AxisInfo& row : AxisTableRows()) {
    if (!layout.Uses(row.axis) || std::find(axes.begin(), axes.end(), row.axis) != axes.end()) continue;
    if (!axes_in.empty())
      return Error("inverse", ToString(layout), " uses ", row.name, ", which is not among the axes");
    if (row.axis != Axis::kM) axes.push_back(row.axis);
  }
  if (axes_in.empty() && layout.Uses(Axis::kM)) axes.push_back(Axis::kM);
  for (const auto& [axis, value] : layout.offset()) {
    if (!value.Is(0)) return std::optional<TileLayout>();
  }
  std::vector<Iter> shard;
  for (const Axis axis : axes) {
    std::vector<Weighted> left = WeightedOn(layout, axis);
    std::vector<Iter> rising;
    Extent filled = 1;
    while (!left.empty()) {
      const auto next =
          std::find_if(left.begin(), left.end(), [&](const Weighted& each) { return each.stride == filled; });
      if (next == left.end()) return std::optional<TileLayout>();
      rising.push_back({next->extent, next->weight, Axis::kM});
      filled *= next->extent;
      left.erase(next);
    }
    shard.insert(shard.end(), rising.rbegin(), rising.rend());
  }
  if (shard.empty()) shard.push_back({1, 1, Axis::kM});
  KILN_ASSIGN_OR_RETURN(TileLayout inverse, TileLayout::Make(std::move(shard)));
  return std::optional<TileLayout>(std::move(inverse));
}

absl::StatusOr<std::optional<Layout>> Compose(const Layout& outer_in, const TileLayout& inner) {
  for (const AxisInfo& row : AxisTableRows()) {
    if (row.axis != Axis::kM && inner.Uses(row.axis)) {
      return Error("compose", "the inner layout must map to m alone, got ", ToString(inner));
    }
  }
  if (!inner.replica().empty()) return Error("compose", "the inner layout has replicas: ", ToString(inner));
  const Extent span = Span(inner, Axis::kM);
  const Extent size = Size(outer_in.base());
  if (!span.overflowed() && (size - span).is_constant() && (size - span).constant() < 0) {
    return Error("compose", "indices up to ", (span - 1).ToString(), " of ", ToString(inner), " lie outside ",
                 ToString(outer_in), ", which has ", size.ToString());
  }
  if (!NoCarries(inner)) return std::optional<Layout>();
  Layout outer = outer_in;
  const Extent start = inner.offset(Axis::kM);
  if (!start.Is(0)) {
    KILN_ASSIGN_OR_RETURN(const std::optional<Layout> from,
                          Slice(outer_in, {size}, {{start, span}}, AxisTable::None()));
    if (!from.has_value()) return std::optional<Layout>();
    outer = *from;
  }
  std::vector<Iter> shard;
  for (const Iter& iter : inner.shard()) {
    std::vector<Iter> through;
    if (!iter.extent.Is(1) && !Through(outer.base(), iter, through)) return std::optional<Layout>();
    if (through.empty()) through.push_back({1, 1, Axis::kM});
    shard.insert(shard.end(), through.rbegin(), through.rend());
  }
  KILN_ASSIGN_OR_RETURN(TileLayout base,
                        TileLayout::Make(std::move(shard), outer.base().replica(), outer.base().offset()));
  KILN_ASSIGN_OR_RETURN(Layout composed, outer.WithBase(std::move(base)));
  return std::optional<Layout>(std::move(composed));
}

}  // namespace kiln::layout
