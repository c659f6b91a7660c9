// References to tiles resolved to elements in memory, and the values made of them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/ir/print.h"
#include "compiler/lower/cpu/lowering.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

// Counts the lanes of the vector dimension while an index is looked at.
constexpr char kLane[] = "lane";

bool IsIndexItem(const Expr& item) {
  return item->kind != ExprKind::kSlice && item->kind != ExprKind::kFull && item->kind != ExprKind::kNewAxis;
}

// An index over `to` from one over `from`, both row-major: through the flat position.
std::vector<Expr> Reshaped(const std::vector<Expr>& index, const std::vector<Expr>& from, const std::vector<Expr>& to,
                           const Facts& facts) {
  Expr flat = Int(0);
  for (size_t d = 0; d < from.size(); ++d) flat = flat * from[d] + index[d];
  flat = Simplify(flat, facts);
  std::vector<Expr> out(to.size());
  for (size_t d = to.size(); d-- > 0;) {
    out[d] = d == 0 ? flat : Simplify(Mod(flat, to[d]), facts);
    if (d > 0) flat = Simplify(FloorDiv(flat, to[d]), facts);
  }
  return out;
}

// An index of the base of a subscript from one of the subscript's own dimensions.
std::vector<Expr> Subscripted(const Node& node, const std::vector<Expr>& index) {
  std::vector<Expr> out;
  size_t next = 0;
  for (size_t i = 1; i < node.args.size(); ++i) {
    const Expr& item = node.args[i];
    if (item->kind == ExprKind::kNewAxis) {
      ++next;
    } else if (item->kind == ExprKind::kFull) {
      out.push_back(index[next++]);
    } else if (item->kind == ExprKind::kSlice) {
      out.push_back(item->args[0] + index[next++]);
    } else {
      out.push_back(item);
    }
  }
  return out;
}

std::vector<Expr> Permuted(const Node& node, const std::vector<Expr>& index) {
  std::vector<Expr> out(index.size());
  for (size_t d = 0; d < index.size(); ++d) out[node.ints[d]] = index[d];
  return out;
}

}  // namespace

bool Lowering::ProveLess(const Expr& value, const Expr& limit, const Facts& facts) const {
  Expr difference = Simplify(Substitute(value - limit, scope_.lets), facts);
  if (BoundsOf(difference, facts).max < 0) return true;
  if (value->kind == ExprKind::kVar) {
    auto it = scope_.below.find(value->name);
    if (it != scope_.below.end() && ProveEqual(it->second, limit, facts)) return true;
  }
  // A CTA's id lies below the grid's extent, which may be what the limit was divided into.
  Substitution from_end;
  Facts with_ids = facts;
  for (const auto& [id, extent] : grid_) {
    if (!Uses(difference, id)) continue;
    std::string left = id + ".left";
    from_end[id] = extent - Int(1) - Var(left);
    with_ids[left] = {0, INT64_MAX, 1};
  }
  if (from_end.empty()) return false;
  return BoundsOf(Simplify(Substitute(difference, from_end), with_ids), with_ids).max < 0;
}

void Lowering::AddGuard(const Expr& value, const Expr& limit, const Facts& facts, Access& access) const {
  Expr simple = Simplify(value, facts);
  Expr end = Simplify(limit, facts);
  if (!ProveLess(simple, end, facts)) access.guards.push_back({simple, end});
  if (BoundsOf(Simplify(Substitute(simple, scope_.lets), facts), facts).min < 0)
    access.guards.push_back({Simplify(Int(-1) - simple, facts), Int(0)});
}

absl::StatusOr<Access> Lowering::Resolve(const Expr& reference, std::vector<Expr> index, const Facts& facts) {
  Access access;
  KILN_RETURN_IF_ERROR(ResolveInto(reference, std::move(index), facts, access));
  for (Expr& i : access.index) i = Simplify(i, facts);
  return access;
}

