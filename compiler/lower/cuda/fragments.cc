#include "compiler/lower/cuda/fragments.h"

namespace kiln::cuda {

std::vector<Expr> LaneRow(const MatrixFragments& fragments, size_t rank, const Facts& facts) {
  std::vector<Expr> at(rank, I(0));
  auto add = [&](size_t dim, const Expr& e) { at[dim] = AddI(at[dim], e); };
  for (const PlacedDigit& warp : fragments.threads)
    add(warp.dim, MulI(DigitValue(warp.digit, facts), warp.digit.weight));
  Expr lane = Var("lane_id", IndexType());
  auto digit = [&](int64_t divide, int64_t modulo) {
    return WithType(Mod(WithType(FloorDiv(lane, I(divide)), IndexType()), I(modulo)), IndexType());
  };
  add(rank - 2, digit(1, 8));
  int64_t lanes = 8;
  for (const PlacedDigit& matrix : fragments.matrices) {
    add(matrix.dim, MulI(digit(lanes, matrix.digit.extent), matrix.digit.weight));
    lanes *= matrix.digit.extent;
  }
  return at;
}

void ForEachFragment(Lowering& lower, const MatrixFragments& fragments, const std::vector<Expr>& row, const Expr& first,
                     absl::FunctionRef<void(const Expr& slot, const std::vector<Expr>& at)> fn) {
  std::vector<Expr> at = row;
  Expr slot = first;
  auto emit = [&](auto&& self, size_t left) -> void {
    if (left == 0) return fn(lower.Simple(slot), at);
    const PlacedDigit& loop = fragments.loops[left - 1];
    const Expr slot_before = slot, at_before = at[loop.dim];
    lower.Unroll(loop.dim + 1 == at.size() ? "j" : "i", loop.digit.extent, [&](Expr v) {
      slot = AddI(slot_before, MulI(v, loop.digit.stride));
      at[loop.dim] = AddI(at_before, MulI(v, loop.digit.weight));
      self(self, left - 1);
    });
    slot = slot_before;
    at[loop.dim] = at_before;
  };
  emit(emit, fragments.loops.size());
}

}  // namespace kiln::cuda
