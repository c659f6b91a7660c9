// dst = src: fragments of registers to rows of 16 bytes in shared memory, 8 x 8 elements a matrix, up to four at once.
#include "compiler/rules/stmatrix.h"

#include <utility>

#include "compiler/lower/cuda/fragments.h"
#include "compiler/lower/cuda/operations.h"
#include "compiler/rules/matrix_fragments.h"
#include "compiler/specialize/type.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

Expr Pair(const Expr& low, const Expr& high, DType dtype) {
  Node pack;
  pack.kind = ExprKind::kCall;
  pack.name = "pack2";
  pack.dtype.dtype = dtype;
  pack.args = {ConvertTo(low, DType::kF32), ConvertTo(high, DType::kF32)};
  pack.type = {dtype, 2};
  return MakeExpr(std::move(pack));
}

}  // namespace

absl::Status LowerStMatrix(Lowering& lower, const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Operand dst, ResolveOperand(stmt.value->args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand src, ResolveOperand(stmt.value->args[1], lower.tensors()));
  std::string why;
  const std::optional<RegisterSlice> slice = RegisterSliceOf(src, lower.facts, &why);
  KILN_CHECK(slice.has_value(), why);
  const std::optional<MatrixFragments> fragments = MatrixFragmentsOf(slice->distribution, &why);
  KILN_CHECK(fragments.has_value(), why);
  lower.SyncBeforeWrite(dst);

  const std::vector<Expr> row = LaneRow(*fragments, dst.dims.size(), lower.facts);
  const DType dtype = dst.tensor->dtype;
  Expr to = TensorVar(dst.tensor->name, dtype), from = TensorVar(src.tensor->name, src.tensor->dtype);
  ForEachFragment(lower, *fragments, row, slice->first, [&](const Expr& slot, const std::vector<Expr>& at) {
    Expr packed = lower.Registers(dst.tensor->name + "_w", dtype, fragments->count * 2);
    lower.Unroll("v", fragments->count, [&](Expr v) {
      Expr even = lower.Simple(MulI(v, 2)), first = lower.Simple(AddI(slot, even));
      Expr low = Element(from, first), high = Element(from, lower.Simple(AddI(first, I(1))));
      lower.Add(ir::Store(packed, even, Pair(low, high, dtype)));
    });
    lower.Add(ir::Eval(Intrinsic("stmatrix", {to, AddressOf(dst, at, lower.facts), packed, I(0), I(fragments->count),
                                              WithType(Bool(fragments->transposed), {DType::kBool})})));
  });
  return absl::OkStatus();
}

}  // namespace kiln::cuda
