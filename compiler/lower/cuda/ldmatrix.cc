// dst = src: rows of 16 bytes from shared memory into fragments, 8 x 8 elements a matrix, up to four at once.
#include "absl/strings/str_cat.h"
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

  std::vector<Expr> at(dst.dims.size(), I(0));
  auto add = [&](size_t dim, const Expr& e) { at[dim] = AddI(at[dim], e); };
  for (const PlacedDigit& warp : fragments->threads)
    add(warp.dim, MulI(DigitValue(warp.digit, lower.facts), warp.digit.weight));
  // Lane l gives the address of row l % 8 of matrix l / 8; lanes past the last matrix repeat the first ones.
  Expr lane = Var("lane_id", IndexType());
  auto digit = [&](int64_t divide, int64_t modulo) {
    return WithType(Mod(WithType(FloorDiv(lane, I(divide)), IndexType()), I(modulo)), IndexType());
  };
  add(at.size() - 2, digit(1, 8));
  int64_t lanes = 8;
  for (const PlacedDigit& matrix : fragments->matrices) {
    add(matrix.dim, MulI(digit(lanes, matrix.digit.extent), matrix.digit.weight));
    lanes *= matrix.digit.extent;
  }

  Expr to = TensorVar(dst.tensor->name, dst.tensor->dtype), from = TensorVar(src.tensor->name, src.tensor->dtype);
  Expr slot = I(0);
  auto emit = [&](auto&& self, size_t left) -> void {
    if (left > 0) {
      const PlacedDigit& loop = fragments->loops[left - 1];
      const Expr slot_before = slot, at_before = at[loop.dim];
      lower.Unroll(loop.dim + 1 == at.size() ? "j" : "i", loop.digit.extent, [&](Expr v) {
        slot = AddI(slot_before, MulI(v, loop.digit.stride));
        at[loop.dim] = AddI(at_before, MulI(v, loop.digit.weight));
        self(self, left - 1);
      });
      slot = slot_before;
      at[loop.dim] = at_before;
      return;
    }
    lower.Add(
        ir::Eval(Intrinsic("ldmatrix", {to, lower.Simple(slot), from, AddressOf(src, at, lower.facts),
                                        I(fragments->count), WithType(Bool(fragments->transposed), {DType::kBool})})));
  };
  emit(emit, fragments->loops.size());
  return absl::OkStatus();
}

}  // namespace kiln::cuda
