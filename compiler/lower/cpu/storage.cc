#include "compiler/lower/cpu/storage.h"

#include "compiler/ir/visit.h"

namespace kiln::cpu {
namespace {

bool IsTrue(const Expr& e) { return e && e->kind == ExprKind::kBool && e->int_value != 0; }

}  // namespace

Expr FlatIndex(const Storage& storage, const std::vector<Expr>& index) {
  Expr sum;
  auto add = [&sum](const Expr& term) { sum = sum ? sum + term : term; };
  for (size_t d = 0; d < index.size(); ++d) {
    if (static_cast<int>(d) == storage.panel_dim) {
      add(FloorDiv(index[d], Int(storage.panel)) * Int(storage.panel_stride));
      add(Mod(index[d], Int(storage.panel)));
    } else if (IsConst(storage.strides[d], 1)) {
      add(index[d]);
    } else {
      add(index[d] * storage.strides[d]);
    }
  }
  return sum ? sum : Int(0);
}

GemmBlock BlockFor(DType dtype, const Target& target) {
  int lanes = target.vector_bytes / static_cast<int>(Bytes(dtype));
  // 32 vector registers with AVX-512 and on Arm, 16 elsewhere.
  bool many = target.vector_bytes == 64 || target.Has("neon");
  return {many ? 14 : 6, 2, lanes};
}

std::map<std::string, Packing> ChoosePacking(const ir::Block& body, const Target& target) {
  std::map<std::string, Packing> packing;
  ir::ForEachExpr(body, [&](const Expr& e) {
    if (e->kind != ExprKind::kTileOp || (e->tile.op != TileOpKind::kGemm && e->tile.op != TileOpKind::kGemmAsync))
      return;
    const Expr &acc = e->args[0], &a = e->args[1], &b = e->args[2];
    DType computed = acc->type.dtype;
    if (IsNarrowFloat(computed)) computed = DType::kF32;
    if (computed != DType::kF32 && computed != DType::kF64 && computed != DType::kI32) return;
    if (a->kind == ExprKind::kVar) packing.insert({a->name, {computed, -1, 0}});
    if (b->kind == ExprKind::kVar) {
      int dim = IsTrue(FindAttr(*e, "trans_b")) ? 0 : 1;
      packing.insert({b->name, {computed, dim, BlockFor(computed, target).columns()}});
    }
  });
  return packing;
}

}  // namespace kiln::cpu
