#include <algorithm>

#include "compiler/lower/cuda/elements.h"
#include "compiler/lower/cuda/operations.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {

absl::Status LowerCpAsync(Lowering& lower, const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Operand dst, ResolveOperand(stmt.value->args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand src, ResolveOperand(stmt.value->args[1], lower.tensors()));
  const int64_t bits = Bits(dst.tensor->dtype);
  const int64_t width = std::min(VectorWidth(dst, 128 / bits, lower.facts), VectorWidth(src, 128 / bits, lower.facts));
  const int64_t bytes = width * bits / 8;

  Spread spread;
  spread.shape = stmt.value->args[0]->type.shape;
  spread.width = width;
  std::vector<int64_t> shape;
  for (const Expr& extent : spread.shape) {
    int64_t value;
    KILN_CHECK(IsConst(extent, &value));
    shape.push_back(value);
  }
  spread.distribution = RowMajorDistribution(shape, lower.threads(), width);

  if (lower.barriers.NeedsBeforeWrite(dst.tensor->name)) lower.SyncNow();
  lower.barriers.WriteAsync(dst.tensor->name);
  Expr to = TensorVar(dst.tensor->name, dst.tensor->dtype), from = TensorVar(src.tensor->name, src.tensor->dtype);
  ForEachRun(lower, spread, /*once=*/true, [&](const Run& run) {
    Expr guard = GuardOf(src, run.coords, lower.facts);
    Expr read = guard ? WithType(Select(guard, I(bytes), I(0)), IndexType()) : I(bytes);
    lower.Add(ir::Eval(Intrinsic("cp_async", {to, AddressOf(dst, run.coords, lower.facts), from,
                                              AddressOf(src, run.coords, lower.facts), I(bytes), read})));
  });
  return absl::OkStatus();
}

}  // namespace kiln::cuda
