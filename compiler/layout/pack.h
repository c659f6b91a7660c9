// Changing the element width of a layout.
#ifndef KILN_COMPILER_LAYOUT_PACK_H_
#define KILN_COMPILER_LAYOUT_PACK_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// `count` neighbouring elements along the innermost shard iter become one. Errors: not packable: that iter is not
// memory of stride 1, or its extent, another stride or an offset on its axis is not a multiple of the count; for an XOR
// a count that is not a power of two or exceeds 2^per_element.
absl::StatusOr<Layout> Pack(const Layout& layout, int64_t count);

// One element becomes `count` neighbours, along the innermost memory axis of stride 1 (m where there is none).
// Errors: a count below 1; for an XOR one that is not a power of two.
absl::StatusOr<Layout> Unpack(const Layout& layout, int64_t count);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_PACK_H_
