// Rows by an index tile, and atomic reductions into memory.
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/lower/cpu/lowering.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

// `reference[row, :, ...]`, one row of it kept as a dimension of extent 1.
Expr RowOf(const Expr& reference, const Expr& row) {
  Type type = reference->type;
  const Expr one = WithType(Int(1), {DType::kI64});
  type.shape[0] = one;
  std::vector<Expr> items = {Slice(row, one)};
  for (size_t d = 1; d < type.shape.size(); ++d) items.push_back(Full());
  return WithType(Subscript(reference, std::move(items)), type);
}

}  // namespace

// dst[i, :] = table[index[i], :]; a row outside the table reads zero.
absl::Status Lowering::LowerGather(const Expr& op, Location at, ir::Block& out) {
  const Expr &dst = op->args[0], &table = op->args[1], &index = op->args[2];
  if (index->type.shape.size() != 1 || dst->type.shape.size() != table->type.shape.size())
    return Fail(absl::StatusCode::kUnimplemented, at, "gather: expected a row of indices, and tiles of one rank");
  Dim dim{Fresh("i"), dst->type.shape[0]};
  Nest nest({dim}, 1, 1, scope_.facts);
  std::vector<Expr> place = {Var(dim.var)};
  KILN_ASSIGN_OR_RETURN(Access indices, Resolve(index, place, nest.InnerFacts()));
  KILN_RETURN_IF_ERROR(PlanNest(Access{}, {indices}, nest, out));
  scope_.valid.erase(RootOf(dst)->name);
  return nest.Emit(
      [&](const Point& point, ir::Block& body) -> absl::Status {
        KILN_ASSIGN_OR_RETURN(Expr row, LoadElement(indices, nest, point, Int(-1)));
        Scope outer = scope_;
        scope_.facts = nest.InnerFacts();
        std::string name = Fresh("row");
        body.push_back(ir::Let(name, Cast({DType::kI64, ""}, row)));
        scope_.facts[name] = {};
        Expr i = WithType(point.index[0], {DType::kI64}), r = WithType(Var(name), {DType::kI64});
        ir::Block inside, outside;
        KILN_RETURN_IF_ERROR(Assume(r, table->type.shape[0], [&]() -> absl::Status {
          return LowerMap({RowOf(dst, i), RowOf(table, r), nullptr, at}, inside);
        }));
        Expr zero = IsFloat(dst->type.dtype) ? Float(0) : Int(0);
        KILN_RETURN_IF_ERROR(LowerMap(
            {RowOf(dst, i), WithType(Cast({dst->type.dtype, ""}, zero), {dst->type.dtype}), nullptr, at}, outside));
        KILN_ASSIGN_OR_RETURN(Expr rows, Scalar(table->type.shape[0]));
        body.push_back(ir::If(And(Binary(Op::kGe, r, Int(0)), Lt(r, rows)), std::move(inside), std::move(outside)));
        scope_ = std::move(outer);
        return absl::OkStatus();
      },
      out);
}

// table[index[i], :] = src[i, :]; a row outside the table is dropped.
absl::Status Lowering::LowerScatter(const Expr& op, Location at, ir::Block& out) {
  const Expr &table = op->args[0], &index = op->args[1], &src = op->args[2];
  if (index->type.shape.size() != 1 || src->type.shape.size() != table->type.shape.size())
    return Fail(absl::StatusCode::kUnimplemented, at, "scatter: expected a row of indices, and tiles of one rank");
  Dim dim{Fresh("i"), src->type.shape[0]};
  Nest nest({dim}, 1, 1, scope_.facts);
  KILN_ASSIGN_OR_RETURN(Access indices, Resolve(index, {Var(dim.var)}, nest.InnerFacts()));
  KILN_RETURN_IF_ERROR(PlanNest(Access{}, {indices}, nest, out));
  scope_.valid.erase(RootOf(table)->name);
  return nest.Emit(
      [&](const Point& point, ir::Block& body) -> absl::Status {
        KILN_ASSIGN_OR_RETURN(Expr row, LoadElement(indices, nest, point, Int(-1)));
        Scope outer = scope_;
        scope_.facts = nest.InnerFacts();
        std::string name = Fresh("row");
        body.push_back(ir::Let(name, Cast({DType::kI64, ""}, row)));
        Expr i = WithType(point.index[0], {DType::kI64}), r = WithType(Var(name), {DType::kI64});
        ir::Block inside;
        KILN_RETURN_IF_ERROR(Assume(r, table->type.shape[0], [&]() -> absl::Status {
          return LowerMap({RowOf(table, r), RowOf(src, i), nullptr, at}, inside);
        }));
        KILN_ASSIGN_OR_RETURN(Expr rows, Scalar(table->type.shape[0]));
        body.push_back(ir::If(And(Binary(Op::kGe, r, Int(0)), Lt(r, rows)), std::move(inside)));
        scope_ = std::move(outer);
        return absl::OkStatus();
      },
      out);
}

// Lowers what `fn` emits knowing that 0 <= row < rows.
absl::Status Lowering::Assume(const Expr& row, const Expr& rows, const std::function<absl::Status()>& fn) {
  Scope outer = scope_;
  Bounds bounds = BoundsOf(rows, scope_.facts);
  scope_.facts[row->name] = {0, bounds.max == INT64_MAX ? bounds.max : bounds.max - 1, 1};
  scope_.below[row->name] = rows;
  absl::Status status = fn();
  scope_ = std::move(outer);
  return status;
}

absl::Status Lowering::LowerAtomic(const Expr& op, ir::Block& out) {
  const Expr &dst = op->args[0], &value = op->args[1];
  const char* name = op->tile.op == TileOpKind::kAtomicAdd   ? "atomic_add"
                     : op->tile.op == TileOpKind::kAtomicMax ? "atomic_max"
                                                             : "atomic_min";
  std::vector<Expr> index;
  std::vector<Dim> dims = DomainOf(dst->type.shape, &index);
  if (dims.empty()) dims.push_back({Fresh("i"), Int(1)});
  Nest nest(dims, 1, 1, scope_.facts);
  Facts facts = nest.InnerFacts();
  KILN_ASSIGN_OR_RETURN(Access target, Resolve(dst, index, facts));
  std::vector<Access> reads;
  if (value->type.tile) KILN_RETURN_IF_ERROR(CollectAccesses(value, BroadcastIndex(value, index), facts, reads));
  KILN_RETURN_IF_ERROR(PlanNest(target, reads, nest, out));
  scope_.valid.erase(RootOf(dst)->name);
  return nest.Emit(
      [&](const Point& point, ir::Block& body) -> absl::Status {
        KILN_ASSIGN_OR_RETURN(Expr element, Element(value, BroadcastIndex(value, index), nest, point, nullptr));
        LaneIndex place = IndexLanes(target, nest, point);
        ir::Stmt call = ir::Eval(Call(name, {Var(target.storage->name), place.flat, element}));
        Expr condition;
        for (const Guard& guard : nest.guards()) {
          if (!guard.written) continue;
          Expr check = nest.Check(point, guard);
          if (check) condition = condition ? And(condition, check) : check;
        }
        body.push_back(condition ? ir::If(condition, {call}) : call);
        return absl::OkStatus();
      },
      out);
}

}  // namespace kiln::cpu
