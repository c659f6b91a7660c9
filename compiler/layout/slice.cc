#include "compiler/layout/slice.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "compiler/layout/group.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// Past this many positions a range that straddles blocks is not searched for strides.
constexpr int64_t kMaxStraddle = int64_t{1} << 16;

// A dimension's iters, outermost first, being peeled from the inside; `out` gathers the result innermost first.
struct Peel {
  std::vector<Iter> iters;
  std::vector<Iter> out;
  Offset offset;
};

using Displacement = std::map<Axis, int64_t>;

// Where position x of the iters lies; the outermost component is not reduced.
Displacement PositionOf(const std::vector<Iter>& iters, int64_t x) {
  Displacement at;
  for (size_t i = iters.size(); i-- > 0;) {
    const int64_t extent = iters[i].extent.constant();
    const int64_t component = i == 0 ? x : x % extent;
    x /= extent;
    at[iters[i].axis] += component * iters[i].stride.constant();
  }
  return at;
}

Displacement Minus(Displacement a, const Displacement& b) {
  for (const auto& [axis, value] : b) a[axis] -= value;
  std::erase_if(a, [](const auto& entry) { return entry.second == 0; });
  return a;
}

// The iters, innermost first, whose values at 0 .. count - 1 are those of `values`: extents grow as long as one stride
// holds, which finds the layout where there is one. False where there is none.
bool FitIters(const std::vector<Displacement>& values, std::vector<Iter>& out) {
  std::vector<size_t> starts(values.size());
  std::iota(starts.begin(), starts.end(), 0);
  while (starts.size() > 1) {
    const Displacement step = Minus(values[starts[1]], values[starts[0]]);
    if (step.size() > 1) return false;
    size_t extent = 1;
    while (extent < starts.size() && Minus(values[starts[extent]], values[starts[extent - 1]]) == step) ++extent;
    if (starts.size() % extent != 0) return false;
    std::vector<size_t> outer;
    for (size_t block = 0; block < starts.size(); block += extent) {
      outer.push_back(starts[block]);
      for (size_t i = 1; i < extent; ++i) {
        if (Minus(values[starts[block + i]], values[starts[block + i - 1]]) != step) return false;
      }
    }
    const Iter iter = step.empty() ? Iter{static_cast<int64_t>(extent), 0, Axis::kM}
                                   : Iter{static_cast<int64_t>(extent), step.begin()->second, step.begin()->first};
    out.push_back(iter);
    starts = std::move(outer);
  }
  return true;
}

// A constant range that crosses blocks of the innermost iter.
bool PeelStraddling(Peel& peel, int64_t begin, int64_t count) {
  const Iter inner = peel.iters.back();
  const int64_t common = std::gcd(std::gcd(begin, count), inner.extent.constant());
  if (common > 1) {
    // Blocks of the common divisor stay whole: what is left is a range over blocks.
    peel.out.push_back({common, inner.stride, inner.axis});
    peel.iters.back() = {inner.extent.constant() / common, inner.stride * common, inner.axis};
    begin /= common;
    count /= common;
  }
  if (count > kMaxStraddle) return false;
  const Displacement start = PositionOf(peel.iters, begin);
  std::vector<Displacement> values;
  values.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values.push_back(Minus(PositionOf(peel.iters, begin + i), start));
  for (const auto& [axis, value] : start) peel.offset[axis] += value;
  return FitIters(values, peel.out);
}

// Where every iter from here out stands at `begin`: the offset of a range that needs no further iters.
bool AbsorbBegin(Peel& peel, Extent begin) {
  while (!peel.iters.empty()) {
    const Iter iter = peel.iters.back();
    peel.iters.pop_back();
    if (begin.Is(0)) return true;
    if (peel.iters.empty()) {
      peel.offset[iter.axis] += begin * iter.stride;
      return true;
    }
    if (const std::optional<Extent> whole = begin.DividedBy(iter.extent)) {
      begin = *whole;
      continue;
    }
    if (!begin.is_constant() || !iter.extent.is_constant()) return false;
    peel.offset[iter.axis] += iter.stride * (begin.constant() % iter.extent.constant());
    begin = begin.constant() / iter.extent.constant();
  }
  return begin.Is(0);
}

