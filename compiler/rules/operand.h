// An operand of a tile operation: a tensor, or subscripts and permutations of one, seen as dimensions over the root
// tensor.
#ifndef KILN_COMPILER_RULES_OPERAND_H_
#define KILN_COMPILER_RULES_OPERAND_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/expr/expr.h"
#include "compiler/expr/facts.h"
#include "compiler/ir/kernel.h"
#include "compiler/layout/layout.h"
#include "compiler/rules/distribution.h"

namespace kiln {

// What is known of a tensor a body can name.
struct TensorInfo {
  std::string name;
  ir::Space space = ir::Space::kNone;
  DType dtype = DType::kNone;
  std::vector<Expr> shape;
  std::vector<Expr> strides;                 // Global
  int64_t align = 1;                         // Global: bytes of the base
  std::optional<layout::Layout> layout;      // Shared
  std::optional<Distribution> distribution;  // Local, once inferred
  Team owner = Team::kNone;
  std::string ring;  // Of a field: the ring; its first dimension is the slot
  bool across_cluster = false;
};
using Tensors = std::map<std::string, TensorInfo>;

// Parameters and every alloc of the body. REQUIRES: alloc names are unique in the kernel (specialize makes them so).
absl::StatusOr<Tensors> TensorsOf(const ir::Kernel& kernel);

struct OperandDim {
  int root = -1;  // Dimension of the root tensor; -1: a new axis
  Expr start;     // i64
  Expr extent;    // Of the tile
  Expr limit;     // First index along the root that is out of range
};

struct Operand {
  const TensorInfo* tensor = nullptr;  // Borrowed from the Tensors it was resolved in
  std::vector<OperandDim> dims;        // As the operand's type has them
  std::vector<Expr> index;             // By root dimension: the fixed index of a dropped dimension, else null

  bool IsWhole() const;  // The whole tensor, dimension for dimension
};

absl::StatusOr<Operand> ResolveOperand(const Expr& reference, const Tensors& tensors);

// Index of each root dimension at tile coordinates `coords`.
std::vector<Expr> RootIndices(const Operand& operand, const std::vector<Expr>& coords, const Facts& facts);

// How a local tile read as `leaf` must lie so that a statement spread like `whole` finds its elements in its own
// threads: `whole` itself for a whole tile, what is left of it for a broadcast one (`m[:, _]`). None for other
// subscripts.
std::optional<Distribution> DistributionFor(const Operand& leaf, const Distribution& whole);

// Flat element address in global or shared memory.
Expr AddressOf(const Operand& operand, const std::vector<Expr>& coords, const Facts& facts);

// What must hold for `coords` to lie in range, ranges that facts prove left out; null when nothing is left.
Expr GuardOf(const Operand& operand, const std::vector<Expr>& coords, const Facts& facts);

// The widest power of two of elements, at most `most`, that one access can move along the operand's last dimension when
// the tile coordinate there is a multiple of it: contiguous, aligned, and in or out of range as a whole. 1 when nothing
// wider is proven. `why` gets the reason, in words, when it is narrower than `most`.
int64_t VectorWidth(const Operand& operand, int64_t most, const Facts& facts, std::string* why = nullptr);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_OPERAND_H_
