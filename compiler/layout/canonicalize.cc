#include "compiler/layout/canonicalize.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "compiler/layout/error.h"
#include "compiler/layout/scope.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// The fused axis of the layout's thread axes with the factor of each; empty where the table fuses none of them.
std::vector<std::pair<Axis, std::pair<Axis, int64_t>>> FuseRules(const TileLayout& layout, const AxisTable& axes) {
  std::vector<std::pair<Axis, std::pair<Axis, int64_t>>> rules;
  if (!axes.fuses()) return rules;
  const absl::StatusOr<std::optional<ScopeRange>> range = GetScope(layout);
  if (!range.ok() || !range->has_value()) return rules;
  const std::optional<Axis> fused = axes.Fused((*range)->unit, (*range)->scope);
  if (!fused.has_value()) return rules;
  for (const AxisInfo& row : AxisTableRows()) {
    if (row.kind != AxisKind::kThread || !layout.Uses(row.axis)) continue;
    const std::optional<int64_t> factor = axes.UnitsPer(row.unit, (*range)->unit);
    if (!factor.has_value()) return {};
    rules.push_back({row.axis, {*fused, *factor}});
  }
  return rules;
}

absl::StatusOr<TileLayout> FuseThreadAxes(const TileLayout& layout, const AxisTable& axes) {
  const auto rules = FuseRules(layout, axes);
  if (rules.empty()) return layout;
  const auto fuse = [&rules](Extent value, Axis axis) -> std::pair<Axis, Extent> {
    for (const auto& [from, to] : rules) {
      if (from == axis) return {to.first, value * to.second};
    }
    return {axis, value};
  };
  std::vector<Iter> shard = layout.shard();
  std::vector<Iter> replica = layout.replica();
  for (std::vector<Iter>* iters : {&shard, &replica}) {
    for (Iter& iter : *iters) std::tie(iter.axis, iter.stride) = fuse(iter.stride, iter.axis);
  }
  Offset offset;
  for (const auto& [axis, value] : layout.offset()) {
    const auto [to, scaled] = fuse(value, axis);
    Extent& sum = offset[to];
    sum += scaled;
  }
  return TileLayout::Make(std::move(shard), std::move(replica), std::move(offset));
}

// One iter of a fused axis as the part above and the part inside `per` units.
std::optional<std::vector<Iter>> SplitIter(const Iter& iter, Axis outer, Axis inner, int64_t per) {
  if (const std::optional<Extent> above = iter.stride.DividedBy(per)) return {{{iter.extent, *above, outer}}};
  if (!iter.extent.is_constant() || !iter.stride.is_constant() || iter.stride.constant() < 0) return std::nullopt;
  const int64_t stride = iter.stride.constant();
  const int64_t reach = iter.extent.constant() * stride;
  if (reach <= per) return {{{iter.extent, iter.stride, inner}}};
  if (per % stride != 0 || reach % per != 0) return std::nullopt;
  return {{{reach / per, 1, outer}, {per / stride, iter.stride, inner}}};
}

}  // namespace

std::vector<Iter> FuseRun(const std::vector<Iter>& iters) {
  std::vector<Iter> fused;
  for (const Iter& iter : iters) {
    if (iter.extent.Is(1)) continue;
    if (!fused.empty() && fused.back().axis == iter.axis && fused.back().stride == iter.extent * iter.stride) {
      fused.back().extent *= iter.extent;
      fused.back().stride = iter.stride;
    } else {
      fused.push_back(iter);
    }
  }
  return fused;
}

