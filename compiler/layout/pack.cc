#include "compiler/layout/pack.h"

#include <utility>
#include <vector>

#include "compiler/layout/error.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// The exponent of a power of two; none for other numbers.
std::optional<int> Log2(int64_t value) {
  if (value < 1 || (value & (value - 1)) != 0) return std::nullopt;
  int log = 0;
  while ((int64_t{1} << log) < value) ++log;
  return log;
}

absl::StatusOr<TileLayout> PackTile(const TileLayout& layout, int64_t count) {
  const auto refuse = [&](std::string_view why) {
    return Error("pack", ToString(layout), " is not packable by ", count, ": ", why);
  };
  if (count < 1) return refuse("the count must be at least 1");
  std::vector<Iter> shard = layout.shard();
  std::vector<Iter> replica = layout.replica();
  Offset offset = layout.offset();
  while (shard.size() > 1 && shard.back().extent.Is(1)) shard.pop_back();
  if (shard.empty() || !IsMemory(shard.back().axis) || !shard.back().stride.Is(1)) {
    return refuse("the innermost iter is not memory of stride 1");
  }
  const Axis axis = shard.back().axis;
  const std::optional<Extent> extent = shard.back().extent.DividedBy(count);
  if (!extent.has_value()) return refuse("the innermost extent is not a multiple");
  shard.back().extent = *extent;
  for (size_t i = 0; i < shard.size() + replica.size(); ++i) {
    if (i + 1 == shard.size()) continue;
    Iter& iter = i < shard.size() ? shard[i] : replica[i - shard.size()];
    if (iter.axis != axis) continue;
    const std::optional<Extent> stride = iter.stride.DividedBy(count);
    if (!stride.has_value()) return refuse("a stride is not a multiple");
    iter.stride = *stride;
  }
  if (const auto it = offset.find(axis); it != offset.end()) {
    const std::optional<Extent> value = it->second.DividedBy(count);
    if (!value.has_value()) return refuse("the offset is not a multiple");
    it->second = *value;
  }
  return TileLayout::Make(std::move(shard), std::move(replica), std::move(offset));
}

absl::StatusOr<TileLayout> UnpackTile(const TileLayout& layout, int64_t count) {
  if (count < 1) return Error("unpack", "the count must be at least 1, got ", count);
  Axis axis = Axis::kM;
  for (const Iter& iter : layout.shard()) {
    if (IsMemory(iter.axis) && iter.stride.Is(1) && !iter.extent.Is(1)) axis = iter.axis;
  }
  std::vector<Iter> shard = layout.shard();
  std::vector<Iter> replica = layout.replica();
  Offset offset = layout.offset();
  for (std::vector<Iter>* iters : {&shard, &replica}) {
    for (Iter& iter : *iters) {
      if (iter.axis == axis) iter.stride *= count;
    }
  }
  if (const auto it = offset.find(axis); it != offset.end()) it->second *= count;
  shard.push_back({count, 1, axis});
  return TileLayout::Make(std::move(shard), std::move(replica), std::move(offset));
}

absl::StatusOr<Layout> WithWidth(const SwizzledLayout& layout, int per_element, TileLayout tile) {
  Swizzle swizzle = layout.swizzle();
  swizzle.per_element = per_element;
  KILN_ASSIGN_OR_RETURN(SwizzledLayout result, SwizzledLayout::Make(swizzle, std::move(tile)));
  return Layout(std::move(result));
}

}  // namespace

absl::StatusOr<Layout> Pack(const Layout& layout, int64_t count) {
  const SwizzledLayout* const swizzled = layout.swizzled_if();
  const std::optional<int> log = Log2(count);
  if (swizzled != nullptr && (!log.has_value() || *log > swizzled->swizzle().per_element)) {
    return Error("pack", ToString(layout), " is not packable by ", count, ": expected a power of two up to 2^",
                 swizzled->swizzle().per_element);
  }
  KILN_ASSIGN_OR_RETURN(TileLayout tile, PackTile(layout.base(), count));
  if (swizzled == nullptr) return Layout(std::move(tile));
  return WithWidth(*swizzled, swizzled->swizzle().per_element - *log, std::move(tile));
}

absl::StatusOr<Layout> Unpack(const Layout& layout, int64_t count) {
  const SwizzledLayout* const swizzled = layout.swizzled_if();
  const std::optional<int> log = Log2(count);
  if (swizzled != nullptr && !log.has_value()) {
    return Error("unpack", ToString(layout), ": an XOR takes a power of two, got ", count);
  }
  KILN_ASSIGN_OR_RETURN(TileLayout tile, UnpackTile(layout.base(), count));
  if (swizzled == nullptr) return Layout(std::move(tile));
  return WithWidth(*swizzled, swizzled->swizzle().per_element + *log, std::move(tile));
}

}  // namespace kiln::layout
