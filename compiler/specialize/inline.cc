#include "compiler/specialize/inline.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/visit.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

constexpr int kMaxInlineDepth = 64;

class Inliner {
 public:
  Inliner(const ir::Module& module, const ir::Kernel& kernel) : kernel_(kernel) {
    for (const ir::Inline& function : module.inlines) functions_[function.name] = &function;
    ir::ForEachStmt(kernel.body, [&](const Stmt& s) { names_.insert(ir::DeclaredName(*s)); });
    for (const ir::Param& param : kernel.params) names_.insert(param.name);
  }

  absl::StatusOr<Block> Expand(const Block& block, int depth) {
    Block out;
    for (const Stmt& stmt : block) {
      const ir::Inline* function = Callee(stmt->value);
      if (!function) {
        StmtNode node = *stmt;
        KILN_ASSIGN_OR_RETURN(node.body, Expand(stmt->body, depth));
        KILN_ASSIGN_OR_RETURN(node.orelse, Expand(stmt->orelse, depth));
        out.push_back(ir::MakeStmt(std::move(node)));
        continue;
      }
      if (depth == kMaxInlineDepth) return Fail(*stmt, absl::StrCat("`", function->name, "` calls itself"));
      KILN_ASSIGN_OR_RETURN(Block body, Instantiate(*function, *stmt));
      KILN_ASSIGN_OR_RETURN(body, Expand(body, depth + 1));
      out.insert(out.end(), body.begin(), body.end());
    }
    return out;
  }

 private:
  const ir::Inline* Callee(const Expr& value) const {
    if (!value || value->kind != ExprKind::kCall) return nullptr;
    auto it = functions_.find(value->name);
    return it == functions_.end() ? nullptr : it->second;
  }

  absl::Status Fail(const StmtNode& at, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("specialize: kernel \"", kernel_.name, "\" ", at.at.line, ":", at.at.column, ": ", what));
  }

  // The body with parameters replaced and locals renamed; its `return` becomes what the calling statement does with the
  // value.
  absl::StatusOr<Block> Instantiate(const ir::Inline& function, const StmtNode& call) {
    const std::vector<Expr>& args = call.value->args;
    if (args.size() != function.params.size())
      return Fail(call, absl::StrCat("`", function.name, "`: expected ", function.params.size(), " arguments, found ",
                                     args.size()));
    std::string suffix;
    do {
      suffix = absl::StrCat("_", ++counter_);
    } while (!Fresh(function.body, suffix));

    Block body = function.body;
    Substitution renamed;
    ir::ForEachStmt(function.body, [&](const Stmt& s) {
      const std::string& name = ir::DeclaredName(*s);
      if (!name.empty()) renamed[name] = Var(name + suffix);
    });
    body = Rename(body, renamed);
    Substitution values;
    for (size_t i = 0; i < args.size(); ++i) {
      values[function.params[i].name] = args[i];
      // Extents of a parameter that are plain names are bound to the argument's.
      for (size_t d = 0; d < function.params[i].shape.size(); ++d) {
        const Expr& extent = function.params[i].shape[d];
        if (extent->kind != ExprKind::kVar || values.count(extent->name)) continue;
        Node dim;
        dim.kind = ExprKind::kDim;
        dim.int_value = static_cast<int64_t>(d);
        dim.args = {args[i]};
        values[extent->name] = MakeExpr(std::move(dim));
      }
    }
    body = ir::Substitute(body, values);

    if (!body.empty() && body.back()->kind == StmtKind::kReturn) {
      Expr value = body.back()->value;
      body.pop_back();
      if (call.kind != StmtKind::kEval) {
        if (!value) return Fail(call, absl::StrCat("`", function.name, "` returns nothing"));
        StmtNode node = call;
        node.value = value;
        body.push_back(ir::MakeStmt(std::move(node)));
      }
    } else if (call.kind != StmtKind::kEval) {
      return Fail(call, absl::StrCat("`", function.name, "` returns nothing"));
    }
    bool early = false;
    ir::ForEachStmt(body, [&](const Stmt& s) { early |= s->kind == StmtKind::kReturn; });
    if (early) return Fail(call, absl::StrCat("`", function.name, "`: `return` is allowed only as its last statement"));
    return body;
  }

  bool Fresh(const Block& body, const std::string& suffix) {
    bool fresh = true;
    std::set<std::string> added;
    ir::ForEachStmt(body, [&](const Stmt& s) {
      const std::string& name = ir::DeclaredName(*s);
      if (name.empty()) return;
      fresh &= names_.count(name + suffix) == 0;
      added.insert(name + suffix);
    });
    if (fresh) names_.insert(added.begin(), added.end());
    return fresh;
  }

  static Block Rename(const Block& block, const Substitution& renamed) {
    Block out = ir::RewriteStmts(block, [&](const Stmt& s) -> Block {
      const std::string& name = ir::DeclaredName(*s);
      auto it = renamed.find(name);
      if (name.empty() || it == renamed.end()) return {s};
      StmtNode node = *s;
      if (node.kind == StmtKind::kAlloc)
        node.tensor.name = it->second->name;
      else
        node.name = it->second->name;
      return {ir::MakeStmt(std::move(node))};
    });
    return ir::RewriteRoots(out, [&](const Expr& e) { return Substitute(e, renamed); });
  }

  const ir::Kernel& kernel_;
  std::map<std::string, const ir::Inline*> functions_;
  std::set<std::string> names_;
  int counter_ = 0;
};

}  // namespace

absl::Status InlineCalls(const ir::Module& module, ir::Kernel& kernel) {
  Inliner inliner(module, kernel);
  KILN_ASSIGN_OR_RETURN(kernel.body, inliner.Expand(kernel.body, 0));
  return absl::OkStatus();
}

}  // namespace kiln
