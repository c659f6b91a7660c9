// Walking and rewriting expressions. Every function reaches arguments, named arguments and the configuration of a
// `via`; the shapes inside types are reached by Substitute alone.
//
// Trees share nodes, and a result shares with its input whatever did not change: `result == input` (the pointers) says
// that nothing did. Null expressions are allowed and stay null. Pure; thread-safe.
#ifndef KILN_COMPILER_EXPR_VISIT_H_
#define KILN_COMPILER_EXPR_VISIT_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "compiler/expr/expr.h"

namespace kiln {

using Substitution = std::map<std::string, Expr, std::less<>>;

// A copy of `node` whose children went through `fn`, once each and no deeper; `node` itself when none changed.
Expr MapChildren(const Expr& node, absl::FunctionRef<Expr(const Expr&)> fn);

// Bottom-up: `fn` sees each node with its children already rewritten and returns that node or another one.
Expr Rewrite(const Expr& root, absl::FunctionRef<Expr(const Expr&)> fn);

// Every node, parents first.
void ForEach(const Expr& root, absl::FunctionRef<void(const Expr&)> fn);

// Whether `pred` holds of a node; stops at the first.
bool Any(const Expr& root, absl::FunctionRef<bool(const Expr&)> pred);

// Every kVar named in `values` replaced by its value, in types' shapes too. A value is not searched again.
Expr Substitute(const Expr& root, const Substitution& values);

bool Uses(const Expr& root, std::string_view name);
void CollectNames(const Expr& root, std::set<std::string>& names);

// Nodes of the tree when nothing is shared, and its height (a leaf has 1).
int64_t TreeSize(const Expr& root);
int TreeHeight(const Expr& root);

}  // namespace kiln

#endif  // KILN_COMPILER_EXPR_VISIT_H_
