// Grouping: splitting iters so that each dimension of a shape owns a run of them.
#ifndef KILN_COMPILER_LAYOUT_GROUP_H_
#define KILN_COMPILER_LAYOUT_GROUP_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

struct Grouped {
  TileLayout layout;
  // Dimension d owns the shard iters separators[d] .. separators[d + 1].
  std::vector<size_t> separators;

  std::vector<Iter> Run(size_t dim) const;
};

// Greedy, left to right; a dimension of 1 owns one unit iter. Errors: sizes that differ, a boundary that cuts an iter
// indivisibly.
absl::StatusOr<Grouped> Group(const TileLayout& layout, const Shape& shape);
// None instead of those errors.
absl::StatusOr<std::optional<Grouped>> TryGroup(const TileLayout& layout, const Shape& shape);

struct GroupedMany {
  TileLayout layout;
  std::vector<std::vector<size_t>> separators;  // One for each shape.
};

// Group by the least common refinement of all the shapes' boundaries. Errors: no shape, totals that differ, boundaries
// of which neither divides the other.
absl::StatusOr<GroupedMany> GroupMany(const TileLayout& layout, const std::vector<Shape>& shapes);

// The layout takes coordinates of the shape: the products agree, and a dimension with a symbolic stride has one stride.
absl::Status CheckAdmits(const Layout& layout, const Shape& shape);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_GROUP_H_
