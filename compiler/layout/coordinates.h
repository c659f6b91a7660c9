// Coordinates as functions of thread ids and slots: what a compiler emits index arithmetic from.
#ifndef KILN_COMPILER_LAYOUT_COORDINATES_H_
#define KILN_COMPILER_LAYOUT_COORDINATES_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// One component of a dimension: the coordinate is the sum of digit * weight over its components, and each digit moves
// the place by digit * stride on the axis.
struct Component {
  Extent extent;
  Extent weight;  // In the dimension: the product of the extents to its right there.
  Extent stride;  // On the axis.
  Axis axis = Axis::kM;

  bool operator==(const Component&) const = default;
};

// For each dimension of the shape its components, outermost first, neighbours fused and units dropped.
// Errors: a layout not groupable by the shape.
absl::StatusOr<std::vector<std::vector<Component>>> Components(const TileLayout& layout, const Shape& shape);

// A component with the way back: digit = (value on the axis - offset) / stride % extent, the remainder being needless
// where `wraps` is false (nothing on the axis lies above).
struct Digit {
  Component component;
  Extent offset;
  bool wraps = false;
};

// For each dimension the digits from which places give coordinates; none where iters of one axis overlap, so that no
// digit can be read off (their strides must be multiples, each at least the extent times stride below it). Replicas
// count as digits of no dimension. Errors: a layout not groupable by the shape.
absl::StatusOr<std::optional<std::vector<std::vector<Digit>>>> CoordinateDigits(const TileLayout& layout,
                                                                                const Shape& shape);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_COORDINATES_H_
