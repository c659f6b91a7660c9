#include "compiler/plan/uniform.h"

#include <algorithm>
#include <set>
#include <vector>

#include "compiler/ir/visit.h"
#include "compiler/rules/site.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;

constexpr int64_t kWarp = 32;
constexpr int64_t kWarpgroup = 128;
constexpr int64_t kMost = int64_t{1} << 30;

// Whether a thread may leave the loop, or a round of it, by a statement of its body.
bool Leaves(const Block& block, bool nested) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
    if (s->kind == StmtKind::kReturn) return true;
    if (!nested && (s->kind == StmtKind::kBreak || s->kind == StmtKind::kContinue)) return true;
    const bool loop = s->kind == StmtKind::kFor || s->kind == StmtKind::kWhile;
    return Leaves(s->body, nested || loop) || Leaves(s->orelse, nested);
  });
}

// What a tile operation gives as a scalar is one value for its team.
Agreement OfTeam(Team team) {
  switch (team) {
    case Team::kThread:
      return Agreement::kNone;
    case Team::kWarp:
      return Agreement::kWarp;
    case Team::kWarpgroup:
      return Agreement::kWarpgroup;
    default:
      return Agreement::kCta;
  }
}

}  // namespace

Uniformity::Uniformity(const ir::Kernel& kernel) : threads_(ThreadsOf(kernel)) {
  std::set<std::string> once, twice;
  ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
    const std::string& name = ir::DeclaredName(*s);
    if (!name.empty() && !once.insert(name).second) twice.insert(name);
    if (s->kind == StmtKind::kAlloc && s->tensor.space == ir::Space::kLocal) agreement_[name] = Agreement::kNone;
  });
  ir::ForEachStmt(kernel.body, [&](const Stmt& s) {
    if (s->kind == StmtKind::kLet && twice.count(s->name) == 0) KeepValues(s->name, s->value);
  });
  do {
    changed_ = false;
    Visit(kernel.body, Agreement::kCta);
  } while (changed_);
}

void Uniformity::KeepValues(const std::string& name, const Expr& value) {
  std::vector<int64_t> values;
  for (int64_t t = 0; t < threads_; ++t) {
    std::optional<int64_t> known = In(t, value);
    if (!known) return;
    values.push_back(*known);
  }
  lets_[name] = std::move(values);
}

void Uniformity::Lower(const std::string& name, Agreement to) {
  if (OfName(name) <= to) return;
  agreement_[name] = to;
  changed_ = true;
}

void Uniformity::Visit(const Block& block, Agreement control) {
  for (const Stmt& s : block) {
    switch (s->kind) {
      case StmtKind::kLet:
      case StmtKind::kMutable:
        Lower(s->name, Of(s->value));
        break;
      case StmtKind::kAssign:
        if (s->target->kind == ExprKind::kVar && !s->target->type.tile)
          Lower(s->target->name, std::min(control, Of(s->value)));
        break;
      case StmtKind::kFor: {
        Agreement trips = std::min(Of(s->begin), Of(s->end));
        if (s->step) trips = std::min(trips, Of(s->step));
        Lower(s->name, s->step ? std::min(Of(s->begin), Of(s->step)) : Of(s->begin));
        VisitLoop(*s, std::min(control, trips));
        break;
      }
      case StmtKind::kWhile:
        VisitLoop(*s, std::min(control, Of(s->value)));
        break;
      case StmtKind::kIf: {
        const Agreement inside = std::min(control, Of(s->value));
        Visit(s->body, inside);
        Visit(s->orelse, inside);
        break;
      }
      default:
        Visit(s->body, control);
        break;
    }
  }
}

void Uniformity::VisitLoop(const ir::StmtNode& loop, Agreement control) {
  // Threads that leave early are not there when the rest assigns.
  if (Leaves(loop.body, false))
    ir::ForEachStmt(loop.body, [&](const Stmt& s) {
      if (s->kind == StmtKind::kIf) control = std::min(control, Of(s->value));
    });
  Visit(loop.body, control);
}

Agreement Uniformity::OfName(const std::string& name) const {
  auto it = agreement_.find(name);
  return it == agreement_.end() ? Agreement::kCta : it->second;
}

