// Size, span and allocation of layouts.
#include "compiler/layout/error.h"
#include "compiler/layout/layout.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

template <typename Counts>
Extent SpanWhere(const TileLayout& layout, Counts counts) {
  Extent span = 1;
  for (const std::vector<Iter>* iters : {&layout.shard(), &layout.replica()}) {
    for (const Iter& iter : *iters) {
      if (counts(iter.axis)) span += (iter.extent - 1) * iter.stride;
    }
  }
  for (const auto& [axis, value] : layout.offset()) {
    if (counts(axis)) span += value;
  }
  return span;
}

}  // namespace

Extent Size(const TileLayout& layout) { return Product(layout.ShardShape()); }

Extent Size(const TileLayout& layout, Axis axis) {
  Extent size = 1;
  for (const Iter& iter : layout.shard()) {
    if (iter.axis == axis) size *= iter.extent;
  }
  return size;
}

Extent Span(const TileLayout& layout) {
  return SpanWhere(layout, [](Axis axis) { return IsMemory(axis); });
}

Extent Span(const TileLayout& layout, Axis axis) {
  return SpanWhere(layout, [axis](Axis each) { return each == axis; });
}

absl::StatusOr<Extent> Size(const Layout& layout, std::optional<Axis> axis) {
  if (!axis.has_value()) return Size(layout.base());
  if (!layout.is_tile())
    return Error("size", "a swizzled layout has no size on one axis (", Name(*axis), "): ", ToString(layout));
  return Size(*layout.tile_if(), *axis);
}

absl::StatusOr<Extent> Span(const Layout& layout, std::optional<Axis> axis) {
  if (!axis.has_value()) return Span(layout.base());
  if (!layout.is_tile())
    return Error("span", "a swizzled layout has no span on one axis (", Name(*axis), "): ", ToString(layout));
  return Span(*layout.tile_if(), *axis);
}

absl::StatusOr<Extent> AllocationExtent(const Layout& layout) {
  const Extent span = Span(layout.base(), Axis::kM);
  if (layout.is_tile()) return span;
  const int64_t period = layout.swizzled_if()->swizzle().Period();
  if (span.DividedBy(period).has_value()) return span;
  if (!span.is_constant()) {
    return Error("allocation", "the span ", span.ToString(), " is not known to be a multiple of the swizzle's period ",
                 period, ": ", ToString(layout));
  }
  return Extent((span.constant() + period - 1) / period) * period;
}

}  // namespace kiln::layout
