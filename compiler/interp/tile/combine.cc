#include "compiler/interp/tile/combine.h"

#include "compiler/interp/arith.h"

namespace kiln::interp {
namespace {

Slot Combined(Op op, DType dtype, Slot a, Slot b) {
  DType compute = ComputeType(dtype);
  Slot result;
  ApplyBinary(op, compute, &a, 0, &b, 0, 1, &result);  // Additions and minima have no fault.
  return Convert(dtype, compute, result);
}
Slot AddCombine(DType dtype, Slot a, Slot b) { return Combined(Op::kAdd, dtype, a, b); }
Slot MaxCombine(DType dtype, Slot a, Slot b) { return Combined(Op::kMax, dtype, a, b); }
Slot MinCombine(DType dtype, Slot a, Slot b) { return Combined(Op::kMin, dtype, a, b); }

}  // namespace

Combine CombineOf(TileOpKind op) {
  return op == TileOpKind::kAtomicAdd ? AddCombine : op == TileOpKind::kAtomicMax ? MaxCombine : MinCombine;
}

}  // namespace kiln::interp
