// Evaluation: the places of a coordinate. Layouts must be constant: symbols are substituted first.
#ifndef KILN_COMPILER_LAYOUT_EVALUATE_H_
#define KILN_COMPILER_LAYOUT_EVALUATE_H_

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// Values on the axes that the layout uses; an absent axis is 0.
using Point = std::map<Axis, int64_t>;

// The most replicas that are enumerated.
inline constexpr int64_t kMaxReplicas = int64_t{1} << 20;

// Every place of the coordinate, sorted, each once. Errors: symbols, a rank other than the shape's, a shape that the
// layout does not admit, a coordinate outside the shape, more than kMaxReplicas replicas.
absl::StatusOr<std::vector<Point>> Apply(const Layout& layout, const std::vector<int64_t>& coord,
                                         const std::vector<int64_t>& shape);

// Without a shape: one number is a linear index, else there is one for each shard iter. Errors: arity; as above.
absl::StatusOr<std::vector<Point>> Apply(const Layout& layout, const std::vector<int64_t>& coord);

// The place of the first replica. The outermost component is unbounded, so an index past the size is allowed.
// Errors: symbols, a negative index, a value past 63 bits.
absl::StatusOr<Point> ApplyLinear(const Layout& layout, int64_t index);

// The components of the coordinate after grouping by the shape: one number for each iter of the grouped layout.
// Errors: as Group and Apply.
absl::StatusOr<std::vector<int64_t>> ApplyToShape(const Layout& layout, const std::vector<int64_t>& coord,
                                                  const std::vector<int64_t>& shape);

// Row-major index of a coordinate. Errors: rank, a coordinate outside the shape, a shape past 63 bits.
absl::StatusOr<int64_t> Flatten(const std::vector<int64_t>& coord, const std::vector<int64_t>& shape);

// Many evaluations of one layout without allocation.
class Evaluator {
 public:
  using Values = std::array<int64_t, kAxisCount>;

  // Errors: symbols, more than kMaxReplicas replicas.
  static absl::StatusOr<Evaluator> Make(const Layout& layout);

  int64_t size() const { return size_; }
  int64_t replicas() const { return static_cast<int64_t>(replicas_.size()); }
  // REQUIRES: 0 <= index < size(), 0 <= replica < replicas().
  void Evaluate(int64_t index, int64_t replica, Values& values) const;

 private:
  struct Part {
    int64_t extent;
    int64_t stride;
    size_t axis;
  };
  std::vector<Part> parts_;       // Innermost first.
  std::vector<Values> replicas_;  // Offset plus replica, one entry a replica.
  int64_t size_ = 1;
  bool swizzled_ = false;
  Swizzle swizzle_;
};

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_EVALUATE_H_
