// Whether places are shared: by two coordinates of one layout, or by two layouts.
#ifndef KILN_COMPILER_LAYOUT_INJECTIVE_H_
#define KILN_COMPILER_LAYOUT_INJECTIVE_H_

#include <cstdint>
#include <optional>

#include "compiler/layout/digit_search.h"
#include "compiler/layout/evaluate.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// Two linear indices, the smaller first, that share a place.
struct Collision {
  int64_t first = 0;
  int64_t second = 0;
  Point place;
};

struct Injectivity {
  Decision decision = Decision::kUnknown;
  std::optional<Collision> collision;  // Where the decision is no.
};

// Yes: no two coordinates share a place, replicas counted. Unknown where symbols leave it open or the search runs out
// of its budget; what is undecided must not be refused.
Injectivity CheckInjective(const Layout& layout);
inline Decision IsInjective(const Layout& layout) { return CheckInjective(layout).decision; }

struct Overlap {
  Decision decision = Decision::kUnknown;
  std::optional<Point> place;  // Where the decision is yes.
};

// Whether some place belongs to both layouts. Unknown with symbols, beyond the search's budget, and for large layouts
// under different XORs.
Overlap Overlaps(const Layout& a, const Layout& b);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_INJECTIVE_H_
