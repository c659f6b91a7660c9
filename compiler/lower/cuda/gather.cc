// Rows by an index tile, in vectors: gather, dst[i, :] = table[index[i], :]; scatter, table[index[i], :] = src[i, :].
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/lower/cuda/elements.h"
#include "compiler/lower/cuda/operations.h"
#include "compiler/specialize/type.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

// The row that element `i` of an index tile names; -1 past its edge.
Expr RowNumber(Lowering& lower, const Operand& index, const Expr& i) {
  std::string name = lower.Fresh("row");
  Expr row = Var(name, IndexType());
  lower.Add(ir::Mutable(name, DType::kI64, I(-1)));
  lower.When(GuardOf(index, {i}, lower.facts), [&] {
    Expr loaded = Element(TensorVar(index.tensor->name, index.tensor->dtype), AddressOf(index, {i}, lower.facts));
    lower.Add(ir::Assign(row, ConvertTo(loaded, DType::kI64)));
  });
  return row;
}

Expr InTable(const Expr& row, const Operand& table) {
  return Both(WithType(Binary(Op::kGe, row, I(0)), {DType::kBool}), LessI(row, table.dims[0].extent));
}

}  // namespace

absl::Status LowerGather(Lowering& lower, const ir::StmtNode& stmt) {
  const Expr &dst_ref = stmt.value->args[0], &index_ref = stmt.value->args[2];
  KILN_ASSIGN_OR_RETURN(Operand dst, ResolveOperand(dst_ref, lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand table, ResolveOperand(stmt.value->args[1], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand index, ResolveOperand(index_ref, lower.tensors()));
  if (dst.dims.size() != 2 || table.dims.size() != 2 || index.dims.size() != 1)
    return absl::InvalidArgumentError("lower: gather: expected (rows of a matrix, matrix, vector of row numbers)");
  lower.SyncBeforeRead(index);
  lower.SyncBeforeRead(table);
  lower.SyncBeforeWrite(dst);
  const bool local = dst.tensor->space == ir::Space::kLocal;
  KILN_ASSIGN_OR_RETURN(Spread spread, SpreadOf(lower, &dst, stmt.value->args[1], dst_ref->type.shape));
  const DType to = dst.tensor->dtype, from = table.tensor->dtype;
  const int64_t width = spread.width;
  Expr destination = TensorVar(dst.tensor->name, to), source = TensorVar(table.tensor->name, from);

  ForEachRun(lower, spread, /*once=*/!local, [&](const Run& run) {
    Expr row = RowNumber(lower, index, run.coords[0]);
    Expr registers = lower.Registers(table.tensor->name + "_v", from, width);
    const std::vector<Expr> coords = {row, run.coords[1]};
    Expr valid = InTable(row, table);
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

absl::Status LowerScatter(Lowering& lower, const ir::StmtNode& stmt) {
  const Expr& src_ref = stmt.value->args[2];
  KILN_ASSIGN_OR_RETURN(Operand table, ResolveOperand(stmt.value->args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand index, ResolveOperand(stmt.value->args[1], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand src, ResolveOperand(src_ref, lower.tensors()));
  if (table.dims.size() != 2 || src.dims.size() != 2 || index.dims.size() != 1)
    return absl::InvalidArgumentError("lower: scatter: expected (matrix, vector of row numbers, rows of a matrix)");
  KILN_ASSIGN_OR_RETURN(Spread spread, SpreadOf(lower, nullptr, src_ref, src_ref->type.shape));
  KILN_ASSIGN_OR_RETURN(Expr rows, MoveLeaves(lower, src_ref, spread));
  KILN_RETURN_IF_ERROR(SyncReads(lower, rows));
  lower.SyncBeforeRead(index);
  lower.SyncBeforeWrite(table);
  const DType to = table.tensor->dtype;
  Expr destination = TensorVar(table.tensor->name, to);

  absl::Status status;
  ForEachRun(lower, spread, /*once=*/true, [&](const Run& run) {
    Expr row = RowNumber(lower, index, run.coords[0]);
    Expr inside = InTable(row, table);
    if (src.tensor->space != ir::Space::kLocal)  // Rows past the source's edge are none.
      inside = Both(inside, GuardOf(src, {run.coords[0], I(0)}, lower.facts));
    auto emit = [&]() -> absl::Status {
      KILN_ASSIGN_OR_RETURN(RunValue value, RunValue::Make(lower, rows, run));
      Expr packed = lower.Registers(table.tensor->name + "_w", to, run.width);
      absl::Status inner;
      lower.Unroll("v", run.width, [&](Expr v) {
        auto element = value.At(lower, v);
        if (element.ok())
          lower.Add(ir::Store(packed, v, ConvertTo(*element, to)));
        else
          inner = element.status();
      });
      KILN_RETURN_IF_ERROR(inner);
      auto store = [&](const Expr& v, int64_t count) {
        std::vector<Expr> at = {row, lower.Simple(AddI(run.coords[1], v))};
        lower.When(GuardOf(table, at, lower.facts), [&] {
          lower.Add(
              ir::Store(destination, AddressOf(table, at, lower.facts), Element(packed, v, static_cast<int>(count))));
        });
      };
      if (VectorWidth(table, run.width, lower.facts) == run.width)
        store(I(0), run.width);
      else
        lower.Unroll("v", run.width, [&](Expr v) { store(v, 1); });
      return absl::OkStatus();
    };
    lower.When(inside, [&] {
      if (status.ok()) status = emit();
    });
  });
  return status;
}

}  // namespace kiln::cuda
