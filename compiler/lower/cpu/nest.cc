#include "compiler/lower/cpu/nest.h"

#include <algorithm>
#include <utility>

#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

// The one dimension whose variable `value` counts up with; -1 when there is none or more.
int SplitDim(const Expr& value, const std::vector<Dim>& dims, const Facts& facts) {
  int found = -1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!Uses(value, dims[d].var)) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(d);
  }
  if (found < 0) return dims.empty() ? -1 : 0;
  Expr var = Var(dims[found].var);
  Expr next = Substitute(value, {{dims[found].var, var + Int(1)}});
  return IsConst(Simplify(next - value, facts), 1) ? found : -1;
}

}  // namespace

Facts Nest::InnerFacts() const {
  Facts facts = facts_;
  for (const Dim& dim : dims_) {
    Bounds extent = BoundsOf(dim.extent, facts_);
    facts[dim.var] = {0, std::max<int64_t>(0, extent.max == INT64_MAX ? extent.max : extent.max - 1), 1};
  }
  return facts;
}

void Nest::Plan(std::vector<Guard> guards) {
  guards_ = std::move(guards);
  Facts facts = InnerFacts();
  for (Guard& guard : guards_) {
    bool inside =
        std::any_of(inner_.begin(), inner_.end(), [&](const std::string& var) { return Uses(guard.value, var); });
    int dim = inside ? -1 : SplitDim(guard.value, dims_, facts);
    guard.kind = Guard::Kind::kElement;
    guard.dim = -1;
    if (dim < 0) continue;
    guard.kind = Guard::Kind::kSplit;
    guard.dim = dim;
  }
}

bool Nest::NeedsScalars() const {
  return std::any_of(guards_.begin(), guards_.end(), [&](const Guard& guard) {
    return guard.kind == Guard::Kind::kElement && Uses(guard.value, dims_.back().var);
  });
}

bool Nest::HasEdge(int dim) const {
  return std::any_of(guards_.begin(), guards_.end(), [&](const Guard& guard) {
    return guard.kind == Guard::Kind::kSplit && guard.dim == dim && !guard.written;
  });
}

void Nest::Prologue(ir::Block& out, const std::function<std::string(const std::string&)>& fresh) {
  auto named = [&](const std::string& stem, const Expr& e) -> Expr {
    Expr simple = Simplify(e, facts_);
    if (simple->kind == ExprKind::kInt || simple->kind == ExprKind::kVar) return simple;
    std::string name = fresh(stem);
    out.push_back(ir::Let(name, simple));
    Bounds bounds = BoundsOf(simple, facts_);
    facts_[name] = {bounds.min, bounds.max, DivisorOf(simple, facts_)};
    return Var(name);
  };
  ends_.clear();
  mains_.clear();
  for (size_t d = 0; d < dims_.size(); ++d) {
    const Dim& dim = dims_[d];
    auto clip = [&](Expr end, bool written) {
      for (const Guard& guard : guards_) {
        if (guard.kind != Guard::Kind::kSplit || guard.dim != static_cast<int>(d) || guard.written != written) continue;
        Expr at_zero = Substitute(guard.value, {{dim.var, Int(0)}});
        end = Min(end,
                  Uses(guard.value, dim.var) ? guard.limit - at_zero : Select(Lt(at_zero, guard.limit), end, Int(0)));
      }
      return end;
    };
    Expr extent = Simplify(dim.extent, facts_);
    Expr clipped = clip(extent, true);
    Expr end = named(dim.var + "_end", clipped == extent ? extent : Max(clipped, Int(0)));
    Expr inside = clip(end, false);
    Expr main = named(dim.var + "_whole", inside == end ? end : Max(inside, Int(0)));
    ends_.push_back(end);
    mains_.push_back(main);
  }
}

