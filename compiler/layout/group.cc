#include "compiler/layout/group.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// Hands out the shard iters of a layout from the left, whole or in parts.
class Splitter {
 public:
  explicit Splitter(const TileLayout& layout) : iters_(layout.shard()) {}

  // Takes iters for a dimension; false where a boundary cuts one indivisibly or none is left.
  bool TakeDimension(Extent rest) {
    if (rest.Is(1)) {
      TakeUnit();
      return true;
    }
    while (!rest.Is(1)) {
      SkipUnits();
      if (next_ == iters_.size()) return false;
      const Iter& iter = iters_[next_];
      if (const std::optional<Extent> left = rest.DividedBy(Current())) {
        out_.push_back({Current(), iter.stride, iter.axis});
        rest = *left;
        part_.reset();
        ++next_;
      } else if (const std::optional<Extent> inner = Current().DividedBy(rest)) {
        out_.push_back({rest, iter.stride * *inner, iter.axis});
        part_ = *inner;
        rest = 1;
      } else {
        return false;
      }
    }
    return true;
  }

  bool Finished() {
    SkipUnits();
    return next_ == iters_.size();
  }

  std::vector<Iter>& out() { return out_; }

 private:
  const Extent& Current() const { return part_.has_value() ? *part_ : iters_[next_].extent; }

  void SkipUnits() {
    while (next_ < iters_.size() && Current().Is(1)) {
      part_.reset();
      ++next_;
    }
  }

  // A dimension of 1 continues what stands before it, or precedes the iter that is left.
  void TakeUnit() {
    const bool between = !part_.has_value() && !out_.empty();
    if (next_ < iters_.size() && !between) {
      const Iter& iter = iters_[next_];
      out_.push_back({1, Current() * iter.stride, iter.axis});
    } else if (!out_.empty()) {
      out_.push_back({1, out_.back().stride, out_.back().axis});
    } else {
      out_.push_back({1, 1, Axis::kM});
    }
  }

  const std::vector<Iter>& iters_;
  size_t next_ = 0;
  std::optional<Extent> part_;  // What is left of iters_[next_] once split.
  std::vector<Iter> out_;
};

std::string Subject(const TileLayout& layout, const Shape& shape) {
  return absl::StrCat(ToString(layout), " is not groupable by ", ToString(shape));
}

}  // namespace

std::vector<Iter> Grouped::Run(size_t dim) const {
  const auto begin = layout.shard().begin();
  return std::vector<Iter>(begin + static_cast<std::ptrdiff_t>(separators[dim]),
                           begin + static_cast<std::ptrdiff_t>(separators[dim + 1]));
}

absl::StatusOr<std::optional<Grouped>> TryGroup(const TileLayout& layout, const Shape& shape) {
  Splitter splitter(layout);
  std::vector<size_t> separators = {0};
  for (const Extent& dim : shape) {
    if (!splitter.TakeDimension(dim)) return std::optional<Grouped>();
    separators.push_back(splitter.out().size());
  }
  if (!splitter.Finished()) return std::optional<Grouped>();
  KILN_ASSIGN_OR_RETURN(TileLayout grouped,
                        TileLayout::Make(std::move(splitter.out()), layout.replica(), layout.offset()));
  return std::optional<Grouped>(Grouped{std::move(grouped), std::move(separators)});
}

absl::StatusOr<Grouped> Group(const TileLayout& layout, const Shape& shape) {
  KILN_ASSIGN_OR_RETURN(std::optional<Grouped> grouped, TryGroup(layout, shape));
  if (grouped.has_value()) return *std::move(grouped);
  const Extent size = Size(layout);
  const Extent wanted = Product(shape);
  if (!(size == wanted)) {
    return Error("group", Subject(layout, shape), ": the layout has ", size.ToString(), " elements, the shape ",
                 wanted.ToString());
  }
  return Error("group", Subject(layout, shape), ": a boundary of the shape cuts an iter indivisibly");
}

