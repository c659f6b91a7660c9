// Walking and rewriting statements, the counterpart of compiler/expr/visit.h. Results share with their input whatever
// did not change. Pure; thread-safe.
#ifndef KILN_COMPILER_IR_VISIT_H_
#define KILN_COMPILER_IR_VISIT_H_

#include <functional>
#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

// The name a statement brings into its block (let, var, alloc) or its body (for); empty for the others.
const std::string& DeclaredName(const StmtNode& stmt);

// Every statement, nested ones included, in program order, parents first.
void ForEachStmt(const Block& block, absl::FunctionRef<void(const Stmt&)> fn);

// The expressions of one statement (shape, target, value, begin, end, step, stages), not of its body.
void ForEachRoot(const StmtNode& stmt, absl::FunctionRef<void(const Expr&)> fn);

// Every expression node of every statement, nested ones included, in program order, parents first.
void ForEachExpr(const Block& block, absl::FunctionRef<void(const Expr&)> fn);

// Each root expression of each statement replaced by `fn` of it. Compose with kiln::Rewrite to reach inner nodes.
Stmt RewriteRoots(const Stmt& stmt, absl::FunctionRef<Expr(const Expr&)> fn);
Block RewriteRoots(const Block& block, absl::FunctionRef<Expr(const Expr&)> fn);

// Every expression node, bottom-up (kiln::Rewrite on each root).
Block RewriteExprs(const Block& block, absl::FunctionRef<Expr(const Expr&)> fn);

// Bottom-up: `fn` sees each statement with its bodies already rewritten and returns what takes its place: {stmt} keeps
// it, {} drops it.
Block RewriteStmts(const Block& block, absl::FunctionRef<Block(const Stmt&)> fn);

// Each variable in `values` replaced where it is visible: a statement that declares the name hides it for the rest of
// its block. REQUIRES: no value uses a name that `block` declares.
Block Substitute(const Block& block, const Substitution& values);

// Dtype meta-parameters bound, in declarations, casts, literals and reinterpretations.
Expr BindDTypes(const Expr& expr, const std::map<std::string, DType>& values);
Block BindDTypes(const Block& block, const std::map<std::string, DType>& values);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_VISIT_H_