absl::StatusOr<TileLayout> Canonicalize(const TileLayout& layout, const AxisTable& axes) {
  std::vector<Iter> shard;
  for (const Iter& iter : layout.shard()) {
    if (!iter.extent.Is(1)) shard.push_back(iter);
  }
  // The unit iter that stays, where all would go, has stride 1 so that it compares equal whatever was dropped.
  if (shard.empty() && !layout.shard().empty()) shard.push_back({1, 1, layout.shard().front().axis});
  Offset offset;
  for (const auto& [axis, value] : layout.offset()) {
    if (!value.Is(0)) offset.emplace(axis, value);
  }
  KILN_ASSIGN_OR_RETURN(TileLayout plain, TileLayout::Make(std::move(shard), layout.replica(), std::move(offset)));
  KILN_ASSIGN_OR_RETURN(plain, FuseThreadAxes(plain, axes));

  std::vector<Iter> fused = FuseRun(plain.shard());
  if (fused.empty()) fused = plain.shard();
  std::vector<Iter> replica = plain.replica();
  std::sort(replica.begin(), replica.end(), [](const Iter& a, const Iter& b) {
    return std::tie(a.axis, a.extent, a.stride) < std::tie(b.axis, b.extent, b.stride);
  });
  return TileLayout::Make(std::move(fused), std::move(replica), plain.offset());
}

absl::StatusOr<Layout> Canonicalize(const Layout& layout, const AxisTable& axes) {
  KILN_ASSIGN_OR_RETURN(TileLayout base, Canonicalize(layout.base(), axes));
  return layout.WithBase(std::move(base));
}

absl::StatusOr<bool> Equivalent(const Layout& a, const Layout& b, const AxisTable& axes) {
  KILN_ASSIGN_OR_RETURN(const Layout left, Canonicalize(a, axes));
  KILN_ASSIGN_OR_RETURN(const Layout right, Canonicalize(b, axes));
  return left == right;
}

absl::StatusOr<std::optional<TileLayout>> SplitAxes(const TileLayout& layout, Scope scope, const AxisTable& axes) {
  std::optional<TileLayout> none;
  std::vector<Iter> shard;
  std::vector<Iter> replica;
  Offset offset;
  const auto parts = [&](Axis axis) -> std::optional<std::tuple<Axis, Axis, int64_t>> {
    const AxisInfo& info = InfoOf(axis);
    if (info.kind != AxisKind::kThread || info.unit >= scope || info.scope <= scope) return std::nullopt;
    const std::optional<Axis> outer = axes.Part(scope, info.scope);
    const std::optional<Axis> inner = axes.Part(info.unit, scope);
    const std::optional<int64_t> per = axes.UnitsPer(scope, info.unit);
    if (!outer || !inner || !per) return std::nullopt;
    return std::tuple(*outer, *inner, *per);
  };
  std::map<Axis, int64_t> bound;  // Per inner axis: what its values must stay below.
  for (const auto& [from, to] : {std::pair(&layout.shard(), &shard), std::pair(&layout.replica(), &replica)}) {
    for (const Iter& iter : *from) {
      const auto split = parts(iter.axis);
      if (!split.has_value()) {
        to->push_back(iter);
        continue;
      }
      const auto [outer, inner, per] = *split;
      const std::optional<std::vector<Iter>> pieces = SplitIter(iter, outer, inner, per);
      if (!pieces.has_value()) return none;
      to->insert(to->end(), pieces->begin(), pieces->end());
      bound[inner] = per;
    }
  }
  for (const auto& [axis, value] : layout.offset()) {
    const auto split = parts(axis);
    if (!split.has_value()) {
      offset[axis] += value;
      continue;
    }
    const auto [outer, inner, per] = *split;
    if (!value.is_constant() || value.constant() < 0) return none;
    offset[outer] += value.constant() / per;
    offset[inner] += value.constant() % per;
    bound[inner] = per;
  }
  KILN_ASSIGN_OR_RETURN(TileLayout split, TileLayout::Make(std::move(shard), std::move(replica), std::move(offset)));
  // A sum that carries into the outer part would make the split evaluate differently.
  for (const auto& [axis, per] : bound) {
    if (!Extent(per).ProvablyAtLeast(Span(split, axis))) return none;
  }
  return std::optional<TileLayout>(std::move(split));
}

}  // namespace kiln::layout