absl::Status Lowering::ResolveInto(const Expr& reference, std::vector<Expr> index, const Facts& facts, Access& access) {
  const Node& node = *reference;
  switch (node.kind) {
    case ExprKind::kVar: {
      auto it = tensors_.find(node.name);
      KILN_CHECK(it != tensors_.end(), "no tensor \"", node.name, "\"");
      access.storage = &it->second;
      KILN_CHECK(index.size() == it->second.shape.size(), "an index for each dimension of \"", node.name, "\"");
      for (size_t d = 0; d < index.size(); ++d) AddGuard(index[d], it->second.shape[d], facts, access);
      access.index = std::move(index);
      return absl::OkStatus();
    }
    case ExprKind::kSubscript: {
      size_t dim = 0;
      std::vector<Expr> base = Subscripted(node, index);
      for (size_t i = 1; i < node.args.size(); ++i) {
        const Expr& item = node.args[i];
        if (item->kind == ExprKind::kNewAxis) continue;
        // What a view of a view leaves out reads as past the tensor.
        if (item->kind == ExprKind::kSlice && item->args.size() > 2) AddGuard(base[dim], item->args[2], facts, access);
        KILN_ASSIGN_OR_RETURN(base[dim], Scalar(base[dim]));
        ++dim;
      }
      return ResolveInto(node.args[0], std::move(base), facts, access);
    }
    case ExprKind::kReshape:
      return ResolveInto(node.args[0], Reshaped(index, node.type.shape, node.args[0]->type.shape, facts), facts,
                         access);
    case ExprKind::kPermute:
      return ResolveInto(node.args[0], Permuted(node, index), facts, access);
    default:
      return Fail(absl::StatusCode::kUnimplemented, node.at,
                  absl::StrCat("`", ir::Print(reference), "` has no CPU lowering; target `reference` interprets it"));
  }
}

std::vector<Expr> Lowering::BroadcastIndex(const Expr& operand, const std::vector<Expr>& index) {
  std::vector<Expr> out = index;
  const std::vector<Expr>& shape = operand->type.shape;
  for (size_t d = 0; d < shape.size() && d < out.size(); ++d)
    if (IsConst(shape[d], 1)) out[d] = Int(0);
  return out;
}

absl::Status Lowering::CollectAccesses(const Expr& value, const std::vector<Expr>& index, const Facts& facts,
                                       std::vector<Access>& accesses) {
  if (!value->type.tile || value->kind == ExprKind::kIndex) return absl::OkStatus();
  if (IsTileReference(value)) {
    KILN_ASSIGN_OR_RETURN(Access access, Resolve(value, index, facts));
    accesses.push_back(std::move(access));
    return absl::OkStatus();
  }
  switch (value->kind) {
    case ExprKind::kSubscript:
      return CollectAccesses(value->args[0], Subscripted(*value, index), facts, accesses);
    case ExprKind::kPermute:
      return CollectAccesses(value->args[0], Permuted(*value, index), facts, accesses);
    case ExprKind::kReshape:
      return CollectAccesses(value->args[0], Reshaped(index, value->type.shape, value->args[0]->type.shape, facts),
                             facts, accesses);
    default:
      for (const Expr& arg : value->args)
        KILN_RETURN_IF_ERROR(CollectAccesses(arg, BroadcastIndex(arg, index), facts, accesses));
      return absl::OkStatus();
  }
}

// Scalars: element accesses become loads.
absl::StatusOr<Expr> Lowering::Scalar(const Expr& e) {
  absl::Status failed;
  Expr out = Rewrite(e, [&](const Expr& node) -> Expr {
    if (!failed.ok() || node->kind != ExprKind::kSubscript || node->type.tile) return node;
    for (size_t i = 1; i < node->args.size(); ++i)
      if (!IsIndexItem(node->args[i])) return node;
    Access access;
    // An element access by integers is the author's promise: no guard is kept.
    failed = ResolveInto(node, {}, scope_.facts, access);
    if (!failed.ok()) return node;
    Expr load = Load(Var(access.storage->name), Simplify(FlatIndex(*access.storage, access.index), scope_.facts));
    return WithType(load, {access.storage->stored});
  });
  KILN_RETURN_IF_ERROR(failed);
  return out;
}

