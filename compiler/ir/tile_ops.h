// Tile operations, one row each: spelling, operands, named arguments.
#ifndef KILN_COMPILER_IR_TILE_OPS_H_
#define KILN_COMPILER_IR_TILE_OPS_H_

#include <span>
#include <string_view>

#include "compiler/expr/expr.h"

namespace kiln::ir {

struct TileOpRow {
  TileOpKind op;
  std::string_view name;
  int operands;
  std::string_view attrs;  // Names of named arguments, a blank between two.
  bool value;              // Can stand in an expression.
  int written;             // Operand that the operation writes; -1 = none.
};

std::span<const TileOpRow> TileOps();
const TileOpRow* FindTileOp(std::string_view name);
const TileOpRow* FindTileOp(TileOpKind op);
// push, pop and release: written `ring.push()`, the ring being the node's name.
bool IsRingOp(TileOpKind op);

// `thread.sum(t, axis = a)` and its like of a tile that several threads hold: each reduces what it has of the axis, and
// the threads become a last dimension. Rows of a matrix accumulator lie over four threads. REQUIRES: typed.
bool IsByThread(const Node& reduction);
inline constexpr int64_t kPartsOfRow = 4;

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_TILE_OPS_H_
