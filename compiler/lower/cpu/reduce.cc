// Reductions, in an order that is fixed by the shape and the vector width alone.
//
// Along the last axis: four vectors side by side, then what is left of whole vectors in the first of them, then single
// elements in a scalar; the vectors are folded in pairs, their lanes by halving, the scalar last. Along any other axis:
// one vector a result, elements in order.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/lower/cpu/lowering.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

constexpr int kAccumulators = 4;

// How one kind of reduction starts, goes on and ends. `any` counts in i32, where lanes can be compared.
struct Reducer {
  TileOpKind op;
  DType dtype;

  static Reducer Of(const Expr& node) {
    bool any = node->tile.op == TileOpKind::kAny;
    return {any ? TileOpKind::kMax : node->tile.op, any ? DType::kI32 : node->type.dtype};
  }
  bool HasLaneFold() const { return op != TileOpKind::kProd; }

  Expr Identity() const {
    if (IsFloat(dtype)) {
      double infinity = std::numeric_limits<double>::infinity();
      double value = op == TileOpKind::kSum    ? 0
                     : op == TileOpKind::kProd ? 1
                     : op == TileOpKind::kMax  ? -infinity
                                               : infinity;
      return Float(value, dtype);
    }
    bool is_signed = IsSigned(dtype);
    uint64_t all = Bits(dtype) == 64 ? ~uint64_t{0} : (uint64_t{1} << Bits(dtype)) - 1;
    uint64_t largest = is_signed ? all >> 1 : all;
    uint64_t least = is_signed ? ~largest : 0;
    uint64_t value = op == TileOpKind::kSum    ? 0
                     : op == TileOpKind::kProd ? 1
                     : op == TileOpKind::kMax  ? least
                                               : largest;
    return Int(static_cast<int64_t>(value), dtype);
  }

  // One more value. A NaN never wins: every comparison with it is false.
  Expr Step(const Expr& total, const Expr& value) const {
    switch (op) {
      case TileOpKind::kSum:
        return total + value;
      case TileOpKind::kProd:
        return total * value;
      case TileOpKind::kMax:
        return Select(Binary(Op::kGt, value, total), value, total);
      default:
        return Select(Lt(value, total), value, total);
    }
  }

  Expr FoldLanes(const Expr& vector) const {
    return Call(op == TileOpKind::kSum ? "reduce_add" : op == TileOpKind::kMax ? "reduce_max" : "reduce_min", {vector});
  }
};

Expr Typed(Expr e, DType dtype) { return WithType(std::move(e), {dtype}); }

}  // namespace

absl::Status Lowering::LowerReduction(const Expr& op, const Expr& target, const std::string& let_name, Location at,
                                      const MapTask* producer, ir::Block& out) {
  const Expr& value = op->args[0];
  std::vector<Expr> index;
  std::vector<Dim> dims = DomainOf(value->type.shape, &index);
  if (dims.empty()) return Fail(absl::StatusCode::kUnimplemented, at, "a reduction of a tile of rank 0");
  Expr axis_attr = FindAttr(*op, "axis");
  int64_t axis = -1;
  IsConst(axis_attr, &axis);
  KILN_RETURN_IF_ERROR(ChooseRule(op->tile.op, op->tile.team, op->tile.via, at));
  // Dimensions of extent 1 behind the axis do not change what is last.
  bool scalar = !op->type.tile;
  auto to_bool = [&](const Expr& total) -> Expr {
    return op->tile.op == TileOpKind::kAny ? Typed(Binary(Op::kNe, total, Int(0)), DType::kBool)
                                           : Typed(total, op->type.dtype);
  };
  if (scalar) {
    return ReduceLast(
        op, dims, 0, index, producer,
        [&](const Expr& total, ir::Block& body) -> absl::Status {
          if (!target) {
            body.push_back(ir::Let(let_name, to_bool(total)));
          } else if (target->type.tile) {
            return Fail(absl::StatusCode::kUnimplemented, at, "a reduction to a scalar in a tile");
          } else {
            body.push_back(ir::Assign(target, to_bool(total)));
          }
          return absl::OkStatus();
        },
        out);
  }

  std::vector<Expr> kept_index = index;
  kept_index.erase(kept_index.begin() + axis);
  Facts facts = Nest(dims, 1, 1, scope_.facts).InnerFacts();
  KILN_ASSIGN_OR_RETURN(Access result, Resolve(target, kept_index, facts));
  scope_.valid.erase(result.storage->name);
  if (static_cast<size_t>(axis) + 1 != dims.size()) return ReduceAcross(op, dims, axis, index, result, out);
  return ReduceLast(
      op, dims, dims.size() - 1, index, producer,
      [&](const Expr& total, ir::Block& body) -> absl::Status {
        std::vector<Dim> kept(dims.begin(), dims.end() - 1);
        Nest nest(kept, 1, 1, scope_.facts);
        Point point;
        for (const Dim& dim : kept) point.index.push_back(Var(dim.var));
        point.edge.assign(kept.size(), false);
        return StoreElement(result, nest, point, to_bool(total), false, body);
      },
      out);
}