Facts Lowering::PointFacts(const Nest& nest, const Point& point) const {
  Facts facts = nest.InnerFacts();
  if (point.lanes > 1) facts[nest.dims().back().var].divisor = point.lanes;
  facts[kLane] = {0, point.lanes - 1, 1};
  return facts;
}

Lowering::LaneIndex Lowering::IndexLanes(const Access& access, const Nest& nest, const Point& point) const {
  Facts facts = PointFacts(nest, point);
  Substitution values;
  const std::vector<Dim>& dims = nest.dims();
  for (size_t d = 0; d < dims.size(); ++d) values[dims[d].var] = point.index[d];
  if (point.lanes > 1) values[dims.back().var] = point.index.back() + Var(kLane);
  std::vector<Expr> index;
  for (const Expr& i : access.index) index.push_back(Simplify(Substitute(i, values), facts));

  LaneIndex out;
  auto flat_at = [&](const Expr& lane) {
    std::vector<Expr> at;
    for (const Expr& i : index) at.push_back(Substitute(i, {{kLane, lane}}));
    return Simplify(FlatIndex(*access.storage, at), facts);
  };
  if (point.lanes == 1) {
    out.flat = flat_at(Int(0));
    return out;
  }
  const Storage& storage = *access.storage;
  Expr stride = Int(0);
  bool regular = true;
  for (size_t d = 0; d < index.size(); ++d) {
    if (!Uses(index[d], kLane)) continue;
    Expr step = Simplify(Substitute(index[d], {{kLane, Var(kLane) + Int(1)}}) - index[d], facts);
    int64_t count = 0;
    regular &= IsConst(step, &count);
    if (static_cast<int>(d) == storage.panel_dim) {
      Expr first = Simplify(Substitute(index[d], {{kLane, Int(0)}}), facts);
      regular &= count == 1 && storage.panel % point.lanes == 0 && IsMultipleOf(first, point.lanes, facts);
      stride = stride + Int(1);
    } else {
      stride = stride + step * storage.strides[d];
    }
  }
  stride = Simplify(stride, facts);
  if (regular && IsConst(stride, int64_t{0})) {
    out.flat = flat_at(Int(0));
  } else if (regular && IsConst(stride, 1)) {
    out.kind = LaneIndex::Kind::kContiguous;
    out.flat = flat_at(Int(0));
  } else {
    out.kind = LaneIndex::Kind::kScattered;
    std::vector<Expr> at;
    for (const Expr& i : index) at.push_back(Substitute(i, {{kLane, Ramp(Int(0), point.lanes)}}));
    out.flat = FlatIndex(storage, at);
  }
  return out;
}

bool Lowering::ContiguousAlong(const Access& access, const std::string& var, int lanes, const Facts& facts) const {
  Nest nest({{var, Int(lanes)}}, lanes, 1, facts);
  Point point;
  point.index = {Var(var)};
  point.lanes = lanes;
  return IndexLanes(access, nest, point).kind == LaneIndex::Kind::kContiguous;
}

