// A distribution: how the elements of a local tile lie over threads and register slots, as digits a lowering can loop
// over.
//
// It is a TileLayout seen from its elements: along each dimension the coordinate is the sum of digit * weight; a thread
// digit is read off a thread id, a slot digit is a loop of the thread that owns the elements. A thread axis without a
// digit in any dimension holds copies.
#ifndef KILN_COMPILER_RULES_DISTRIBUTION_H_
#define KILN_COMPILER_RULES_DISTRIBUTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/expr/expr.h"
#include "compiler/expr/facts.h"

namespace kiln {

enum class DigitAxis : uint8_t { kSlot, kThread, kLane, kWarp };

struct Digit {
  int64_t extent = 1;
  int64_t weight = 1;  // In the dimension
  int64_t stride = 1;  // On the axis: slots, or thread ids
  DigitAxis axis = DigitAxis::kSlot;

  bool operator==(const Digit&) const = default;
};

struct Distribution {
  std::vector<std::vector<Digit>> dims;  // Outermost digit first; a dimension of extent 1 may have none
  std::vector<Digit> replicas;           // Thread digits that hold copies

  bool operator==(const Distribution&) const = default;
  std::vector<int64_t> Padded() const;  // The extents the digits cover
  int64_t Slots() const;                // Registers a thread needs: 1 + the last slot
};

// The text of the layout (layout::Parse reads it), and back. Errors: a layout that is not a tile layout over thread
// axes and `m`, or does not admit `padded`.
std::string LayoutText(const Distribution& distribution);
absl::StatusOr<Distribution> ParseDistribution(const std::string& layout, const std::vector<int64_t>& padded);

// Rows over groups of threads, each row's columns in vectors of `vector` elements over the threads of its group; padded
// to whole vectors. `shape` has one or two dimensions, or more whose leading ones are looped over by every thread.
Distribution RowMajorDistribution(const std::vector<int64_t>& shape, int64_t threads, int64_t vector);

// What is left when `axis` is reduced: its thread digits hold copies, its slot digits are gone.
Distribution Reduced(const Distribution& distribution, int64_t axis);
// The same with those thread digits as a last dimension: every thread's part of the axis is an element of its own.
Distribution ReducedByThread(const Distribution& distribution, int64_t axis);

// Unit digits dropped, neighbours that count on joined, copies in order: equal distributions are equal values. The
// functions below, and the factories of rule.h, return this form.
Distribution Canonical(Distribution distribution);

// Slots renumbered densely, in the order of dimensions and digits.
Distribution Renumbered(Distribution distribution);

// The value of a thread digit, simplified: (thread_id / stride) % extent.
Expr DigitValue(const Digit& digit, const Facts& facts);

// The slot that holds `coords`, where the running thread owns it; null where the thread that owns them is another one,
// or cannot be proven to be this one.
Expr SlotOf(const Distribution& distribution, const std::vector<Expr>& coords, const Facts& facts);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_DISTRIBUTION_H_
