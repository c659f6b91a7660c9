// Operations that drop, add or reorder iters without changing any other.
#ifndef KILN_COMPILER_LAYOUT_REARRANGE_H_
#define KILN_COMPILER_LAYOUT_REARRANGE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// What one thread of one device holds: thread and device axes dropped from iters and offsets.
absl::StatusOr<Layout> Storage(const Layout& layout);

// A shard iter of extent `count` and stride 0 on the axis, put before shard iter `position`; a negative position counts
// from the end, -1 appending. Errors: a position outside, a count below 1.
absl::StatusOr<Layout> Broadcast(const Layout& layout, int64_t count, int64_t position = -1, Axis axis = Axis::kM);

// Shard iters reordered: iter i of the result is iter perm[i]. Errors: not a permutation of all shard iters.
absl::StatusOr<Layout> PermuteDims(const Layout& layout, const std::vector<size_t>& perm);

// Runs of shard iters reordered: run i of the result is run perm[i]. Errors: separators that do not cut the shard iters
// into runs, not a permutation of the runs.
absl::StatusOr<Layout> PermuteByGroups(const Layout& layout, const std::vector<size_t>& separators,
                                       const std::vector<size_t>& perm);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_REARRANGE_H_
