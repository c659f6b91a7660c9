#include "compiler/layout/evaluate.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/layout/error.h"
#include "compiler/layout/group.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

absl::Status CheckConstant(const Layout& layout) {
  if (layout.base().is_constant()) return absl::OkStatus();
  return Error("apply", "expected a layout without symbols, got ", ToString(layout));
}

std::string ListOf(const std::vector<int64_t>& values) { return absl::StrCat("(", absl::StrJoin(values, ", "), ")"); }

absl::Status CheckAddress(const Layout& layout, int64_t address) {
  if (layout.is_tile() || address >= 0) return absl::OkStatus();
  return Error("apply", "a swizzle takes addresses from 0 up, got ", address, " from ", ToString(layout));
}

// The place of the first replica of an index whose outermost component is unbounded.
absl::StatusOr<Point> FirstPlace(const Layout& layout, int64_t index) {
  const TileLayout& base = layout.base();
  std::map<Axis, Extent> sums;
  for (const Iter& iter : base.replica()) sums[iter.axis];
  for (const auto& [axis, value] : base.offset()) sums[axis] += value;
  int64_t rest = index;
  for (size_t i = base.shard().size(); i-- > 0;) {
    const Iter& iter = base.shard()[i];
    const int64_t component = i == 0 ? rest : rest % iter.extent.constant();
    rest /= iter.extent.constant();
    sums[iter.axis] += iter.stride * component;
  }
  Point point;
  for (const auto& [axis, sum] : sums) {
    if (sum.overflowed())
      return Error("apply", "index ", index, " leaves 63 bits on ", Name(axis), " in ", ToString(layout));
    point[axis] = sum.constant();
  }
  return point;
}

absl::StatusOr<std::vector<Point>> ApplyIndex(const Layout& layout, int64_t index) {
  const TileLayout& base = layout.base();
  KILN_ASSIGN_OR_RETURN(Point first, FirstPlace(layout, index));
  std::vector<Point> points = {std::move(first)};
  int64_t count = 1;
  for (const Iter& iter : base.replica()) {
    if (iter.extent.constant() > kMaxReplicas / count) {
      return Error("apply", "more than ", kMaxReplicas, " replicas in ", ToString(layout));
    }
    count *= iter.extent.constant();
    std::vector<Point> more;
    more.reserve(static_cast<size_t>(count));
    for (const Point& point : points) {
      for (int64_t r = 0; r < iter.extent.constant(); ++r) {
        more.push_back(point);
        more.back()[iter.axis] += r * iter.stride.constant();
      }
    }
    points = std::move(more);
  }
  if (const SwizzledLayout* swizzled = layout.swizzled_if()) {
    for (Point& point : points) {
      int64_t& address = point[Axis::kM];
      KILN_RETURN_IF_ERROR(CheckAddress(layout, address));
      address = swizzled->swizzle().Apply(address);
    }
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

}  // namespace

absl::StatusOr<int64_t> Flatten(const std::vector<int64_t>& coord, const std::vector<int64_t>& shape) {
  if (coord.size() != shape.size()) {
    return Error("apply", "rank: the coordinate ", ListOf(coord), " has ", coord.size(), " numbers, the shape ",
                 ListOf(shape), " ", shape.size());
  }
  Extent index = 0;
  for (size_t i = 0; i < coord.size(); ++i) {
    if (coord[i] < 0 || coord[i] >= shape[i]) {
      return Error("apply", "the coordinate ", ListOf(coord), " lies outside the shape ", ListOf(shape));
    }
    index = index * shape[i] + coord[i];
  }
  if (index.overflowed()) return Error("apply", "the shape ", ListOf(shape), " leaves 63 bits");
  return index.constant();
}

absl::StatusOr<std::vector<Point>> Apply(const Layout& layout, const std::vector<int64_t>& coord,
                                         const std::vector<int64_t>& shape) {
  KILN_RETURN_IF_ERROR(CheckConstant(layout));
  KILN_ASSIGN_OR_RETURN(const int64_t index, Flatten(coord, shape));
  KILN_RETURN_IF_ERROR(CheckAdmits(layout, ToShape(shape)));
  return ApplyIndex(layout, index);
}

absl::StatusOr<std::vector<Point>> Apply(const Layout& layout, const std::vector<int64_t>& coord) {
  KILN_RETURN_IF_ERROR(CheckConstant(layout));
  if (coord.size() == 1) return Apply(layout, coord, {Size(layout.base()).constant()});
  std::vector<int64_t> shape;
  for (const Iter& iter : layout.base().shard()) shape.push_back(iter.extent.constant());
  if (coord.size() != shape.size()) {
    return Error("apply", "arity: without a shape a coordinate is one index or one number for each of the ",
                 shape.size(), " shard iters, got ", ListOf(coord), " for ", ToString(layout));
  }
  return Apply(layout, coord, shape);
}

absl::StatusOr<Point> ApplyLinear(const Layout& layout, int64_t index) {
  KILN_RETURN_IF_ERROR(CheckConstant(layout));
  if (index < 0) return Error("apply", "expected an index from 0 up, got ", index);
  KILN_ASSIGN_OR_RETURN(Point point, FirstPlace(layout, index));
  if (const SwizzledLayout* swizzled = layout.swizzled_if()) {
    int64_t& address = point[Axis::kM];
    KILN_RETURN_IF_ERROR(CheckAddress(layout, address));
    address = swizzled->swizzle().Apply(address);
  }
  return point;
}

absl::StatusOr<std::vector<int64_t>> ApplyToShape(const Layout& layout, const std::vector<int64_t>& coord,
                                                  const std::vector<int64_t>& shape) {
  KILN_RETURN_IF_ERROR(CheckConstant(layout));
  KILN_RETURN_IF_ERROR(Flatten(coord, shape).status());
  KILN_ASSIGN_OR_RETURN(const Grouped grouped, Group(layout.base(), ToShape(shape)));
  std::vector<int64_t> components(grouped.layout.shard().size());
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t rest = coord[dim];
    for (size_t i = grouped.separators[dim + 1]; i-- > grouped.separators[dim];) {
      const int64_t extent = grouped.layout.shard()[i].extent.constant();
      components[i] = rest % extent;
      rest /= extent;
    }
  }
  return components;
}

