#include "compiler/ir/kernel.h"

#include <utility>

namespace kiln::ir {
namespace {

StmtNode Of(StmtKind kind) {
  StmtNode node;
  node.kind = kind;
  return node;
}

}  // namespace

Stmt MakeStmt(StmtNode node) { return std::make_shared<const StmtNode>(std::move(node)); }

Stmt Let(std::string name, Expr value) {
  StmtNode node = Of(StmtKind::kLet);
  node.name = std::move(name);
  node.value = std::move(value);
  return MakeStmt(std::move(node));
}

Stmt Mutable(std::string name, DType dtype, Expr value) {
  StmtNode node = Of(StmtKind::kMutable);
  node.name = std::move(name);
  node.dtype.dtype = dtype;
  node.value = std::move(value);
  return MakeStmt(std::move(node));
}

Stmt Alloc(TensorDecl tensor, Expr init) {
  StmtNode node = Of(StmtKind::kAlloc);
  node.tensor = std::move(tensor);
  node.value = std::move(init);
  return MakeStmt(std::move(node));
}

Stmt Assign(Expr target, Expr value) {
  StmtNode node = Of(StmtKind::kAssign);
  node.target = std::move(target);
  node.value = std::move(value);
  return MakeStmt(std::move(node));
}

Stmt Eval(Expr value) {
  StmtNode node = Of(StmtKind::kEval);
  node.value = std::move(value);
  return MakeStmt(std::move(node));
}

Stmt For(std::string name, Expr begin, Expr end, Block body, LoopKind loop, Expr step) {
  StmtNode node = Of(StmtKind::kFor);
  node.name = std::move(name);
  node.begin = std::move(begin);
  node.end = std::move(end);
  node.body = std::move(body);
  node.loop = loop;
  node.step = std::move(step);
  return MakeStmt(std::move(node));
}

Stmt If(Expr condition, Block then, Block orelse) {
  StmtNode node = Of(StmtKind::kIf);
  node.value = std::move(condition);
  node.body = std::move(then);
  node.orelse = std::move(orelse);
  return MakeStmt(std::move(node));
}

Stmt Store(Expr tensor, Expr index, Expr value) {
  StmtNode node = Of(StmtKind::kStore);
  node.target = std::move(tensor);
  node.begin = std::move(index);
  node.value = std::move(value);
  return MakeStmt(std::move(node));
}

Stmt Assume(Expr condition) {
  StmtNode node = Of(StmtKind::kAssume);
  node.value = std::move(condition);
  return MakeStmt(std::move(node));
}

Stmt Comment(std::string text) {
  StmtNode node = Of(StmtKind::kComment);
  node.text = std::move(text);
  return MakeStmt(std::move(node));
}

const Kernel* FindKernel(const Module& module, std::string_view name) {
  for (const Kernel& kernel : module.kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

}  // namespace kiln::ir
