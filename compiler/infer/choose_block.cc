#include "compiler/infer/choose_block.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/ir/visit.h"
#include "compiler/rules/site.h"
#include "compiler/specialize/gemm_threads.h"

namespace kiln {
namespace {

int64_t ChooseThreads(const ir::Kernel& kernel, const Target& target) {
  int64_t threads = 128;
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    if (e->kind != ExprKind::kTileOp || (e->tile.op != TileOpKind::kGemm && e->tile.op != TileOpKind::kGemmAsync))
      return;
    int64_t m, n;
    if (!IsConst(e->args[0]->type.shape[0], &m) || !IsConst(e->args[0]->type.shape[1], &n)) return;
    threads = std::max(threads, GemmThreads(m, n, e->args[1]->type.dtype, target));
  });
  return threads;
}

}  // namespace

absl::StatusOr<ir::Kernel> ChooseBlock(const ir::Kernel& kernel, const Target& target,
                                       std::vector<std::string>* notes) {
  ir::Kernel out = kernel;
  if (!kernel.launch.block) {
    out.launch.block = WithType(Int(ChooseThreads(kernel, target)), {DType::kI64});
    notes->push_back(absl::StrCat("block: ", ThreadsOf(out), " threads"));
  } else if (!IsConst(kernel.launch.block)) {
    return absl::InvalidArgumentError(absl::StrCat("infer: kernel \"", kernel.name, "\": expected a constant block"));
  }
  if (ThreadsOf(out) < 1 || ThreadsOf(out) > target.max_threads)
    return absl::InvalidArgumentError(absl::StrCat("infer: kernel \"", kernel.name, "\": block of ", ThreadsOf(out),
                                                   " threads, ", target.name, " allows 1 to ", target.max_threads));
  return out;
}

}  // namespace kiln
