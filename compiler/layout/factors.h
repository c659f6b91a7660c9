// What tilings and direct sums share: interleaving two grouped factors, and taking a product apart again.
#ifndef KILN_COMPILER_LAYOUT_FACTORS_H_
#define KILN_COMPILER_LAYOUT_FACTORS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/group.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// Per dimension the outer run then the inner run; replicas and offsets joined. REQUIRES: both grouped by equal ranks.
absl::StatusOr<TileLayout> Interleave(const Grouped& outer, const Grouped& inner);

// (outer0, inner0, outer1, inner1, ...), for one of the factors given and the product's shape. Errors: ranks, an
// indivisible dimension.
absl::StatusOr<Shape> InterleavedShape(std::string_view operation, const Shape& product, const Shape& factor,
                                       bool factor_is_inner);

// The even (outer) or odd (inner) dimensions of a layout grouped by an interleaved shape.
std::vector<Iter> HalfOf(const Grouped& interleaved, bool inner);

// Whether the dimensions of one half have the same components as the factor's, unit iters and splits aside.
bool HalfMatches(const Grouped& interleaved, bool inner, const Grouped& factor);

// What is left of the replicas and offsets of a product without those of a factor; none where the factor's replicas are
// not among them.
std::optional<std::vector<Iter>> ReplicasWithout(const TileLayout& product, const TileLayout& factor);
Offset OffsetWithout(const TileLayout& product, const TileLayout& factor);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_FACTORS_H_
