#include "compiler/specialize/views.h"

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
using ir::Space;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

bool IsIndexItem(const Expr& item) {
  return item->kind != ExprKind::kSlice && item->kind != ExprKind::kFull && item->kind != ExprKind::kNewAxis;
}

// Items of a subscript of a subscript, over the inner tensor. `outer` has an item for each dimension `inner` leaves,
// and `_`s.
absl::StatusOr<std::vector<Expr>> ComposeItems(const std::vector<Expr>& inner, const std::vector<Expr>& outer) {
  std::vector<Expr> out;
  size_t next = 0;
  auto new_axes = [&] {
    while (next < outer.size() && outer[next]->kind == ExprKind::kNewAxis) out.push_back(outer[next++]);
  };
  for (const Expr& item : inner) {
    if (IsIndexItem(item)) {
      out.push_back(item);
      continue;
    }
    new_axes();
    if (next == outer.size()) return absl::InvalidArgumentError("too few items for the view's dimensions");
    const Expr& pick = outer[next++];
    if (item->kind == ExprKind::kNewAxis) {
      if (IsIndexItem(pick)) continue;  // Index of an axis of extent 1: it is gone again.
      out.push_back(item);
      continue;
    }
    if (pick->kind == ExprKind::kFull) {
      out.push_back(item);
    } else if (item->kind == ExprKind::kFull) {
      out.push_back(pick);
    } else {
      const Expr &start = item->args[0], &extent = item->args[1];
      Expr limit = item->args.size() > 2 ? item->args[2] : start + extent;
      if (pick->kind == ExprKind::kSlice)
        out.push_back(WithArgs(pick, {start + pick->args[0], pick->args[1], limit}));
      else
        out.push_back(start + pick);
    }
  }
  new_axes();
  if (next != outer.size()) return absl::InvalidArgumentError("too many items for the view's dimensions");
  return out;
}

class Resolver {
 public:
  explicit Resolver(ir::Kernel& kernel) : kernel_(kernel) {
    for (const ir::Param& param : kernel.params)
      if (param.is_tensor) tensors_[param.name] = {Space::kGlobal, param.shape.size()};
  }

  absl::StatusOr<Block> Run(const Block& block) {
    const auto views = views_;
    const auto tensors = tensors_;
    const auto mutables = mutables_;
    Block out;
    for (const Stmt& stmt : block) {
      absl::Status failed;
      Stmt resolved = ir::RewriteRoots(stmt, [&](const Expr& root) {
        return Rewrite(root, [&](const Expr& e) { return Resolve(e, *stmt, failed); });
      });
      KILN_RETURN_IF_ERROR(failed);
      if (resolved->kind == StmtKind::kLet && IsView(resolved->value)) {
        views_[resolved->name] = Pin(resolved->name, resolved->value, out);
        continue;
      }
      if (resolved->kind == StmtKind::kMutable) mutables_.insert(resolved->name);
      if (resolved->kind == StmtKind::kAlloc)
        tensors_[resolved->tensor.name] = {resolved->tensor.space, resolved->tensor.shape.size()};
      StmtNode node = *resolved;
      KILN_ASSIGN_OR_RETURN(node.body, Run(resolved->body));
      KILN_ASSIGN_OR_RETURN(node.orelse, Run(resolved->orelse));
      out.push_back(ir::MakeStmt(std::move(node)));
    }
    views_ = views;
    tensors_ = tensors;
    mutables_ = mutables;
    return out;
  }

 private:
  struct Tensor {
    Space space = Space::kNone;
    size_t rank = 0;
  };

  Expr Resolve(const Expr& e, const StmtNode& at, absl::Status& failed) {
    if (e->kind == ExprKind::kVar) {
      auto it = views_.find(e->name);
      return it == views_.end() ? e : it->second;
    }
    if (e->kind != ExprKind::kSubscript || e->args[0]->kind != ExprKind::kSubscript) return e;
    const Expr& inner = e->args[0];
    auto items = ComposeItems({inner->args.begin() + 1, inner->args.end()}, {e->args.begin() + 1, e->args.end()});
    if (!items.ok()) {
      failed =
          absl::InvalidArgumentError(absl::StrCat("specialize: kernel \"", kernel_.name, "\" ", at.at.line, ":",
                                                  at.at.column, ": subscript of a view: ", items.status().message()));
      return e;
    }
    items->insert(items->begin(), inner->args[0]);
    return WithArgs(e, *std::move(items));
  }

  // A part or rearrangement of a global or shared tensor that is more than one element.
  bool IsView(const Expr& value) const {
    const Expr* root = &value;
    bool element = false;
    while ((*root)->kind != ExprKind::kVar) {
      const Node& node = **root;
      if (node.kind == ExprKind::kSubscript) {
        bool all = true;
        for (size_t i = 1; i < node.args.size(); ++i) all &= IsIndexItem(node.args[i]);
        element |= all;
      } else if (node.kind != ExprKind::kReshape && node.kind != ExprKind::kPermute &&
                 node.kind != ExprKind::kReinterpret) {
        return false;
      }
      root = &node.args[0];
    }
    auto it = tensors_.find((*root)->name);
    return it != tensors_.end() && it->second.space != Space::kLocal && !element;
  }

  // Starts whose value may change later are named once, here.
  Expr Pin(const std::string& view, const Expr& value, Block& out) {
    int count = 0;
    return Rewrite(value, [&](const Expr& e) -> Expr {
      if (e->kind != ExprKind::kSubscript) return e;
      std::vector<Expr> args = e->args;
      for (size_t i = 1; i < args.size(); ++i) {
        Expr& item = args[i];
        if (item->kind == ExprKind::kFull || item->kind == ExprKind::kNewAxis) continue;
        const Expr& start = item->kind == ExprKind::kSlice ? item->args[0] : item;
        if (!MayChange(start)) continue;
        std::string name = absl::StrCat(view, "_start", count++);
        out.push_back(ir::Let(name, start));
        Expr pinned = Var(name);
        if (item->kind == ExprKind::kSlice) {
          std::vector<Expr> parts = item->args;
          parts[0] = pinned;
          item = WithArgs(item, std::move(parts));
        } else {
          item = pinned;
        }
      }
      return WithArgs(e, std::move(args));
    });
  }

  bool MayChange(const Expr& e) const {
    return Any(e, [&](const Expr& n) {
      return n->kind == ExprKind::kSubscript || n->kind == ExprKind::kLoad ||
             (n->kind == ExprKind::kVar && mutables_.count(n->name));
    });
  }

  ir::Kernel& kernel_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, Expr> views_;
  std::set<std::string> mutables_;
};

}  // namespace

absl::Status ResolveViews(ir::Kernel& kernel) {
  KILN_ASSIGN_OR_RETURN(kernel.body, Resolver(kernel).Run(kernel.body));
  return absl::OkStatus();
}

}  // namespace kiln