absl::StatusOr<Expr> Lowering::LoadElement(const Access& access, const Nest& nest, const Point& point,
                                           const Expr& fill) {
  const Storage& storage = *access.storage;
  LaneIndex at = IndexLanes(access, nest, point);
  int lanes = at.kind == LaneIndex::Kind::kContiguous ? point.lanes : 1;
  Type type{storage.stored, at.kind == LaneIndex::Kind::kUniform ? 1 : point.lanes};
  Expr value = WithType(Load(Var(storage.name), at.flat, lanes), type);
  Expr condition;
  for (const Guard& guard : access.guards) {
    auto planned = std::find_if(nest.guards().begin(), nest.guards().end(), [&](const Guard& known) {
      return Equal(known.value, guard.value) && Equal(known.limit, guard.limit);
    });
    KILN_CHECK(planned != nest.guards().end(), "an access to \"", storage.name, "\" that its nest did not plan for");
    // Where the statement writes nothing it reads nothing.
    Expr check = planned->written ? nullptr : nest.Check(point, *planned);
    if (!check) continue;
    KILN_ASSIGN_OR_RETURN(check, Scalar(check));
    condition = condition ? And(condition, check) : check;
  }
  if (!condition) return value;
  Expr outside = fill;
  if (!outside) outside = IsFloat(storage.stored) && !IsNarrowFloat(storage.stored) ? Float(0) : Int(0);
  Expr otherwise = Cast({storage.stored, ""}, outside);
  return WithType(Select(condition, value, otherwise), type);
}

absl::StatusOr<Expr> Lowering::Element(const Expr& value, const std::vector<Expr>& index, const Nest& nest,
                                       const Point& point, const Expr& fill) {
  if (!value->type.tile) return Scalar(value);
  Facts facts = nest.InnerFacts();
  if (IsTileReference(value)) {
    KILN_ASSIGN_OR_RETURN(Access access, Resolve(value, index, facts));
    return LoadElement(access, nest, point, fill);
  }
  switch (value->kind) {
    case ExprKind::kIndex: {
      Substitution values;
      const std::vector<Dim>& dims = nest.dims();
      for (size_t d = 0; d < dims.size(); ++d) values[dims[d].var] = point.index[d];
      if (point.lanes > 1) values[dims.back().var] = Ramp(point.index.back(), point.lanes);
      return Substitute(index[value->int_value], values);
    }
    case ExprKind::kSubscript:
      return Element(value->args[0], Subscripted(*value, index), nest, point, fill);
    case ExprKind::kPermute:
      return Element(value->args[0], Permuted(*value, index), nest, point, fill);
    case ExprKind::kReshape:
      return Element(value->args[0], Reshaped(index, value->type.shape, value->args[0]->type.shape, facts), nest, point,
                     fill);
    default:
      break;
  }
  std::vector<Expr> args;
  for (const Expr& arg : value->args) {
    KILN_ASSIGN_OR_RETURN(Expr element, Element(arg, BroadcastIndex(arg, index), nest, point, fill));
    args.push_back(std::move(element));
  }
  // A gemm operand held as f32 stands for a value of its own dtype: rounding to that dtype is done.
  return WithType(WithArgs(value, std::move(args)), {value->type.dtype, point.lanes});
}

absl::Status Lowering::StoreElement(const Access& access, const Nest& nest, const Point& point, const Expr& value,
                                    bool stream, ir::Block& out) {
  const Storage& storage = *access.storage;
  Expr stored = value;
  if (storage.stored != storage.logical && value->type.dtype != storage.logical)
    stored = Cast({storage.logical, ""}, stored);
  LaneIndex at = IndexLanes(access, nest, point);
  if (point.lanes > 1 && at.kind == LaneIndex::Kind::kContiguous) stored = Broadcast(stored, point.lanes);
  ir::Stmt store = stream && point.lanes > 1 && at.kind == LaneIndex::Kind::kContiguous
                       ? ir::Eval(Call("stream_store", {Var(storage.name), at.flat, stored}))
                       : ir::Store(Var(storage.name), at.flat, stored);
  Expr condition;
  for (const Guard& guard : nest.guards()) {
    if (!guard.written) continue;
    Expr check = nest.Check(point, guard);
    if (!check) continue;
    KILN_ASSIGN_OR_RETURN(check, Scalar(check));
    condition = condition ? And(condition, check) : check;
  }
  out.push_back(condition ? ir::If(condition, {store}) : store);
  return absl::OkStatus();
}

}  // namespace kiln::cpu
