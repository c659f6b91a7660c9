// Warp matrix products, mma.sync m16n8k{8,16,32}. A k step is always 32 bytes of an operand row; ldmatrix brings
// 16-byte rows.
#include <utility>

#include "compiler/lower/cuda/operations.h"
#include "compiler/rules/site.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

struct Shape {
  int64_t warp_m, warp_n;  // Of one warp's part
  int64_t k;
  int64_t step;  // Elements of k an mma takes
  int64_t half;  // Elements of 16 bytes
};

Expr Lane(int64_t divide, int64_t modulo, int64_t scale) {
  Expr lane = Var("lane_id", IndexType());
  Expr part = WithType(Mod(WithType(FloorDiv(lane, I(divide)), IndexType()), I(modulo)), IndexType());
  return MulI(part, scale);
}

// The first coordinate of this warp's rows or columns, from the warp digit that leads the accumulator's dimension.
Expr WarpStart(Lowering& lower, const Distribution& accumulator, size_t dim) {
  for (const Digit& digit : accumulator.dims[dim])
    if (digit.axis == DigitAxis::kWarp) return MulI(DigitValue(digit, lower.facts), digit.weight);
  return I(0);
}

int64_t WarpPart(const Distribution& accumulator, size_t dim) {
  int64_t extent = accumulator.Padded()[dim];
  for (const Digit& digit : accumulator.dims[dim])
    if (digit.axis == DigitAxis::kWarp) extent /= digit.extent;
  return extent;
}

// Loads 16 x (32 B) pieces of a: registers hold, for each of `tiles` pieces, four matrices in fragment order.
void LoadA(Lowering& lower, const Operand& a, bool transposed, const Shape& shape, const Expr& m0, const Expr& k0,
           const Expr& registers) {
  lower.Unroll("mi", shape.warp_m / 16, [&](Expr mi) {
    Expr row = AddI(m0, MulI(mi, 16)), col = k0;
    std::vector<Expr> at;
    if (transposed)  // Stored [K, M]: the rows of a matrix run along k.
      at = {AddI(AddI(col, Lane(1, 8, 1)), Lane(16, 2, 8)), AddI(row, Lane(8, 2, 8))};
    else
      at = {AddI(row, Lane(1, 16, 1)), AddI(col, Lane(16, 2, shape.half))};
    Expr source = TensorVar(a.tensor->name, a.tensor->dtype);
    lower.Add(ir::Eval(
        Intrinsic("ldmatrix", {registers, lower.Simple(MulI(mi, 4 * shape.half / 4)), source,
                               AddressOf(a, at, lower.facts), I(4), WithType(Bool(transposed), {DType::kBool})})));
  });
}

// Loads (32 B) x 8 pieces of b, two at a time.
void LoadB(Lowering& lower, const Operand& b, bool n_major, const Shape& shape, const Expr& n0, const Expr& k0,
           const Expr& registers) {
  const int64_t tiles = shape.warp_n / 8, slots = 2 * shape.half / 4;
  auto load = [&](const Expr& ni, int64_t count) {
    Expr col = AddI(n0, MulI(ni, 8));
    std::vector<Expr> at;
    if (n_major)  // Stored [N, K].
      at = {AddI(AddI(col, Lane(1, 8, 1)), count == 4 ? Lane(16, 2, 8) : I(0)), AddI(k0, Lane(8, 2, shape.half))};
    else  // Stored [K, N]: transposed on the way.
      at = {AddI(k0, Lane(1, 16, 1)), AddI(col, count == 4 ? Lane(16, 2, 8) : I(0))};
    Expr source = TensorVar(b.tensor->name, b.tensor->dtype);
    lower.Add(
        ir::Eval(Intrinsic("ldmatrix", {registers, lower.Simple(MulI(ni, slots)), source, AddressOf(b, at, lower.facts),
                                        I(count), WithType(Bool(!n_major), {DType::kBool})})));
  };
  lower.Unroll("np", tiles / 2, [&](Expr pair) { load(MulI(pair, 2), 4); });
  if (tiles % 2) load(I(tiles - 1), 2);
}

}  // namespace

absl::Status LowerGemmMma(Lowering& lower, const ir::StmtNode& stmt) {
  const Node& op = *stmt.value;
  KILN_ASSIGN_OR_RETURN(Operand c, ResolveOperand(op.args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand a, ResolveOperand(op.args[1], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand b, ResolveOperand(op.args[2], lower.tensors()));
  const bool trans_a = Flag(op, "trans_a"), trans_b = Flag(op, "trans_b");
  const DType dtype = a.tensor->dtype;
  const Distribution& acc_layout = *c.tensor->distribution;
  Shape shape;
  shape.warp_m = WarpPart(acc_layout, 0);
  shape.warp_n = WarpPart(acc_layout, 1);
  KILN_CHECK(IsConst(a.dims[trans_a ? 0 : 1].extent, &shape.k));
  shape.step = 256 / Bits(dtype);
  shape.half = shape.step / 2;
  const int64_t a_slots = 4 * shape.half / 4, b_slots = 2 * shape.half / 4, mt = shape.warp_m / 16,
                nt = shape.warp_n / 8;

  lower.SyncBeforeRead(a);
  lower.SyncBeforeRead(b);
  Expr acc = TensorVar(c.tensor->name, c.tensor->dtype);
  if (Expr accumulate = FindAttr(op, "accumulate");
      accumulate && !(accumulate->kind == ExprKind::kBool && accumulate->int_value)) {
    Expr zero = IsFloat(acc->type.dtype) ? WithType(Float(0), {DType::kF32})
                                         : WithType(Int(0, acc->type.dtype), {acc->type.dtype});
    Expr fresh = accumulate->kind == ExprKind::kBool ? nullptr : WithType(Unary(Op::kNot, accumulate), {DType::kBool});
    lower.When(fresh, [&] { lower.Unroll("i", mt * nt * 4, [&](Expr i) { lower.Add(ir::Store(acc, i, zero)); }); });
  }

  const bool a_local = a.tensor->space == ir::Space::kLocal;
  Expr m0 = WarpStart(lower, acc_layout, 0), n0 = WarpStart(lower, acc_layout, 1);
  const int64_t steps = shape.k / shape.step;
  Expr a_regs =
      a_local ? TensorVar(a.tensor->name, dtype) : lower.Registers(a.tensor->name + "_frag", dtype, mt * a_slots);
  Expr b_regs = lower.Registers(b.tensor->name + "_frag", dtype, nt * b_slots);
  lower.Unroll("ks", steps, [&](Expr ks) {
    Expr k0 = MulI(ks, shape.step);
    if (!a_local) LoadA(lower, a, trans_a, shape, m0, k0, a_regs);
    LoadB(lower, b, trans_b, shape, n0, k0, b_regs);
    lower.Unroll("mi", mt, [&](Expr mi) {
      lower.Unroll("ni", nt, [&](Expr ni) {
        // A tile of registers is laid out as accumulators are: 16 x 16 pieces, k fastest.
        Expr a_slot = a_local ? AddI(MulI(mi, steps * a_slots), MulI(ks, a_slots)) : MulI(mi, a_slots);
        lower.Add(
            ir::Eval(Intrinsic("mma", {acc, lower.Simple(AddI(MulI(mi, nt * 4), MulI(ni, 4))), a_regs,
                                       lower.Simple(a_slot), b_regs, lower.Simple(MulI(ni, b_slots)), I(shape.step)})));
      });
    });
  });
  return absl::OkStatus();
}

}  // namespace kiln::cuda
