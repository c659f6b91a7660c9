// dst = src: rows of 16 bytes from shared memory into fragments, 8 x 8 elements a matrix, up to four at once.
#include "absl/strings/str_cat.h"
#include "compiler/lower/cuda/fragments.h"
#include "compiler/lower/cuda/operations.h"
#include "compiler/rules/matrix_fragments.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {

absl::Status LowerLdMatrix(Lowering& lower, const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Operand dst, ResolveOperand(stmt.value->args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand src, ResolveOperand(stmt.value->args[1], lower.tensors()));
  std::string why;
  const std::optional<MatrixFragments> fragments = MatrixFragmentsOf(*dst.tensor->distribution, &why);
  KILN_CHECK(fragments.has_value(), why);
  lower.SyncBeforeRead(src);

  Expr to = TensorVar(dst.tensor->name, dst.tensor->dtype), from = TensorVar(src.tensor->name, src.tensor->dtype);
  const std::vector<Expr> row = LaneRow(*fragments, dst.dims.size(), lower.facts);
  ForEachFragment(lower, *fragments, row, I(0), [&](const Expr& slot, const std::vector<Expr>& at) {
    lower.Add(ir::Eval(Intrinsic("ldmatrix", {to, slot, from, AddressOf(src, at, lower.facts), I(fragments->count),
                                              WithType(Bool(fragments->transposed), {DType::kBool})})));
  });
  return absl::OkStatus();
}

}  // namespace kiln::cuda
