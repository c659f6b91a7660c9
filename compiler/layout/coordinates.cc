#include "compiler/layout/coordinates.h"

#include <map>
#include <utility>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/group.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// Whether something on the axis lies at or above `stride * extent`, for each iter on it; none where iters overlap.
std::optional<std::vector<bool>> WrapsOf(const std::vector<Iter>& iters) {
  std::vector<bool> wraps(iters.size(), false);
  for (size_t i = 0; i < iters.size(); ++i) {
    for (size_t j = 0; j < iters.size(); ++j) {
      if (i == j || iters[i].axis != iters[j].axis || iters[i].extent.Is(1) || iters[j].extent.Is(1)) continue;
      const std::optional<Extent> above = iters[j].stride.DividedBy(iters[i].extent * iters[i].stride);
      const std::optional<Extent> below = iters[i].stride.DividedBy(iters[j].extent * iters[j].stride);
      if (above.has_value() && above->ProvablyAtLeast(1)) {
        wraps[i] = true;
      } else if (!below.has_value() || !below->ProvablyAtLeast(1)) {
        return std::nullopt;
      }
    }
    if (!iters[i].extent.Is(1) && !iters[i].stride.ProvablyAtLeast(1)) return std::nullopt;
  }
  return wraps;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<Component>>> Components(const TileLayout& layout, const Shape& shape) {
  KILN_ASSIGN_OR_RETURN(const Grouped grouped, Group(layout, shape));
  std::vector<std::vector<Component>> dims(shape.size());
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    Extent weight = shape[dim];
    for (const Iter& iter : FuseRun(grouped.Run(dim))) {
      weight = weight.DividedBy(iter.extent).value_or(Extent::Overflow());
      dims[dim].push_back({iter.extent, weight, iter.stride, iter.axis});
    }
  }
  return dims;
}

absl::StatusOr<std::optional<std::vector<std::vector<Digit>>>> CoordinateDigits(const TileLayout& layout,
                                                                                const Shape& shape) {
  KILN_ASSIGN_OR_RETURN(const auto dims, Components(layout, shape));
  std::vector<Iter> iters;
  for (const std::vector<Component>& dim : dims) {
    for (const Component& component : dim) iters.push_back({component.extent, component.stride, component.axis});
  }
  iters.insert(iters.end(), layout.replica().begin(), layout.replica().end());
  const std::optional<std::vector<bool>> wraps = WrapsOf(iters);
  if (!wraps.has_value()) return std::optional<std::vector<std::vector<Digit>>>();
  std::vector<std::vector<Digit>> digits(dims.size());
  size_t next = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    for (const Component& component : dims[dim]) {
      digits[dim].push_back({component, layout.offset(component.axis), (*wraps)[next++]});
    }
  }
  return std::optional<std::vector<std::vector<Digit>>>(std::move(digits));
}

}  // namespace kiln::layout
