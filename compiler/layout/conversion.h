// What it takes to bring a register tile from one layout to another.
#ifndef KILN_COMPILER_LAYOUT_CONVERSION_H_
#define KILN_COMPILER_LAYOUT_CONVERSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

enum class Conversion : uint8_t {
  kSameSlots,  // Every thread finds each value in the slot it needs it in.
  kRename,     // Every thread holds each value it needs, in other slots.
  kShuffle,    // Every value that a thread needs is in its warp.
  kShared,     // Through shared memory.
};

struct ConversionPlan {
  Conversion kind = Conversion::kShared;
  // kShuffle: warp shuffles of one slot each, every thread of all warps taking part. For a slot of the destination, as
  // many as there are slots its values come from when some lie in other lanes.
  int64_t shuffles = 0;
};

// The most elements, replicas counted, that are compared one by one; larger tiles that differ go through shared memory.
inline constexpr int64_t kMaxConversionElements = int64_t{1} << 18;

// The cheapest kind that serves. Layouts of different thread scopes go through shared memory. Errors: sizes that
// differ, symbols, layouts that do not map to threads of a CTA and slots on m.
absl::StatusOr<ConversionPlan> ConversionCost(const TileLayout& from, const TileLayout& to);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_CONVERSION_H_
