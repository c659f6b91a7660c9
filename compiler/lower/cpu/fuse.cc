// A map and the reduction that reads what it made, in one pass: the elements are summed while they are in registers.
#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/lower/cpu/lowering.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

using ir::StmtKind;

bool IsCopy(const ir::StmtNode& stmt) {
  return stmt.kind == StmtKind::kEval && stmt.value->kind == ExprKind::kTileOp &&
         (stmt.value->tile.op == TileOpKind::kCopy || stmt.value->tile.op == TileOpKind::kCopyAsync) &&
         stmt.value->tile.via.empty();
}

// The reduction a statement is, null when it is another one.
Expr ReductionOf(const ir::StmtNode& stmt) {
  bool holds_one = stmt.kind == StmtKind::kLet || stmt.kind == StmtKind::kAssign;
  if (!holds_one || stmt.value->kind != ExprKind::kTileOp || !IsReduction(stmt.value->tile.op)) return nullptr;
  return stmt.value;
}

bool SameShape(const Type& a, const Type& b) {
  return std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end(),
                    [](const Expr& x, const Expr& y) { return Equal(x, y); });
}

// Whether elementwise `value` reads `tile` only at the element that is being computed.
bool ReadsInPlace(const Expr& value, const std::string& tile) {
  if (!value->type.tile || value->kind == ExprKind::kVar || value->kind == ExprKind::kIndex) return true;
  if (value->kind == ExprKind::kSubscript || value->kind == ExprKind::kReshape || value->kind == ExprKind::kPermute ||
      value->kind == ExprKind::kReinterpret)
    return !Uses(value, tile);
  return std::all_of(value->args.begin(), value->args.end(), [&](const Expr& arg) { return ReadsInPlace(arg, tile); });
}

}  // namespace

std::optional<Lowering::MapTask> Lowering::Fusible(const ir::StmtNode& first, const ir::StmtNode& second) const {
  Expr reduction = ReductionOf(second);
  if (!reduction || reduction->tile.op == TileOpKind::kProd) return std::nullopt;
  MapTask task;
  task.at = first.at;
  if (IsCopy(first)) {
    task.target = first.value->args[0];
    task.value = first.value->args[1];
    task.fill = FindAttr(*first.value, "fill");
  } else if (std::optional<MapStmt> map = AsMap(first)) {
    task.target = map->target;
    task.value = map->value;
    if (first.kind == StmtKind::kEval) task.fill = FindAttr(*first.value, "fill");
  } else {
    return std::nullopt;
  }
  const Expr& reduced = reduction->args[0];
  if (task.target->kind != ExprKind::kVar || !SameShape(task.target->type, reduced->type)) return std::nullopt;
  auto it = tensors_.find(task.target->name);
  if (it == tensors_.end() || it->second.global || it->second.panel_dim >= 0) return std::nullopt;
  const std::string& tile = task.target->name;
  if (!Uses(reduced, tile) || !ReadsInPlace(reduced, tile) || !ReadsInPlace(task.value, tile)) return std::nullopt;
  // Along the last axis, or over all.
  int64_t axis = 0;
  Expr axis_attr = FindAttr(*reduction, "axis");
  if (axis_attr && (!IsConst(axis_attr, &axis) || axis + 1 != static_cast<int64_t>(reduced->type.shape.size())))
    return std::nullopt;
  if (second.kind == StmtKind::kAssign) {
    const std::string& result = RootOf(second.target)->name;
    if (result == tile || Uses(task.value, result) || Uses(reduced, result)) return std::nullopt;
  }
  return task;
}

absl::StatusOr<size_t> Lowering::LowerStmts(const ir::Block& block, size_t i, ir::Block& out) {
  const ir::StmtNode& first = *block[i];
  size_t next = i + 1;
  while (next < block.size() && block[next]->kind == StmtKind::kAlloc) ++next;
  std::optional<MapTask> task;
  if (next < block.size() && (first.kind == StmtKind::kAssign || first.kind == StmtKind::kEval))
    task = Fusible(first, *block[next]);
  if (!task) {
    KILN_RETURN_IF_ERROR(LowerStmt(first, out));
    return 1;
  }
  for (size_t between = i + 1; between < next; ++between) KILN_RETURN_IF_ERROR(LowerStmt(*block[between], out));
  const ir::StmtNode& second = *block[next];
  const bool written_as_op = first.kind == StmtKind::kEval;
  KILN_RETURN_IF_ERROR(ChooseRule(written_as_op ? first.value->tile.op : TileOpKind::kMap,
                                  written_as_op ? first.value->tile.team : Team::kCta, "", first.at));
  scope_.valid.erase(task->target->name);
  if (task->fill) {
    KILN_ASSIGN_OR_RETURN(task->fill, Scalar(task->fill));
  }
  KILN_RETURN_IF_ERROR(LowerReduction(second.value, second.kind == StmtKind::kAssign ? second.target : nullptr,
                                      second.kind == StmtKind::kLet ? second.name : "", second.at, &*task, out));
  NoteLoaded(*task);
  return next + 1 - i;
}

}  // namespace kiln::cpu