Agreement Uniformity::Of(const Expr& e) const {
  if (!e) return Agreement::kCta;
  const Agreement parts = OfParts(e);
  if (parts == Agreement::kCta || (e->kind != ExprKind::kBinary && e->kind != ExprKind::kSelect)) return parts;
  // The parts may differ where the whole does not: thread_id / 128.
  std::vector<int64_t> values;
  for (int64_t t = 0; t < threads_; ++t) {
    std::optional<int64_t> value = In(t, e);
    if (!value) return parts;
    values.push_back(*value);
  }
  auto shared = [&](int64_t team) {
    for (int64_t t = 0; t < threads_; ++t)
      if (values[t] != values[t / team * team]) return false;
    return true;
  };
  if (shared(threads_)) return Agreement::kCta;
  if (shared(kWarpgroup)) return Agreement::kWarpgroup;
  return shared(kWarp) ? Agreement::kWarp : parts;
}

Agreement Uniformity::OfParts(const Expr& e) const {
  switch (e->kind) {
    case ExprKind::kVar:
      if (e->name == "thread_id" || e->name == "lane_id") return Agreement::kNone;
      if (e->name == "warp_id") return Agreement::kWarp;
      return OfName(e->name);
    case ExprKind::kTileOp:
      return OfTeam(e->tile.team);
    case ExprKind::kCall:
      return Agreement::kNone;  // elect, an exchange, an atomic
    default: {
      Agreement out = Agreement::kCta;
      for (const Expr& arg : e->args)
        if (arg) out = std::min(out, Of(arg));
      return out;
    }
  }
}

std::optional<int64_t> Uniformity::In(int64_t thread, const Expr& e) const {
  switch (e->kind) {
    case ExprKind::kInt:
    case ExprKind::kBool:
      return e->int_value;
    case ExprKind::kVar: {
      if (e->name == "thread_id") return thread;
      if (e->name == "lane_id") return thread % kWarp;
      if (e->name == "warp_id") return thread / kWarp;
      auto let = lets_.find(e->name);
      return let == lets_.end() ? std::nullopt : std::optional(let->second[thread]);
    }
    case ExprKind::kCast:
      return IsInteger(e->type.dtype) && Bits(e->type.dtype) >= 32 ? In(thread, e->args[0]) : std::nullopt;
    case ExprKind::kSelect: {
      auto condition = In(thread, e->args[0]);
      return condition ? In(thread, e->args[*condition != 0 ? 1 : 2]) : std::nullopt;
    }
    case ExprKind::kUnary:
      return OfUnary(thread, *e);
    case ExprKind::kBinary:
      return OfBinary(thread, *e);
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> Uniformity::OfUnary(int64_t thread, const Node& e) const {
  auto a = In(thread, e.args[0]);
  if (!a) return std::nullopt;
  if (e.op == Op::kNot) return *a == 0;
  return e.op == Op::kNeg ? std::optional<int64_t>(-*a) : std::nullopt;
}

std::optional<int64_t> Uniformity::OfBinary(int64_t thread, const Node& e) const {
  auto a = In(thread, e.args[0]), b = In(thread, e.args[1]);
  // One side can decide alone.
  if (e.op == Op::kAnd && ((a && *a == 0) || (b && *b == 0))) return 0;
  if (e.op == Op::kOr && ((a && *a != 0) || (b && *b != 0))) return 1;
  if (!a || !b) return std::nullopt;
  int64_t out;
  switch (e.op) {
    case Op::kAdd:
      return __builtin_add_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
    case Op::kSub:
      return __builtin_sub_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
    case Op::kMul:
      return __builtin_mul_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
    case Op::kDiv:
      return *a >= 0 && *b > 0 ? std::optional(*a / *b) : std::nullopt;
    case Op::kMod:
      return *a >= 0 && *b > 0 ? std::optional(*a % *b) : std::nullopt;
    case Op::kShl:
      return *a >= 0 && *a < kMost && *b >= 0 && *b < 32 ? std::optional(*a << *b) : std::nullopt;
    case Op::kShr:
      return *b >= 0 && *b < 63 ? std::optional(*a >> *b) : std::nullopt;
    case Op::kBitAnd:
      return *a & *b;
    case Op::kBitOr:
      return *a | *b;
    case Op::kBitXor:
      return *a ^ *b;
    case Op::kMin:
      return std::min(*a, *b);
    case Op::kMax:
      return std::max(*a, *b);
    case Op::kAnd:
      return *a != 0 && *b != 0;
    case Op::kOr:
      return *a != 0 || *b != 0;
    case Op::kEq:
      return *a == *b;
    case Op::kNe:
      return *a != *b;
    case Op::kLt:
      return *a < *b;
    case Op::kLe:
      return *a <= *b;
    case Op::kGt:
      return *a > *b;
    case Op::kGe:
      return *a >= *b;
    default:
      return std::nullopt;
  }
}

}  // namespace kiln
