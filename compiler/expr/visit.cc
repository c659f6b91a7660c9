#include "compiler/expr/visit.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace kiln {
namespace {

Expr Of(const Expr& expr) { return expr; }
Expr& Slot(Expr& expr) { return expr; }
Expr Of(const Attr& attr) { return attr.value; }
Expr& Slot(Attr& attr) { return attr.value; }

// A copy of `list` with what `fn` changed; nullopt when nothing did, so that most nodes are never copied.
template <typename T>
std::optional<std::vector<T>> MapList(const std::vector<T>& list, absl::FunctionRef<Expr(const Expr&)> fn) {
  std::optional<std::vector<T>> changed;
  for (size_t i = 0; i < list.size(); ++i) {
    Expr before = Of(list[i]);
    if (!before) continue;
    Expr after = fn(before);
    if (after == before) continue;
    if (!changed) changed = list;
    Slot((*changed)[i]) = std::move(after);
  }
  return changed;
}

template <typename Fn>
void ForEachChild(const Node& node, Fn&& fn) {
  for (const Expr& arg : node.args)
    if (arg) fn(arg);
  for (const Attr& attr : node.attrs)
    if (attr.value) fn(attr.value);
  for (const Attr& attr : node.tile.via_config)
    if (attr.value) fn(attr.value);
}

}  // namespace

Expr MapChildren(const Expr& node, absl::FunctionRef<Expr(const Expr&)> fn) {
  if (!node) return node;
  auto args = MapList(node->args, fn);
  auto attrs = MapList(node->attrs, fn);
  auto config = MapList(node->tile.via_config, fn);
  if (!args && !attrs && !config) return node;
  Node copy = *node;
  if (args) copy.args = *std::move(args);
  if (attrs) copy.attrs = *std::move(attrs);
  if (config) copy.tile.via_config = *std::move(config);
  return MakeExpr(std::move(copy));
}

Expr Rewrite(const Expr& root, absl::FunctionRef<Expr(const Expr&)> fn) {
  if (!root) return root;
  return fn(MapChildren(root, [&](const Expr& child) { return Rewrite(child, fn); }));
}

void ForEach(const Expr& root, absl::FunctionRef<void(const Expr&)> fn) {
  if (!root) return;
  fn(root);
  ForEachChild(*root, [&](const Expr& child) { ForEach(child, fn); });
}

bool Any(const Expr& root, absl::FunctionRef<bool(const Expr&)> pred) {
  if (!root) return false;
  if (pred(root)) return true;
  bool found = false;
  ForEachChild(*root, [&](const Expr& child) { found = found || Any(child, pred); });
  return found;
}

Expr Substitute(const Expr& root, const Substitution& values) {
  if (!root || values.empty()) return root;
  if (root->kind == ExprKind::kVar) {
    auto it = values.find(root->name);
    if (it != values.end()) return it->second;
  }
  auto substitute = [&](const Expr& child) { return Substitute(child, values); };
  Expr result = MapChildren(root, substitute);
  auto shape = MapList(root->type.shape, substitute);
  if (!shape) return result;
  Type type = result->type;
  type.shape = *std::move(shape);
  return WithType(result, std::move(type));
}

bool Uses(const Expr& root, std::string_view name) {
  return Any(root, [&](const Expr& e) { return e->kind == ExprKind::kVar && e->name == name; });
}

void CollectNames(const Expr& root, std::set<std::string>& names) {
  ForEach(root, [&](const Expr& e) {
    if (e->kind == ExprKind::kVar) names.insert(e->name);
  });
}

int64_t TreeSize(const Expr& root) {
  int64_t size = 0;
  ForEach(root, [&](const Expr&) { ++size; });
  return size;
}

int TreeHeight(const Expr& root) {
  if (!root) return 0;
  int height = 0;
  ForEachChild(*root, [&](const Expr& child) { height = std::max(height, TreeHeight(child)); });
  return height + 1;
}

}  // namespace kiln
