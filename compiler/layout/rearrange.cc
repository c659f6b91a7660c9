#include "compiler/layout/rearrange.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/layout/error.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

bool IsPermutation(const std::vector<size_t>& perm, size_t count) {
  std::vector<size_t> sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return sorted == all;
}

absl::StatusOr<Layout> WithShard(const Layout& layout, std::vector<Iter> shard) {
  KILN_ASSIGN_OR_RETURN(TileLayout base,
                        TileLayout::Make(std::move(shard), layout.base().replica(), layout.base().offset()));
  return layout.WithBase(std::move(base));
}

}  // namespace

absl::StatusOr<Layout> Storage(const Layout& layout) {
  std::vector<Iter> shard;
  std::vector<Iter> replica;
  Offset offset;
  const auto stored = [](const Iter& iter) { return IsMemory(iter.axis); };
  const TileLayout& base = layout.base();
  std::copy_if(base.shard().begin(), base.shard().end(), std::back_inserter(shard), stored);
  std::copy_if(base.replica().begin(), base.replica().end(), std::back_inserter(replica), stored);
  for (const auto& [axis, value] : base.offset()) {
    if (IsMemory(axis)) offset.emplace(axis, value);
  }
  KILN_ASSIGN_OR_RETURN(TileLayout storage, TileLayout::Make(std::move(shard), std::move(replica), std::move(offset)));
  return layout.WithBase(std::move(storage));
}

absl::StatusOr<Layout> Broadcast(const Layout& layout, int64_t count, int64_t position, Axis axis) {
  std::vector<Iter> shard = layout.base().shard();
  const int64_t rank = static_cast<int64_t>(shard.size());
  const int64_t at = position < 0 ? rank + 1 + position : position;
  if (at < 0 || at > rank) {
    return Error("broadcast", "expected a position from ", -rank - 1, " to ", rank, ", got ", position);
  }
  shard.insert(shard.begin() + at, {count, 0, axis});
  return WithShard(layout, std::move(shard));
}

absl::StatusOr<Layout> PermuteDims(const Layout& layout, const std::vector<size_t>& perm) {
  const std::vector<Iter>& shard = layout.base().shard();
  if (!IsPermutation(perm, shard.size())) {
    return Error("permute_dims", "(", absl::StrJoin(perm, ", "), ") does not permute the ", shard.size(),
                 " shard iters of ", ToString(layout));
  }
  std::vector<Iter> permuted;
  for (const size_t i : perm) permuted.push_back(shard[i]);
  return WithShard(layout, std::move(permuted));
}

absl::StatusOr<Layout> PermuteByGroups(const Layout& layout, const std::vector<size_t>& separators,
                                       const std::vector<size_t>& perm) {
  const std::vector<Iter>& shard = layout.base().shard();
  if (separators.empty() || separators.front() != 0 || separators.back() != shard.size() ||
      !std::is_sorted(separators.begin(), separators.end())) {
    return Error("permute_by_groups", "the separators (", absl::StrJoin(separators, ", "), ") do not cut the ",
                 shard.size(), " shard iters of ", ToString(layout), " into runs");
  }
  if (!IsPermutation(perm, separators.size() - 1)) {
    return Error("permute_by_groups", "(", absl::StrJoin(perm, ", "), ") does not permute the ", separators.size() - 1,
                 " groups");
  }
  std::vector<Iter> permuted;
  for (const size_t group : perm) {
    for (size_t i = separators[group]; i < separators[group + 1]; ++i) permuted.push_back(shard[i]);
  }
  return WithShard(layout, std::move(permuted));
}

}  // namespace kiln::layout