// The first `kept` dimensions are loops; the others are reduced, the last of them in vectors.
absl::Status Lowering::ReduceLast(const Expr& op, const std::vector<Dim>& dims, size_t kept,
                                  const std::vector<Expr>& index, const MapTask* producer,
                                  const std::function<absl::Status(const Expr&, ir::Block&)>& finish, ir::Block& out) {
  const Reducer reducer = Reducer::Of(op);
  const Expr& value = op->args[0];
  int lanes = reducer.HasLaneFold() ? LanesFor(value, reducer.dtype, dims.back().extent) : 1;

  if (producer) lanes = std::min(lanes, LanesFor(producer->value, producer->target->type.dtype, dims.back().extent));

  Scope outer = scope_;
  Nest all(dims, 1, 1, scope_.facts);
  scope_.facts = all.InnerFacts();
  std::vector<Dim> reduced(dims.begin() + kept, dims.end());
  // The loops around are known as plain variables in here.
  Facts facts = outer.facts;
  for (size_t d = 0; d < kept; ++d) facts[dims[d].var] = scope_.facts[dims[d].var];
  scope_.facts = facts;
  Nest nest(reduced, lanes, lanes > 1 ? kAccumulators : 1, facts);
  std::vector<Access> reads;
  KILN_RETURN_IF_ERROR(CollectAccesses(value, index, nest.InnerFacts(), reads));
  Access produced;
  if (producer) {
    KILN_RETURN_IF_ERROR(
        CollectAccesses(producer->value, BroadcastIndex(producer->value, index), nest.InnerFacts(), reads));
    KILN_ASSIGN_OR_RETURN(produced, Resolve(producer->target, index, nest.InnerFacts()));
  }
  ir::Block body;
  KILN_RETURN_IF_ERROR(PlanNest(produced, reads, nest, body));
  lanes = nest.lanes();

  std::vector<Expr> totals;
  for (int slot = 0; slot < (lanes > 1 ? kAccumulators : 0); ++slot) {
    std::string name = Fresh("total");
    body.push_back(ir::Mutable(name, reducer.dtype, Broadcast(reducer.Identity(), lanes)));
    totals.push_back(Var(name));
  }
  Expr single = Var(Fresh("total"));
  body.push_back(ir::Mutable(single->name, reducer.dtype, reducer.Identity()));
  KILN_RETURN_IF_ERROR(nest.Emit(
      [&](const Point& point, ir::Block& inner) -> absl::Status {
        if (producer) {
          KILN_RETURN_IF_ERROR(EmitPrefetch(producer->value, value->type.shape, index, nest, point, inner));
          KILN_ASSIGN_OR_RETURN(
              Expr made, Element(producer->value, BroadcastIndex(producer->value, index), nest, point, producer->fill));
          KILN_RETURN_IF_ERROR(StoreElement(produced, nest, point, made, false, inner));
        }
        KILN_ASSIGN_OR_RETURN(Expr element, Element(value, index, nest, point, nullptr));
        // Named, as a step looks at it twice.
        std::string name = Fresh("x");
        inner.push_back(ir::Let(name, Cast({reducer.dtype, ""}, element)));
        const Expr& total = point.lanes > 1 ? totals[point.slot] : single;
        inner.push_back(ir::Assign(total, reducer.Step(total, Var(name))));
        return absl::OkStatus();
      },
      body));
  Expr total = single;
  if (lanes > 1) {
    Expr low = reducer.Step(totals[0], totals[1]), high = reducer.Step(totals[2], totals[3]);
    std::string name = Fresh("lanes");
    body.push_back(ir::Let(name, reducer.FoldLanes(reducer.Step(low, high))));
    total = reducer.Step(Var(name), single);
  }
  KILN_RETURN_IF_ERROR(finish(total, body));
  scope_ = std::move(outer);
  for (size_t d = kept; d-- > 0;) {
    ir::Block loop = {ir::For(dims[d].var, Int(0), dims[d].extent, std::move(body))};
    body = std::move(loop);
  }
  out.insert(out.end(), body.begin(), body.end());
  return absl::OkStatus();
}

absl::Status Lowering::ReduceAcross(const Expr& op, std::vector<Dim> dims, size_t axis, const std::vector<Expr>& index,
                                    const Access& target, ir::Block& out) {
  const Reducer reducer = Reducer::Of(op);
  const Expr& value = op->args[0];
  Dim reduced = dims[axis];
  dims.erase(dims.begin() + axis);
  int lanes = LanesFor(value, reducer.dtype, dims.back().extent);
  Bounds extent = BoundsOf(reduced.extent, scope_.facts);
  scope_.facts[reduced.var] = {0, std::max<int64_t>(0, extent.max - 1), 1};
  Nest nest(dims, lanes, 1, scope_.facts);
  nest.AddInner(reduced.var);
  Facts facts = nest.InnerFacts();
  std::vector<Access> reads;
  KILN_RETURN_IF_ERROR(CollectAccesses(value, index, facts, reads));
  KILN_RETURN_IF_ERROR(PlanNest(target, reads, nest, out));
  KILN_RETURN_IF_ERROR(nest.Emit(
      [&](const Point& point, ir::Block& body) -> absl::Status {
        std::string name = Fresh("total");
        Expr total = Var(name);
        Expr identity = reducer.Identity();
        body.push_back(ir::Mutable(name, reducer.dtype, point.lanes > 1 ? Broadcast(identity, point.lanes) : identity));
        KILN_ASSIGN_OR_RETURN(Expr element, Element(value, index, nest, point, nullptr));
        std::string x = Fresh("x");
        ir::Block step = {ir::Let(x, Cast({reducer.dtype, ""}, element)),
                          ir::Assign(total, reducer.Step(total, Var(x)))};
        body.push_back(ir::For(reduced.var, Int(0), reduced.extent, std::move(step)));
        Expr result = op->tile.op == TileOpKind::kAny ? Typed(Binary(Op::kNe, total, Int(0)), DType::kBool)
                                                      : Typed(total, op->type.dtype);
        return StoreElement(target, nest, point, result, false, body);
      },
      out));
  scope_.facts.erase(reduced.var);
  return absl::OkStatus();
}

}  // namespace kiln::cpu
