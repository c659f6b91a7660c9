#include "compiler/specialize/simplify_body.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/visit.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

bool Declares(const Block& block) {
  return std::any_of(block.begin(), block.end(),
                     [](const Stmt& s) { return !ir::DeclaredName(*s).empty() && s->kind != StmtKind::kFor; });
}

class BodySimplifier {
 public:
  Block Run(const Block& block, Facts facts, Substitution values) {
    Block out;
    for (const Stmt& original : block) {
      Stmt stmt = ir::RewriteRoots(
          original, [&](const Expr& e) { return Simplify(values.empty() ? e : Substitute(e, values), facts); });
      switch (stmt->kind) {
        case StmtKind::kLet:
          if (IsTrivial(stmt->value)) {
            values[stmt->name] = stmt->value;
            continue;
          }
          AddLetFact(*stmt, facts);
          out.push_back(stmt);
          break;
        case StmtKind::kAssume:
          facts = Assuming(stmt->value, std::move(facts));
          out.push_back(stmt);
          break;
        case StmtKind::kFor:
          AddFor(*stmt, facts, values, out);
          break;
        case StmtKind::kIf:
          AddIf(*stmt, facts, values, out);
          break;
        case StmtKind::kWhile: {
          StmtNode node = *stmt;
          node.body = Run(stmt->body, Assuming(stmt->value, facts), values);
          out.push_back(ir::MakeStmt(std::move(node)));
          break;
        }
        default:
          out.push_back(stmt);
      }
    }
    return out;
  }

 private:
  static bool IsTrivial(const Expr& value) {
    return !value->type.tile && (value->kind == ExprKind::kInt || value->kind == ExprKind::kBool);
  }

  void AddFor(const StmtNode& stmt, const Facts& facts, const Substitution& values, Block& out) {
    if (Prove(WithType(Lt(stmt.begin, stmt.end), {DType::kBool}), facts) == Proof::kFalse) return;
    Facts inner = facts;
    AddLoopFact(stmt, inner);
    StmtNode node = stmt;
    node.body = Run(stmt.body, std::move(inner), values);
    out.push_back(ir::MakeStmt(std::move(node)));
  }

  void AddIf(const StmtNode& stmt, const Facts& facts, const Substitution& values, Block& out) {
    StmtNode node = stmt;
    if (stmt.value->kind == ExprKind::kBool) {
      const Block& taken = stmt.value->int_value ? stmt.body : stmt.orelse;
      if (taken.empty()) return;
      Block body = Run(taken, facts, values);
      if (!Declares(taken)) {
        out.insert(out.end(), body.begin(), body.end());
        return;
      }
      node.value = WithType(Bool(true), {DType::kBool});  // A scope of its own, for the names it declares.
      node.body = std::move(body);
      node.orelse.clear();
    } else {
      node.body = Run(stmt.body, Assuming(stmt.value, facts), values);
      node.orelse = Run(stmt.orelse, facts, values);
    }
    out.push_back(ir::MakeStmt(std::move(node)));
  }
};

int64_t MinusOne(int64_t v) { return v == INT64_MIN || v == INT64_MAX ? v : v - 1; }

}  // namespace

Facts Assuming(const Expr& condition, Facts facts) {
  if (condition->kind != ExprKind::kBinary) return facts;
  if (condition->op == Op::kAnd) return Assuming(condition->args[1], Assuming(condition->args[0], std::move(facts)));
  Expr a = condition->args[0], b = condition->args[1];
  Op op = condition->op;
  int64_t modulus;
  if (op == Op::kEq && IsConst(b, int64_t{0}) && a->kind == ExprKind::kBinary && a->op == Op::kMod &&
      IsConst(a->args[1], &modulus) && modulus > 0 && a->args[0]->kind == ExprKind::kVar) {
    Fact& fact = facts[a->args[0]->name];
    fact.divisor = std::lcm(fact.divisor, modulus);
    return facts;
  }
  // `var`, or `var + c`: the constant moves to the other side.
  auto narrow = [&facts](const Expr& term, int64_t lo, int64_t hi) {
    Expr var = term;
    int64_t shift = 0;
    bool sum = term->kind == ExprKind::kBinary && (term->op == Op::kAdd || term->op == Op::kSub);
    if (sum && IsConst(term->args[1], &shift) && shift > -(int64_t{1} << 40) && shift < (int64_t{1} << 40)) {
      var = term->args[0];
      if (term->op == Op::kSub) shift = -shift;
      if (lo > INT64_MIN + (int64_t{1} << 41)) lo -= shift;
      if (hi < INT64_MAX - (int64_t{1} << 41)) hi -= shift;
    }
    if (var->kind != ExprKind::kVar) return;
    Bounds known = BoundsOf(var, facts);
    Fact& fact = facts[var->name];
    fact.min = std::max(known.min, lo);
    fact.max = std::min(known.max, hi);
  };
  if (op == Op::kGt || op == Op::kGe) {
    std::swap(a, b);
    op = op == Op::kGt ? Op::kLt : Op::kLe;
  }
  Bounds ra = BoundsOf(a, facts), rb = BoundsOf(b, facts);
  if (op == Op::kLt) {
    narrow(a, INT64_MIN, MinusOne(rb.max));
    narrow(b, ra.min == INT64_MIN || ra.min == INT64_MAX ? ra.min : ra.min + 1, INT64_MAX);
  } else if (op == Op::kLe) {
    narrow(a, INT64_MIN, rb.max);
    narrow(b, ra.min, INT64_MAX);
  } else if (op == Op::kEq) {
    narrow(a, rb.min, rb.max);
    narrow(b, ra.min, ra.max);
  }
  return facts;
}

void AddLoopFact(const ir::StmtNode& loop, Facts& facts) {
  Bounds begin = BoundsOf(loop.begin, facts), end = BoundsOf(loop.end, facts);
  Fact fact{begin.min, std::max(begin.min, MinusOne(end.max)), 1};
  int64_t step = 1;
  if (loop.step) step = DivisorOf(loop.step, facts);
  fact.divisor = std::gcd(DivisorOf(loop.begin, facts), step);
  facts[loop.name] = fact;
}

void AddLetFact(const ir::StmtNode& let, Facts& facts) {
  if (let.value->type.tile || !IsInteger(let.value->type.dtype)) return;
  Bounds bounds = BoundsOf(let.value, facts);
  facts[let.name] = {bounds.min, bounds.max, DivisorOf(let.value, facts)};
}

ir::Block SimplifyBody(const ir::Block& block, const Facts& facts) { return BodySimplifier().Run(block, facts, {}); }

}  // namespace kiln
