// Slicing: the layout of a box inside a layout's domain.
#ifndef KILN_COMPILER_LAYOUT_SLICE_H_
#define KILN_COMPILER_LAYOUT_SLICE_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

struct Range {
  Extent begin;
  Extent end;  // Exclusive.
};
using Region = std::vector<Range>;

// The layout S with S(c) = L(begin + c) for every c in the region, its offset absorbing the begin; none where no layout
// has those values. Errors: ranks, an empty or out-of-range region, a layout not groupable by the shape.
absl::StatusOr<std::optional<Layout>> Slice(const Layout& layout, const Shape& shape, const Region& region,
                                            const AxisTable& axes);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_SLICE_H_
