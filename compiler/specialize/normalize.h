// Normalize: one form for every tile statement, so that inference, planning and lowering see few shapes.
//
// After it:
//   alloc t: ...                        no initial value
//   t = EXPR                            kAssign whose target is a tile reference: a map. EXPR is elementwise over
//   references, scalars
//                                       and index(); it holds no reduction
//   cta.map(y[...], EXPR)               the same with its team, from a copy whose source was an expression
//   cta.copy(dst, src) ...              kEval of a tile operation whose operands are references
//   s = cta.sum(EXPR, axis = 1)         kAssign of a reduction to a whole local tile
//   let r = cta.sum(EXPR)               kLet of a reduction to a scalar
//   let i = SCALAR                      no tile-valued let is left: it is an alloc and a map
#ifndef KILN_COMPILER_SPECIALIZE_NORMALIZE_H_
#define KILN_COMPILER_SPECIALIZE_NORMALIZE_H_

#include <optional>

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// REQUIRES: `kernel` is typed.
absl::Status Normalize(ir::Kernel& kernel);

// A tensor, or subscripts and rearrangements of one.
bool IsTileReference(const Expr& e);
// The variable a reference starts from.
const Expr& RootOf(const Expr& reference);
bool IsReduction(TileOpKind op);

// A statement that is a map, in either spelling.
struct MapStmt {
  Expr target;
  Expr value;
  Team team = Team::kCta;
};
std::optional<MapStmt> AsMap(const ir::StmtNode& stmt);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_NORMALIZE_H_
