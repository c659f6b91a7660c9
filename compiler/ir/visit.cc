#include "compiler/ir/visit.h"

#include <utility>

namespace kiln::ir {
namespace {

void BindDType(DTypeRef& ref, const std::map<std::string, DType>& values, bool& changed) {
  if (ref.param.empty()) return;
  auto it = values.find(ref.param);
  if (it == values.end()) return;
  ref = {it->second, ""};
  changed = true;
}

bool Same(const Block& a, const Block& b) { return a == b; }

Stmt WithBodies(const Stmt& stmt, Block body, Block orelse) {
  if (Same(body, stmt->body) && Same(orelse, stmt->orelse)) return stmt;
  StmtNode copy = *stmt;
  copy.body = std::move(body);
  copy.orelse = std::move(orelse);
  return MakeStmt(std::move(copy));
}

}  // namespace

const std::string& DeclaredName(const StmtNode& stmt) {
  static const std::string* const kNothing = new std::string;
  switch (stmt.kind) {
    case StmtKind::kLet:
    case StmtKind::kMutable:
    case StmtKind::kFor:
      return stmt.name;
    case StmtKind::kAlloc:
      return stmt.tensor.name;
    default:
      return *kNothing;
  }
}

void ForEachStmt(const Block& block, absl::FunctionRef<void(const Stmt&)> fn) {
  for (const Stmt& stmt : block) {
    fn(stmt);
    ForEachStmt(stmt->body, fn);
    ForEachStmt(stmt->orelse, fn);
  }
}

void ForEachRoot(const StmtNode& stmt, absl::FunctionRef<void(const Expr&)> fn) {
  for (const Expr& extent : stmt.tensor.shape) fn(extent);
  for (const Expr& extent : stmt.extents) fn(extent);
  for (const Expr* root : {&stmt.target, &stmt.value, &stmt.begin, &stmt.end, &stmt.step, &stmt.stages})
    if (*root) fn(*root);
}

void ForEachExpr(const Block& block, absl::FunctionRef<void(const Expr&)> fn) {
  ForEachStmt(block, [&](const Stmt& stmt) { ForEachRoot(*stmt, [&](const Expr& root) { ForEach(root, fn); }); });
}

Stmt RewriteRoots(const Stmt& stmt, absl::FunctionRef<Expr(const Expr&)> fn) {
  StmtNode copy = *stmt;
  bool changed = false;
  auto rewrite = [&](Expr& root) {
    if (!root) return;
    Expr after = fn(root);
    changed = changed || after != root;
    root = std::move(after);
  };
  for (Expr& extent : copy.tensor.shape) rewrite(extent);
  for (Expr& extent : copy.extents) rewrite(extent);
  for (Expr* root : {&copy.target, &copy.value, &copy.begin, &copy.end, &copy.step, &copy.stages}) rewrite(*root);
  copy.body = RewriteRoots(stmt->body, fn);
  copy.orelse = RewriteRoots(stmt->orelse, fn);
  if (!changed && Same(copy.body, stmt->body) && Same(copy.orelse, stmt->orelse)) return stmt;
  return MakeStmt(std::move(copy));
}

Block RewriteRoots(const Block& block, absl::FunctionRef<Expr(const Expr&)> fn) {
  Block result;
  result.reserve(block.size());
  for (const Stmt& stmt : block) result.push_back(RewriteRoots(stmt, fn));
  return result;
}

Block RewriteExprs(const Block& block, absl::FunctionRef<Expr(const Expr&)> fn) {
  return RewriteRoots(block, [&](const Expr& root) { return Rewrite(root, fn); });
}

Block RewriteStmts(const Block& block, absl::FunctionRef<Block(const Stmt&)> fn) {
  Block result;
  result.reserve(block.size());
  for (const Stmt& stmt : block)
    for (Stmt& replacement : fn(WithBodies(stmt, RewriteStmts(stmt->body, fn), RewriteStmts(stmt->orelse, fn))))
      result.push_back(std::move(replacement));
  return result;
}

Block Substitute(const Block& block, const Substitution& values) {
  Substitution visible = values;
  Block result;
  result.reserve(block.size());
  for (const Stmt& stmt : block) {
    if (visible.empty()) {
      result.push_back(stmt);
      continue;
    }
    StmtNode copy = *stmt;
    copy.body.clear();
    copy.orelse.clear();
    Stmt head =
        RewriteRoots(MakeStmt(std::move(copy)), [&](const Expr& root) { return kiln::Substitute(root, visible); });
    Substitution inside = visible;
    const std::string& declared = DeclaredName(*stmt);
    if (!declared.empty()) inside.erase(declared);
    StmtNode whole = *head;
    whole.body = Substitute(stmt->body, inside);
    whole.orelse = Substitute(stmt->orelse, inside);
    result.push_back(MakeStmt(std::move(whole)));
    if (stmt->kind != StmtKind::kFor && !declared.empty()) visible = std::move(inside);
  }
  return result;
}

Expr BindDTypes(const Expr& expr, const std::map<std::string, DType>& values) {
  return Rewrite(expr, [&](const Expr& e) {
    if (e->dtype.param.empty()) return e;
    Node copy = *e;
    bool changed = false;
    BindDType(copy.dtype, values, changed);
    return changed ? MakeExpr(std::move(copy)) : e;
  });
}

Block BindDTypes(const Block& block, const std::map<std::string, DType>& values) {
  Block exprs = RewriteRoots(block, [&](const Expr& root) { return BindDTypes(root, values); });
  return RewriteStmts(exprs, [&](const Stmt& stmt) -> Block {
    StmtNode copy = *stmt;
    bool changed = false;
    BindDType(copy.dtype, values, changed);
    BindDType(copy.tensor.dtype, values, changed);
    return {changed ? MakeStmt(std::move(copy)) : stmt};
  });
}

}  // namespace kiln::ir