Expr Nest::Check(const Point& point, const Guard& guard) const {
  bool checked = guard.kind == Guard::Kind::kElement || (!guard.written && point.edge[guard.dim]);
  if (!checked) return nullptr;
  Substitution values;
  for (size_t d = 0; d < dims_.size(); ++d) values[dims_[d].var] = point.index[d];
  return Substitute(guard.Condition(), values);
}

absl::Status Nest::Emit(const Body& body, ir::Block& out) const {
  Point point;
  point.edge.assign(dims_.size(), false);
  return EmitDim(0, point, body, out);
}

absl::Status Nest::EmitLoop(const Expr& begin, const Expr& end, int64_t step, size_t dim,
                            const std::function<absl::Status(const Expr&, ir::Block&)>& body, ir::Block& out) const {
  int64_t first, last;
  bool constant = IsConst(begin, &first) && IsConst(end, &last);
  if (constant && first >= last) return absl::OkStatus();
  if (constant && last - first <= step) return body(Int(first), out);
  ir::Block inner;
  KILN_RETURN_IF_ERROR(body(Var(dims_[dim].var), inner));
  out.push_back(
      ir::For(dims_[dim].var, begin, end, std::move(inner), ir::LoopKind::kSerial, step == 1 ? nullptr : Int(step)));
  return absl::OkStatus();
}

absl::Status Nest::EmitDim(size_t dim, Point point, const Body& body, ir::Block& out) const {
  if (dim == dims_.size()) return body(point, out);
  if (dim + 1 == dims_.size() && lanes_ > 1) return EmitVectors(std::move(point), body, out);
  point.index.resize(dim + 1);
  auto inside = [&](bool edge) {
    return [this, dim, point, edge, &body](const Expr& index, ir::Block& inner) mutable {
      point.index[dim] = index;
      point.edge[dim] = edge;
      return EmitDim(dim + 1, point, body, inner);
    };
  };
  KILN_RETURN_IF_ERROR(EmitLoop(Int(0), mains_[dim], 1, dim, inside(false), out));
  if (!HasEdge(static_cast<int>(dim))) return absl::OkStatus();
  return EmitLoop(mains_[dim], ends_[dim], 1, dim, inside(true), out);
}

absl::Status Nest::EmitVectors(Point point, const Body& body, ir::Block& out) const {
  size_t dim = dims_.size() - 1;
  point.index.resize(dim + 1);
  const Expr& main = mains_[dim];
  auto whole = [&](int64_t step) { return Simplify(main - Mod(main, Int(step)), facts_); };
  auto at = [&](int lanes, bool edge) {
    return [point, dim, lanes, edge, &body](const Expr& index, ir::Block& inner) mutable {
      point.index[dim] = index;
      point.lanes = lanes;
      point.edge[dim] = edge;
      return body(point, inner);
    };
  };
  Expr begin = Int(0);
  if (unroll_ > 1) {
    int64_t step = int64_t{lanes_} * unroll_;
    Expr end = whole(step);
    auto side_by_side = [&](const Expr& index, ir::Block& inner) -> absl::Status {
      for (int slot = 0; slot < unroll_; ++slot) {
        Point here = point;
        here.index[dim] = slot ? Simplify(index + Int(int64_t{slot} * lanes_), facts_) : index;
        here.lanes = lanes_;
        here.slot = slot;
        KILN_RETURN_IF_ERROR(body(here, inner));
      }
      return absl::OkStatus();
    };
    KILN_RETURN_IF_ERROR(EmitLoop(begin, end, step, dim, side_by_side, out));
    begin = end;
  }
  Expr vectors_end = whole(lanes_);
  KILN_RETURN_IF_ERROR(EmitLoop(begin, vectors_end, lanes_, dim, at(lanes_, false), out));
  KILN_RETURN_IF_ERROR(EmitLoop(vectors_end, main, 1, dim, at(1, false), out));
  if (!HasEdge(static_cast<int>(dim))) return absl::OkStatus();
  return EmitLoop(main, ends_[dim], 1, dim, at(1, true), out);
}

}  // namespace kiln::cpu