absl::StatusOr<Evaluator> Evaluator::Make(const Layout& layout) {
  KILN_RETURN_IF_ERROR(CheckConstant(layout));
  const TileLayout& base = layout.base();
  Evaluator evaluator;
  evaluator.size_ = Size(base).constant();
  for (size_t i = base.shard().size(); i-- > 0;) {
    const Iter& iter = base.shard()[i];
    if (iter.extent.Is(1)) continue;
    evaluator.parts_.push_back({iter.extent.constant(), iter.stride.constant(), static_cast<size_t>(iter.axis)});
  }
  Values start{};
  for (const auto& [axis, value] : base.offset()) start[static_cast<size_t>(axis)] = value.constant();
  evaluator.replicas_ = {start};
  for (const Iter& iter : base.replica()) {
    if (iter.extent.constant() > kMaxReplicas / evaluator.replicas()) {
      return Error("apply", "more than ", kMaxReplicas, " replicas in ", ToString(layout));
    }
    std::vector<Values> more;
    for (const Values& values : evaluator.replicas_) {
      for (int64_t r = 0; r < iter.extent.constant(); ++r) {
        more.push_back(values);
        more.back()[static_cast<size_t>(iter.axis)] += r * iter.stride.constant();
      }
    }
    evaluator.replicas_ = std::move(more);
  }
  if (const SwizzledLayout* swizzled = layout.swizzled_if()) {
    evaluator.swizzled_ = true;
    evaluator.swizzle_ = swizzled->swizzle();
  }
  return evaluator;
}

void Evaluator::Evaluate(int64_t index, int64_t replica, Values& values) const {
  values = replicas_[static_cast<size_t>(replica)];
  int64_t rest = index;
  for (const Part& part : parts_) {
    values[part.axis] += rest % part.extent * part.stride;
    rest /= part.extent;
  }
  if (swizzled_) {
    int64_t& address = values[static_cast<size_t>(Axis::kM)];
    address = swizzle_.Apply(address);
  }
}

}  // namespace kiln::layout
