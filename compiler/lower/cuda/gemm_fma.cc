// Matrix products on CUDA cores: every thread owns a rectangle of the accumulator and walks k.
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/lower/cuda/elements.h"
#include "compiler/lower/cuda/operations.h"
#include "compiler/rules/site.h"
#include "compiler/specialize/type.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

// Calls `body` with the coordinate of each slot along one dimension, and its number.
void ForEachOf(Lowering& lower, const std::vector<Digit>& digits, const char* stem,
               absl::FunctionRef<void(Expr coord, Expr number)> body) {
  Expr start = I(0);
  std::vector<Digit> slots;
  for (const Digit& digit : digits) {
    if (digit.axis == DigitAxis::kSlot)
      slots.push_back(digit);
    else
      start = AddI(start, MulI(DigitValue(digit, lower.facts), digit.weight));
  }
  auto emit = [&](auto&& self, size_t next, Expr coord, Expr number) -> void {
    if (next == slots.size()) {
      body(lower.Simple(coord), lower.Simple(number));
      return;
    }
    lower.Unroll(stem, slots[next].extent, [&](Expr v) {
      self(self, next + 1, AddI(coord, MulI(v, slots[next].weight)), AddI(MulI(number, slots[next].extent), v));
    });
  };
  emit(emit, 0, start, I(0));
}

int64_t Count(const std::vector<Digit>& digits) {
  int64_t count = 1;
  for (const Digit& digit : digits)
    if (digit.axis == DigitAxis::kSlot) count *= digit.extent;
  return count;
}

}  // namespace

absl::Status LowerGemmFma(Lowering& lower, const ir::StmtNode& stmt) {
  const Node& op = *stmt.value;
  KILN_ASSIGN_OR_RETURN(Operand c, ResolveOperand(op.args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand a, ResolveOperand(op.args[1], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand b, ResolveOperand(op.args[2], lower.tensors()));
  const bool trans_a = Flag(op, "trans_a"), trans_b = Flag(op, "trans_b");
  const DType acc_dtype = c.tensor->dtype;
  const Distribution& layout = *c.tensor->distribution;
  Expr k_extent = a.dims[trans_a ? 0 : 1].extent;
  lower.SyncBeforeRead(a);
  lower.SyncBeforeRead(b);
  Expr acc = TensorVar(c.tensor->name, acc_dtype);
  const int64_t rows = Count(layout.dims[0]), cols = Count(layout.dims[1]);
  Expr zero =
      WithType(IsFloat(acc_dtype) ? Float(0, acc_dtype == DType::kF64 ? acc_dtype : DType::kNone) : Int(0, acc_dtype),
               {acc_dtype});
  if (Expr accumulate = FindAttr(op, "accumulate");
      accumulate && !(accumulate->kind == ExprKind::kBool && accumulate->int_value)) {
    Expr fresh = accumulate->kind == ExprKind::kBool ? nullptr : WithType(Unary(Op::kNot, accumulate), {DType::kBool});
    lower.When(fresh, [&] { lower.Unroll("i", layout.Slots(), [&](Expr i) { lower.Add(ir::Store(acc, i, zero)); }); });
  }
  Expr a_regs = lower.Registers(a.tensor->name + "_col", acc_dtype, rows);
  Expr b_regs = lower.Registers(b.tensor->name + "_row", acc_dtype, cols);

  std::string k_name = lower.Fresh("kk");
  int64_t k_const;
  lower.facts[k_name] = {0, IsConst(k_extent, &k_const) ? k_const - 1 : INT64_MAX, 1};
  Expr k = Var(k_name, IndexType());
  // Operands in registers lie in other threads: they are read through shared memory.
  std::map<std::string, Expr> spilled;
  for (const Operand* operand : {&a, &b}) {
    if (operand->tensor->space != ir::Space::kLocal) continue;
    if (!operand->IsWhole())
      return absl::UnimplementedError(
          absl::StrCat("lower: gemm: a part of register tile ", operand->tensor->name, " as operand"));
    if (operand->tensor->owner == Team::kWarpgroup && lower.threads() > 128)
      return absl::UnimplementedError(absl::StrCat("lower: gemm: register tile ", operand->tensor->name,
                                                   " of a warpgroup as operand of CUDA cores"));
    KILN_ASSIGN_OR_RETURN(spilled[operand->tensor->name], SpillTile(lower, *operand->tensor));
  }
  auto load = [&](const Operand& operand, const Expr& row, const Expr& col) {
    if (auto it = spilled.find(operand.tensor->name); it != spilled.end()) {
      Expr flat = AddI(WithType(row * operand.tensor->shape[1], IndexType()), col);
      return std::make_pair(ConvertTo(Element(it->second, lower.Simple(flat)), acc_dtype), Expr());
    }
    Expr element =
        Element(TensorVar(operand.tensor->name, operand.tensor->dtype), AddressOf(operand, {row, col}, lower.facts));
    element = ConvertTo(element, acc_dtype);
    Expr guard = operand.tensor->space == ir::Space::kGlobal ? GuardOf(operand, {row, col}, lower.facts) : nullptr;
    return std::make_pair(element, guard);
  };
  auto fill = [&](const Expr& registers, const Expr& slot, const std::pair<Expr, Expr>& loaded) {
    lower.When(
        loaded.second, [&] { lower.Add(ir::Store(registers, slot, loaded.first)); },
        [&] { lower.Add(ir::Store(registers, slot, zero)); });
  };
  ir::Block body = lower.Inside([&] {
    ForEachOf(lower, layout.dims[0], "i",
              [&](Expr row, Expr number) { fill(a_regs, number, trans_a ? load(a, k, row) : load(a, row, k)); });
    ForEachOf(lower, layout.dims[1], "j",
              [&](Expr col, Expr number) { fill(b_regs, number, trans_b ? load(b, col, k) : load(b, k, col)); });
    ForEachOf(lower, layout.dims[0], "i", [&](Expr row, Expr row_number) {
      ForEachOf(lower, layout.dims[1], "j", [&](Expr col, Expr col_number) {
        Expr slot = SlotOf(layout, {row, col}, lower.facts);
        if (!slot) return;  // Cannot be: the coordinates were made from this layout.
        Expr product =
            WithType(Math(Op::kFma, {Element(a_regs, row_number), Element(b_regs, col_number), Element(acc, slot)}),
                     {acc_dtype});
        if (IsInteger(acc_dtype))
          product = WithType(
              Element(acc, slot) + WithType(Element(a_regs, row_number) * Element(b_regs, col_number), {acc_dtype}),
              {acc_dtype});
        lower.Add(ir::Store(acc, slot, product));
      });
    });
  });
  lower.Add(ir::For(k_name, I(0), k_extent, std::move(body)));
  return absl::OkStatus();
}

}  // namespace kiln::cuda