// The iters of [begin, begin + count); false where there are none.
bool PeelRange(Peel& peel, Extent begin, Extent count) {
  while (true) {
    if (count.Is(1)) return AbsorbBegin(peel, begin);
    if (peel.iters.empty()) return false;
    const Iter inner = peel.iters.back();
    if (peel.iters.size() == 1) {
      peel.out.push_back({count, inner.stride, inner.axis});
      return AbsorbBegin(peel, begin);
    }
    const std::optional<Extent> begin_blocks = begin.DividedBy(inner.extent);
    const std::optional<Extent> count_blocks = count.DividedBy(inner.extent);
    if (begin_blocks.has_value() && count_blocks.has_value()) {
      peel.out.push_back(inner);
      peel.iters.pop_back();
      begin = *begin_blocks;
      count = *count_blocks;
      continue;
    }
    const bool constant = begin.is_constant() && count.is_constant() &&
                          std::all_of(peel.iters.begin(), peel.iters.end(), [](const Iter& iter) {
                            return iter.extent.is_constant() && iter.stride.is_constant();
                          });
    if (begin_blocks.has_value() && inner.extent.ProvablyAtLeast(count)) {
      peel.out.push_back({count, inner.stride, inner.axis});
      return AbsorbBegin(peel, begin);
    }
    if (begin.is_constant() && inner.extent.is_constant() && count.is_constant() &&
        begin.constant() % inner.extent.constant() + count.constant() <= inner.extent.constant()) {
      peel.out.push_back({count, inner.stride, inner.axis});
      return AbsorbBegin(peel, begin);
    }
    if (!constant) return false;
    return PeelStraddling(peel, begin.constant(), count.constant());
  }
}

absl::Status CheckRegion(const Shape& shape, const Region& region) {
  if (shape.size() != region.size()) {
    return Error("slice", "rank: the shape ", ToString(shape), " has ", shape.size(), " dimensions, the region ",
                 region.size());
  }
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const Range& range = region[dim];
    const Extent count = range.end - range.begin;
    const bool wrong = (count.is_constant() && count.constant() < 1) ||
                       (range.begin.is_constant() && range.begin.constant() < 0) ||
                       ((range.end - shape[dim]).is_constant() && (range.end - shape[dim]).constant() > 0);
    if (wrong) {
      return Error("slice", "dimension ", dim, ": the range ", range.begin.ToString(), "..", range.end.ToString(),
                   " is empty or outside 0..", shape[dim].ToString());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<Layout>> Slice(const Layout& layout, const Shape& shape, const Region& region,
                                            const AxisTable& axes) {
  KILN_RETURN_IF_ERROR(CheckRegion(shape, region));
  KILN_ASSIGN_OR_RETURN(const TileLayout canonical, Canonicalize(layout.base(), axes));
  KILN_ASSIGN_OR_RETURN(const Grouped grouped, Group(canonical, shape));
  std::vector<Iter> shard;
  Offset offset = canonical.offset();
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    Peel peel{FuseRun(grouped.Run(dim)), {}, {}};
    if (!peel.iters.empty() && !PeelRange(peel, region[dim].begin, region[dim].end - region[dim].begin)) {
      return std::optional<Layout>();
    }
    if (peel.out.empty()) {
      const Iter first = grouped.Run(dim).front();
      peel.out.push_back({1, first.stride, first.axis});
    }
    shard.insert(shard.end(), peel.out.rbegin(), peel.out.rend());
    for (const auto& [axis, value] : peel.offset) offset[axis] += value;
  }
  KILN_ASSIGN_OR_RETURN(TileLayout sliced, TileLayout::Make(std::move(shard), canonical.replica(), std::move(offset)));
  KILN_ASSIGN_OR_RETURN(Layout result, layout.WithBase(std::move(sliced)));
  return std::optional<Layout>(std::move(result));
}

}  // namespace kiln::layout
