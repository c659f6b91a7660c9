#include "compiler/layout/injective.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace kiln::layout {
namespace {

constexpr int64_t kBudget = int64_t{1} << 18;
constexpr int64_t kMaxEnumerated = int64_t{1} << 16;

std::vector<Iter> ItersOn(const std::vector<Iter>& iters, Axis axis) {
  std::vector<Iter> found;
  for (const Iter& iter : iters) {
    if (iter.axis == axis && !iter.extent.Is(1)) found.push_back(iter);
  }
  return found;
}

// Proof by size, symbols included: in rising order each stride exceeds all that the smaller iters reach together.
bool StridesNest(std::vector<Iter> iters) {
  for (Iter& iter : iters) {
    if (iter.stride.is_constant() && iter.stride.constant() < 0) iter.stride = Extent(0) - iter.stride;
  }
  Extent reach = 0;
  while (!iters.empty()) {
    const auto least = std::find_if(iters.begin(), iters.end(), [&iters](const Iter& candidate) {
      return std::all_of(iters.begin(), iters.end(),
                         [&](const Iter& other) { return other.stride.ProvablyAtLeast(candidate.stride); });
    });
    if (least == iters.end() || !least->stride.ProvablyAtLeast(reach + 1)) return false;
    reach += (least->extent - 1) * least->stride;
    iters.erase(least);
  }
  return true;
}

// The linear weight of each shard iter.
std::vector<Extent> WeightsOf(const TileLayout& layout) {
  std::vector<Extent> weights(layout.shard().size());
  Extent weight = 1;
  for (size_t i = weights.size(); i-- > 0;) {
    weights[i] = weight;
    weight *= layout.shard()[i].extent;
  }
  return weights;
}

// The two coordinates, and the place they share, that digit differences on an axis stand for.
Collision CollisionFrom(const Layout& layout, Axis axis, const std::vector<size_t>& shard_indices,
                        const std::vector<Iter>& replicas, const std::vector<int64_t>& differences) {
  const TileLayout& base = layout.base();
  const std::vector<Extent> weights = WeightsOf(base);
  Collision collision;
  int64_t value = base.offset(axis).constant();
  for (size_t i = 0; i < differences.size(); ++i) {
    const int64_t up = std::max<int64_t>(differences[i], 0);
    if (i < shard_indices.size()) {
      const size_t at = shard_indices[i];
      collision.first += up * weights[at].constant();
      collision.second += std::max<int64_t>(-differences[i], 0) * weights[at].constant();
      value += up * base.shard()[at].stride.constant();
    } else {
      value += up * replicas[i - shard_indices.size()].stride.constant();
    }
  }
  if (collision.first > collision.second) std::swap(collision.first, collision.second);
  for (const AxisInfo& row : AxisTableRows()) {
    if (base.Uses(row.axis)) collision.place[row.axis] = base.offset(row.axis).constant();
  }
  collision.place[axis] = value;
  if (const SwizzledLayout* swizzled = layout.swizzled_if()) {
    int64_t& address = collision.place[Axis::kM];
    if (address >= 0) address = swizzled->swizzle().Apply(address);
  }
  return collision;
}

// Whether two different digit vectors of the axis' shard iters can meet.
Injectivity CheckAxis(const Layout& layout, Axis axis, int64_t& budget) {
  const TileLayout& base = layout.base();
  std::vector<Iter> iters = ItersOn(base.shard(), axis);
  if (iters.empty()) return {Decision::kYes, std::nullopt};
  const std::vector<Iter> replicas = ItersOn(base.replica(), axis);
  const size_t shard_count = iters.size();
  iters.insert(iters.end(), replicas.begin(), replicas.end());
  if (StridesNest(iters)) return {Decision::kYes, std::nullopt};
  if (!base.is_constant()) return {Decision::kUnknown, std::nullopt};

  std::vector<size_t> shard_indices;
  for (size_t i = 0; i < base.shard().size(); ++i) {
    if (base.shard()[i].axis == axis && !base.shard()[i].extent.Is(1)) shard_indices.push_back(i);
  }
  std::vector<Term> terms;
  for (const Iter& iter : iters) {
    const int64_t most = iter.extent.constant() - 1;
    terms.push_back({iter.stride.constant(), -most, most});
  }
  // Differences come in pairs of opposite sign: one digit is taken positive in turn, the others are free.
  Injectivity result = {Decision::kYes, std::nullopt};
  for (size_t i = 0; i < shard_count; ++i) {
    std::vector<Term> positive = terms;
    positive[i].low = 1;
    const DigitSolution solution = SolveDigits(positive, 0, budget);
    if (solution.decision == Decision::kYes) {
      return {Decision::kNo, CollisionFrom(layout, axis, shard_indices, replicas, solution.digits)};
    }
    if (solution.decision == Decision::kUnknown) result.decision = Decision::kUnknown;
    // Differences with this digit positive are ruled out; so are those with it negative.
    terms[i].low = 0;
    terms[i].high = 0;
    if (solution.decision == Decision::kUnknown) break;
  }
  return result;
}

// The addresses on m of a small layout that uses no other axis.
std::optional<std::set<int64_t>> Addresses(const Layout& layout) {
  const absl::StatusOr<Evaluator> evaluator = Evaluator::Make(layout);
  if (!evaluator.ok() || evaluator->size() > kMaxEnumerated / evaluator->replicas()) return std::nullopt;
  for (const AxisInfo& row : AxisTableRows()) {
    if (row.axis != Axis::kM && layout.base().Uses(row.axis)) return std::nullopt;
  }
  std::set<int64_t> addresses;
  Evaluator::Values values;
  for (int64_t index = 0; index < evaluator->size(); ++index) {
    for (int64_t replica = 0; replica < evaluator->replicas(); ++replica) {
      evaluator->Evaluate(index, replica, values);
      addresses.insert(values[static_cast<size_t>(Axis::kM)]);
    }
  }
  return addresses;
}

Overlap OverlapOfSets(const Layout& a, const Layout& b) {
  const std::optional<std::set<int64_t>> left = Addresses(a);
  const std::optional<std::set<int64_t>> right = Addresses(b);
  if (!left.has_value() || !right.has_value()) return {};
  for (const int64_t address : *left) {
    if (right->contains(address)) return {Decision::kYes, Point{{Axis::kM, address}}};
  }
  return {Decision::kNo, std::nullopt};
}

}  // namespace