absl::StatusOr<GroupedMany> GroupMany(const TileLayout& layout, const std::vector<Shape>& shapes) {
  if (shapes.empty()) return Error("group_many", "at least one shape is needed");
  const Extent total = Product(shapes[0]);
  for (const Shape& shape : shapes) {
    if (shape.empty()) return Error("group_many", "a shape has no dimensions");
    if (!(Product(shape) == total)) {
      return Error("group_many", "the shapes ", ToString(shapes[0]), " and ", ToString(shape),
                   " differ in size: ", total.ToString(), " and ", Product(shape).ToString());
    }
  }
  // Walks all shapes at once; `rest` is what is left of the dimension that each stands in, 0 between dimensions.
  const size_t count = shapes.size();
  std::vector<size_t> dim(count, 0);
  std::vector<Extent> rest(count, 0);
  std::vector<std::vector<size_t>> refined_separators(count, {0});
  Shape refined;
  const auto close = [&](size_t i) {
    rest[i] = 0;
    ++dim[i];
    refined_separators[i].push_back(refined.size());
  };
  while (true) {
    bool done = true;
    bool unit = false;
    for (size_t i = 0; i < count; ++i) {
      if (rest[i].Is(0) && dim[i] < shapes[i].size()) rest[i] = shapes[i][dim[i]];
      done = done && dim[i] == shapes[i].size();
      unit = unit || rest[i].Is(1);
    }
    if (done) break;
    if (unit) {
      // One unit serves every shape that has a dimension of 1 here; the others absorb it.
      refined.push_back(1);
      for (size_t i = 0; i < count; ++i) {
        if (rest[i].Is(1)) close(i);
      }
      continue;
    }
    std::optional<Extent> step;
    for (size_t i = 0; i < count; ++i) {
      if (dim[i] == shapes[i].size()) continue;
      if (!step.has_value() || step->DividedBy(rest[i]).has_value()) step = rest[i];
    }
    refined.push_back(*step);
    for (size_t i = 0; i < count; ++i) {
      if (dim[i] == shapes[i].size()) continue;
      const std::optional<Extent> left = rest[i].DividedBy(*step);
      if (!left.has_value()) {
        return Error("group_many", "the boundaries of ", ToString(shapes[i]), " and another of the ", count,
                     " shapes are incompatible: neither ", rest[i].ToString(), " nor ", step->ToString(),
                     " divides the other");
      }
      if (left->Is(1)) {
        close(i);
      } else {
        rest[i] = *left;
      }
    }
  }
  KILN_ASSIGN_OR_RETURN(Grouped grouped, Group(layout, refined));
  GroupedMany result{std::move(grouped.layout), {}};
  for (size_t i = 0; i < count; ++i) {
    // Units after a shape's last boundary belong to its last dimension.
    refined_separators[i].back() = refined.size();
    std::vector<size_t> separators;
    for (const size_t at : refined_separators[i]) separators.push_back(grouped.separators[at]);
    result.separators.push_back(std::move(separators));
  }
  return result;
}

absl::Status CheckAdmits(const Layout& layout, const Shape& shape) {
  const TileLayout& base = layout.base();
  if (!(Size(base) == Product(shape))) {
    return Error("admit", ToString(layout), " does not admit the shape ", ToString(shape), ": it has ",
                 Size(base).ToString(), " elements, the shape ", Product(shape).ToString());
  }
  if (base.is_constant()) return absl::OkStatus();
  KILN_ASSIGN_OR_RETURN(const Grouped grouped, Group(base, shape));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const std::vector<Iter> run = FuseRun(grouped.Run(dim));
    const bool symbolic =
        std::any_of(run.begin(), run.end(), [](const Iter& iter) { return !iter.stride.is_constant(); });
    if (symbolic && run.size() > 1) {
      return Error("admit", "dimension ", dim, " of ", ToString(shape),
                   " has a symbolic stride that is not uniform in ", ToString(layout));
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::layout
