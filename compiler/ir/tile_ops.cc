#include "compiler/ir/tile_ops.h"

namespace kiln::ir {
namespace {

constexpr TileOpRow kRows[] = {
    {TileOpKind::kCopy, "copy", 2, "fill", false, 0},
    {TileOpKind::kCopyAsync, "copy_async", 2, "fill", false, 0},
    {TileOpKind::kFill, "fill", 2, "", false, 0},
    {TileOpKind::kMap, "map", 2, "", false, 0},
    {TileOpKind::kPermuteLayout, "permute_layout", 2, "", false, 0},
    {TileOpKind::kGemm, "gemm", 3, "accumulate trans_a trans_b", false, 0},
    {TileOpKind::kGemmAsync, "gemm_async", 3, "accumulate trans_a trans_b", false, 0},
    {TileOpKind::kSum, "sum", 1, "axis", true, -1},
    {TileOpKind::kMax, "max", 1, "axis", true, -1},
    {TileOpKind::kMin, "min", 1, "axis", true, -1},
    {TileOpKind::kProd, "prod", 1, "axis", true, -1},
    {TileOpKind::kAny, "any", 1, "axis", true, -1},
    {TileOpKind::kGather, "gather", 3, "fill", false, 0},
    {TileOpKind::kScatter, "scatter", 3, "", false, 0},
    {TileOpKind::kAtomicAdd, "atomic_add", 2, "", false, 0},
    {TileOpKind::kAtomicMax, "atomic_max", 2, "", false, 0},
    {TileOpKind::kAtomicMin, "atomic_min", 2, "", false, 0},
    {TileOpKind::kSync, "sync", 0, "", false, -1},
    {TileOpKind::kWaitCopy, "wait_copy", 0, "pending", false, -1},
    {TileOpKind::kWaitGemm, "wait_gemm", 0, "pending", false, -1},
    {TileOpKind::kWaitStore, "wait_store", 0, "pending visible", false, -1},
    {TileOpKind::kPush, "push", 0, "", true, -1},
    {TileOpKind::kPop, "pop", 0, "", true, -1},
    {TileOpKind::kRelease, "release", 0, "", false, -1},
};

}  // namespace

std::span<const TileOpRow> TileOps() { return kRows; }

const TileOpRow* FindTileOp(std::string_view name) {
  for (const TileOpRow& row : kRows)
    if (row.name == name) return &row;
  return nullptr;
}

const TileOpRow* FindTileOp(TileOpKind op) {
  for (const TileOpRow& row : kRows)
    if (row.op == op) return &row;
  return nullptr;
}

bool IsRingOp(TileOpKind op) { return op >= TileOpKind::kPush && op <= TileOpKind::kRelease; }

bool IsByThread(const Node& reduction) {
  return reduction.tile.op >= TileOpKind::kSum && reduction.tile.op <= TileOpKind::kAny &&
         reduction.tile.team == Team::kThread && reduction.type.tile &&
         reduction.type.shape.size() == reduction.args[0]->type.shape.size();
}

}  // namespace kiln::ir
