#include "compiler/specialize/views.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/visit.h"

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

// Items of a subscript of a subscript, over the inner tensor. `outer` has items for the dimensions `inner` leaves, and
// `_`s; what either leaves out at the end is whole.
std::vector<Expr> ComposeItems(const std::vector<Expr>& inner, const std::vector<Expr>& outer) {
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
    const Expr pick = next == outer.size() ? Full() : outer[next++];
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
  out.insert(out.end(), outer.begin() + static_cast<int64_t>(next), outer.end());
  return out;
}

class Resolver {
 public:
  explicit Resolver(const ir::Kernel& kernel) {
    for (const ir::Param& param : kernel.params)
      if (param.is_tensor) tensors_[param.name] = {Space::kGlobal, param.shape.size()};
  }

  Block Run(const Block& block) {
    const auto views = views_;
    const auto tensors = tensors_;
    const auto mutables = mutables_;
    Block out;
    for (const Stmt& stmt : block) {
      Stmt resolved = ir::RewriteRoots(
          stmt, [&](const Expr& root) { return Rewrite(root, [&](const Expr& e) { return Resolve(e); }); });
      if (resolved->kind == StmtKind::kLet && IsView(resolved->value)) {
        views_[resolved->name] = Pin(resolved->name, resolved->value, out);
        continue;
      }
      if (resolved->kind == StmtKind::kMutable) mutables_.insert(resolved->name);
      if (resolved->kind == StmtKind::kAlloc)
        tensors_[resolved->tensor.name] = {resolved->tensor.space, resolved->tensor.shape.size()};
      // A ring's fields are seen where it is.
      if (resolved->kind == StmtKind::kRing)
        for (const Stmt& field : resolved->body)
          tensors_[field->tensor.name] = {field->tensor.space, field->tensor.shape.size()};
      StmtNode node = *resolved;
      node.body = Run(resolved->body);
      node.orelse = Run(resolved->orelse);
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

  Expr Resolve(const Expr& e) const {
    if (e->kind == ExprKind::kVar) {
      auto it = views_.find(e->name);
      return it == views_.end() ? e : it->second;
    }
    if (e->kind != ExprKind::kSubscript || e->args[0]->kind != ExprKind::kSubscript) return e;
    const Expr& inner = e->args[0];
    std::vector<Expr> items =
        ComposeItems({inner->args.begin() + 1, inner->args.end()}, {e->args.begin() + 1, e->args.end()});
    items.insert(items.begin(), inner->args[0]);
    return WithArgs(e, std::move(items));
  }

  // A part or rearrangement of a global or shared tensor that is more than one element.
  bool IsView(const Expr& value) const {
    const Expr* root = &value;
    while ((*root)->kind != ExprKind::kVar) {
      const ExprKind kind = (*root)->kind;
      if (kind != ExprKind::kSubscript && kind != ExprKind::kReshape && kind != ExprKind::kPermute &&
          kind != ExprKind::kReinterpret)
        return false;
      root = &(*root)->args[0];
    }
    auto it = tensors_.find((*root)->name);
    return it != tensors_.end() && it->second.space != Space::kLocal && RankOf(value) > 0;
  }

  int64_t RankOf(const Expr& reference) const {
    if (reference->kind == ExprKind::kVar) return static_cast<int64_t>(tensors_.at(reference->name).rank);
    if (reference->kind == ExprKind::kReshape) return static_cast<int64_t>(reference->args.size()) - 1;
    int64_t rank = RankOf(reference->args[0]);
    if (reference->kind != ExprKind::kSubscript) return rank;
    for (size_t i = 1; i < reference->args.size(); ++i)
      rank += reference->args[i]->kind == ExprKind::kNewAxis ? 1 : IsIndexItem(reference->args[i]) ? -1 : 0;
    return rank;
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

  std::map<std::string, Tensor> tensors_;
  std::map<std::string, Expr> views_;
  std::set<std::string> mutables_;
};

}  // namespace

void ResolveViews(ir::Kernel& kernel) { kernel.body = Resolver(kernel).Run(kernel.body); }

}  // namespace kiln
