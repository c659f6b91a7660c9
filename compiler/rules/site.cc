#include "compiler/rules/site.h"

#include <utility>

#include "compiler/expr/visit.h"
#include "compiler/ir/visit.h"
#include "compiler/specialize/bind.h"
#include "compiler/specialize/normalize.h"
#include "compiler/specialize/simplify_body.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;

// Rows are kept whole where they are reduced, or where a product is fed from registers.
GemmPolicy PolicyOf(const ir::Kernel& kernel, const Tensors& tensors) {
  GemmPolicy policy;
  bool gemm = false;
  auto look = [&](const Expr& e) {
    if (e->kind != ExprKind::kTileOp) return;
    if (IsReduction(e->tile.op)) policy.rows_in_warp = true;
    if (e->tile.op != TileOpKind::kGemm && e->tile.op != TileOpKind::kGemmAsync) return;
    gemm = true;
    auto a = tensors.find(RootOf(e->args[1])->name);
    if (a != tensors.end() && a->second.space == ir::Space::kLocal) policy.rows_in_warp = true;
  };
  ir::ForEachExpr(kernel.body, look);
  policy.rows_in_warp &= gemm;
  return policy;
}

class Walker {
 public:
  Walker(const ir::Kernel& kernel, const Target& target, const Tensors& tensors,
         absl::FunctionRef<absl::Status(const Stmt&, OpSite&)> fn)
      : target_(target), tensors_(tensors), fn_(fn), threads_(ThreadsOf(kernel)), policy_(PolicyOf(kernel, tensors)) {}

  absl::Status Run(const Block& block, Facts facts) {
    for (const Stmt& stmt : block) {
      KILN_RETURN_IF_ERROR(Visit(stmt, facts));
      if (stmt->kind == StmtKind::kLet) AddLetFact(*stmt, facts);
      if (stmt->kind == StmtKind::kAssume) facts = Assuming(stmt->value, std::move(facts));
      Facts inner = facts;
      if (stmt->kind == StmtKind::kFor) AddLoopFact(*stmt, inner);
      if (stmt->kind == StmtKind::kIf || stmt->kind == StmtKind::kWhile) inner = Assuming(stmt->value, inner);
      KILN_RETURN_IF_ERROR(Run(stmt->body, std::move(inner)));
      KILN_RETURN_IF_ERROR(Run(stmt->orelse, facts));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Visit(const Stmt& stmt, const Facts& facts) {
    OpSite site;
    site.target = &target_;
    site.threads = threads_;
    site.gemm = policy_;
    site.facts = facts;
    if (auto map = AsMap(*stmt)) {
      site.op = TileOpKind::kMap;
      site.team = map->team;
      site.value = map->value;
      KILN_RETURN_IF_ERROR(AddOperand(map->target, site));
      return fn_(stmt, site);
    }
    const Expr& value = stmt->value;
    if (!value || value->kind != ExprKind::kTileOp) return absl::OkStatus();
    site.op = value->tile.op;
    site.team = value->tile.team;
    site.node = value.get();
    if (IsReduction(site.op)) return VisitReduction(stmt, site);
    for (const Expr& arg : value->args)
      if (IsTileReference(arg)) KILN_RETURN_IF_ERROR(AddOperand(arg, site));
    if (site.op == TileOpKind::kFill) site.value = value->args[1];
    return fn_(stmt, site);
  }

  absl::Status VisitReduction(const Stmt& stmt, OpSite& site) {
    const Expr& value = stmt->value;
    site.value = value->args[0];
    site.result = value->type.dtype;
    if (Expr axis = FindAttr(*value, "axis")) site.axis = static_cast<int>(axis->int_value);
    if (site.axis >= 0 && value->args[0]->type.shape.size() == 1) site.axis = -1;
    if (stmt->kind == StmtKind::kAssign) KILN_RETURN_IF_ERROR(AddOperand(stmt->target, site));
    if (Expr leaf = PrimaryLeaf(site.value, site.value->type.shape, tensors_)) {
      if (site.operands.empty()) site.operands.emplace_back(*ResolveOperand(leaf, tensors_));
      KILN_RETURN_IF_ERROR(AddOperand(leaf, site));
    }
    return fn_(stmt, site);
  }

  absl::Status AddOperand(const Expr& reference, OpSite& site) {
    KILN_ASSIGN_OR_RETURN(Operand operand, ResolveOperand(reference, tensors_));
    site.operands.push_back(std::move(operand));
    return absl::OkStatus();
  }

  const Target& target_;
  const Tensors& tensors_;
  absl::FunctionRef<absl::Status(const Stmt&, OpSite&)> fn_;
  int64_t threads_;
  GemmPolicy policy_;
};

void CollectLeaves(const Expr& value, std::vector<Expr>& out) {
  if (IsTileReference(value)) {
    out.push_back(value);
    return;
  }
  if (value->kind == ExprKind::kIndex) return;  // Reads no element.
  if (value->kind == ExprKind::kLoad) return;   // Reads one, as a scalar.
  for (const Expr& arg : value->args)
    if (arg->type.tile) CollectLeaves(arg, out);
}

}  // namespace

absl::Status ForEachSite(const ir::Kernel& kernel, const Target& target, const Tensors& tensors,
                         absl::FunctionRef<absl::Status(const ir::Stmt&, OpSite&)> fn) {
  return Walker(kernel, target, tensors, fn).Run(kernel.body, FactsOf(kernel));
}

std::vector<Expr> LeavesOf(const Expr& value) {
  std::vector<Expr> out;
  CollectLeaves(value, out);
  return out;
}

Expr PrimaryLeaf(const Expr& value, const std::vector<Expr>& shape, const Tensors& tensors) {
  for (const Expr& leaf : LeavesOf(value)) {
    auto it = tensors.find(RootOf(leaf)->name);
    if (it == tensors.end() || it->second.space != ir::Space::kLocal || leaf->kind != ExprKind::kVar) continue;
    bool same = leaf->type.shape.size() == shape.size();
    for (size_t d = 0; same && d < shape.size(); ++d) same = Equal(leaf->type.shape[d], shape[d]);
    if (same) return leaf;
  }
  return nullptr;
}

int64_t ThreadsOf(const ir::Kernel& kernel) {
  int64_t threads = 1;
  if (kernel.launch.block) IsConst(kernel.launch.block, &threads);
  return threads;
}

}  // namespace kiln