Injectivity CheckInjective(const Layout& layout) {
  int64_t budget = kBudget;
  Injectivity result = {Decision::kYes, std::nullopt};
  for (const AxisInfo& row : AxisTableRows()) {
    Injectivity on_axis = CheckAxis(layout, row.axis, budget);
    if (on_axis.decision == Decision::kNo) return on_axis;
    if (on_axis.decision == Decision::kUnknown) result.decision = Decision::kUnknown;
  }
  return result;
}

Overlap Overlaps(const Layout& a, const Layout& b) {
  const bool same_xor =
      a.is_tile() == b.is_tile() && (a.is_tile() || a.swizzled_if()->swizzle() == b.swizzled_if()->swizzle());
  if (!a.base().is_constant() || !b.base().is_constant()) return {};
  if (!same_xor) return OverlapOfSets(a, b);
  int64_t budget = kBudget;
  Overlap result = {Decision::kYes, Point()};
  for (const AxisInfo& row : AxisTableRows()) {
    const Axis axis = row.axis;
    if (!a.base().Uses(axis) && !b.base().Uses(axis)) continue;
    std::vector<Term> terms;
    for (const auto& [layout, sign] : {std::pair(&a, int64_t{1}), std::pair(&b, int64_t{-1})}) {
      for (const std::vector<Iter>* iters : {&layout->base().shard(), &layout->base().replica()}) {
        for (const Iter& iter : ItersOn(*iters, axis)) {
          terms.push_back({sign * iter.stride.constant(), 0, iter.extent.constant() - 1});
        }
      }
    }
    const Extent target = b.base().offset(axis) - a.base().offset(axis);
    if (target.overflowed()) return {};
    const DigitSolution solution = SolveDigits(terms, target.constant(), budget);
    if (solution.decision == Decision::kNo) return {Decision::kNo, std::nullopt};
    if (solution.decision == Decision::kUnknown) {
      result = {Decision::kUnknown, std::nullopt};
      continue;
    }
    if (!result.place.has_value()) continue;
    int64_t value = a.base().offset(axis).constant();
    size_t next = 0;
    for (const std::vector<Iter>* iters : {&a.base().shard(), &a.base().replica()}) {
      for (const Iter& iter : ItersOn(*iters, axis)) value += solution.digits[next++] * iter.stride.constant();
    }
    (*result.place)[axis] = value;
  }
  if (result.place.has_value() && !a.is_tile()) {
    int64_t& address = (*result.place)[Axis::kM];
    if (address >= 0) address = a.swizzled_if()->swizzle().Apply(address);
  }
  return result;
}

}  // namespace kiln::layout
