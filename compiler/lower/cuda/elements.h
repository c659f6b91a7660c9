// Element loops: what maps, copies, fills and reductions are made of. A loop visits the slots of a distribution, in
// runs along the last dimension, and evaluates an elementwise expression at each.
#ifndef KILN_COMPILER_LOWER_CUDA_ELEMENTS_H_
#define KILN_COMPILER_LOWER_CUDA_ELEMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "compiler/lower/cuda/lowering.h"

namespace kiln::cuda {

// A run of `width` elements along the last dimension, at constant slots.
struct Run {
  std::vector<Expr> coords;  // Of its first element
  std::vector<Expr> shape;   // The domain
  int64_t width = 1;
};

// How an elementwise statement is spread over threads: like a local tile it touches, or on its own.
struct Spread {
  Distribution distribution;
  std::vector<Expr> shape;  // The domain; positions beyond it are pad
  int64_t width = 1;        // Of a run
};

// `target` (null operand for a reduction) and `value` together: the distribution of the local tile they share, else
// coalesced vectors.
absl::StatusOr<Spread> SpreadOf(Lowering& lower, const Operand* target, const Expr& value,
                                const std::vector<Expr>& shape);

// Emits the loops; `body` emits what a run does. Pad is skipped. With `once`, only one of the threads that hold copies
// acts.
void ForEachRun(Lowering& lower, const Spread& spread, bool once, absl::FunctionRef<void(const Run&)> body);

// An elementwise expression, ready to be evaluated along a run.
class RunValue {
 public:
  // Emits the loads of everything in memory that the run reads: whole vectors where possible.
  static absl::StatusOr<RunValue> Make(Lowering& lower, const Expr& value, const Run& run);
  // The value of element `v` (an unrolled loop variable or constant) of the run; a pure native expression.
  absl::StatusOr<Expr> At(Lowering& lower, const Expr& v) const;

 private:
  struct Leaf {
    Expr reference;
    Operand operand;
    Expr registers;  // Loaded run, element v at slot v; or one element for all
    bool same = false;
  };
  Expr value_;
  Run run_;
  std::vector<Leaf> leaves_;
};

// `value` with every tile whose elements other threads hold than those of `spread` moved, through shared memory, to a
// tile of its own.
absl::StatusOr<Expr> MoveLeaves(Lowering& lower, const Expr& value, const Spread& spread);

// A local tile written to shared memory, row-major, for all threads to read: the scratch it lies in until the next use
// of scratch.
absl::StatusOr<Expr> SpillTile(Lowering& lower, const TensorInfo& tile);

// The same elements under another distribution, through shared memory.
absl::StatusOr<const TensorInfo*> MoveTile(Lowering& lower, const TensorInfo& tile, const Distribution& to);

// Runs `emit` once without guards, for tiles that lie within `target` and everything that `value` reads, and once with
// them, for those at an edge; only once where nothing along a vector needs a guard.
absl::Status SplitEdges(Lowering& lower, const Operand* target, const Expr& value,
                        absl::FunctionRef<absl::Status()> emit);

// A barrier wherever `value` reads shared memory that was written.
absl::Status SyncReads(Lowering& lower, const Expr& value);

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_LOWER_CUDA_ELEMENTS_H_
