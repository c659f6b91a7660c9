// dst[i, :] = table[index[i], :]: rows by an index tile, in vectors.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/lower/cuda/elements.h"
#include "compiler/lower/cuda/operations.h"
#include "compiler/specialize/type.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {

absl::Status LowerGather(Lowering& lower, const ir::StmtNode& stmt) {
  const Expr &dst_ref = stmt.value->args[0], &index_ref = stmt.value->args[2];
  KILN_ASSIGN_OR_RETURN(Operand dst, ResolveOperand(dst_ref, lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand table, ResolveOperand(stmt.value->args[1], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand index, ResolveOperand(index_ref, lower.tensors()));
  if (dst.dims.size() != 2 || table.dims.size() != 2 || index.dims.size() != 1)
    return absl::InvalidArgumentError("lower: gather: expected (rows of a matrix, matrix, vector of row numbers)");
  if (index.tensor->space == ir::Space::kLocal)
    return absl::UnimplementedError(absl::StrCat("lower: gather: the index tile ", index.tensor->name,
                                                 " is in registers; name it in global or shared memory"));
  if (table.tensor->space == ir::Space::kLocal)
    return absl::UnimplementedError("lower: gather: the table is in registers");
  lower.SyncBeforeRead(index);
  lower.SyncBeforeRead(table);
  lower.SyncBeforeWrite(dst);
  const bool local = dst.tensor->space == ir::Space::kLocal;
  KILN_ASSIGN_OR_RETURN(Spread spread, SpreadOf(lower, &dst, stmt.value->args[1], dst_ref->type.shape));
  const DType to = dst.tensor->dtype, from = table.tensor->dtype;
  const int64_t width = spread.width;
  Expr destination = TensorVar(dst.tensor->name, to), source = TensorVar(table.tensor->name, from);

  ForEachRun(lower, spread, /*once=*/!local, [&](const Run& run) {
    const std::vector<Expr> at_index = {run.coords[0]};
    std::string name = lower.Fresh("from");
    Expr row = Var(name, IndexType());
    lower.Add(ir::Mutable(name, DType::kI64, I(-1)));  // No row: zeros
    lower.When(GuardOf(index, at_index, lower.facts), [&] {
      Expr loaded =
          Element(TensorVar(index.tensor->name, index.tensor->dtype), AddressOf(index, at_index, lower.facts));
      lower.Add(ir::Assign(row, ConvertTo(loaded, DType::kI64)));
    });
    Expr registers = lower.Registers(table.tensor->name + "_v", from, width);
    const std::vector<Expr> coords = {row, run.coords[1]};
    Expr valid = WithType(And(WithType(Binary(Op::kGe, row, I(0)), {DType::kBool}),
                              WithType(Lt(row, table.dims[0].extent), {DType::kBool})),
                          {DType::kBool});
    Expr zero = WithType(Cast({from, ""}, WithType(Float(0), {DType::kF32})), {from});
    if (!IsFloat(from)) zero = WithType(Int(0, from), {from});
    if (from == DType::kF32) zero = WithType(Float(0), {from});
    auto clear = [&](int64_t n) { lower.Unroll("z", n, [&](Expr v) { lower.Add(ir::Store(registers, v, zero)); }); };
    if (VectorWidth(table, width, lower.facts) == width) {
      lower.When(
          Both(valid, GuardOf(table, {I(0), run.coords[1]}, lower.facts)),
          [&] {
            lower.Add(ir::Store(registers, I(0),
                                Element(source, AddressOf(table, coords, lower.facts), static_cast<int>(width))));
          },
          [&] { clear(width); });
    } else {
      lower.Unroll("v", width, [&](Expr v) {
        std::vector<Expr> at = {row, AddI(run.coords[1], v)};
        lower.When(
            Both(valid, GuardOf(table, {I(0), at[1]}, lower.facts)),
            [&] { lower.Add(ir::Store(registers, v, Element(source, AddressOf(table, at, lower.facts)))); },
            [&] { lower.Add(ir::Store(registers, v, zero)); });
      });
    }
    lower.Unroll("v", width, [&](Expr v) {
      std::vector<Expr> at = {run.coords[0], lower.Simple(AddI(run.coords[1], v))};
      Expr element = ConvertTo(Element(registers, v), to);
      if (local) {
        Expr slot = SlotOf(*dst.tensor->distribution, RootIndices(dst, at, lower.facts), lower.facts);
        if (slot) lower.Add(ir::Store(destination, slot, element));
      } else {
        lower.When(GuardOf(dst, at, lower.facts),
                   [&] { lower.Add(ir::Store(destination, AddressOf(dst, at, lower.facts), element)); });
      }
    });
  });
  return absl::OkStatus();
}

}  // namespace kiln::cuda
