// gemm: a block of accumulators in registers, A broadcast element by element, B a row of vectors from a packed panel.
//
// For each panel of B the rows of the accumulator go by in blocks; the panel stays in the first cache, the tile of A in
// the second. Each product and sum is one FMA where the CPU has it, in the order of k.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/simplify.h"
#include "compiler/lower/cpu/lowering.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

bool Flag(const Expr& op, const char* name, bool otherwise) {
  Expr value = FindAttr(*op, name);
  return value ? value->int_value != 0 : otherwise;
}

// What one gemm works on; index names i, j, k stand for row, column and depth.
struct Operands {
  Access acc, a, b;
  DType computed = DType::kNone;
  bool accumulate = true;
  Expr depth;  // Products a result
};

// Where an operand lies at (i, j, k).
Expr At(const Access& access, const Expr& i, const Expr& j, const Expr& k, const Facts& facts) {
  std::vector<Expr> index;
  for (const Expr& e : access.index) index.push_back(Substitute(e, {{"gemm.i", i}, {"gemm.j", j}, {"gemm.k", k}}));
  return Simplify(FlatIndex(*access.storage, index), facts);
}

}  // namespace

absl::StatusOr<Expr> Lowering::PackOperand(const Expr& operand, const Packing& packing, Location at, ir::Block& out) {
  std::string name = Fresh(absl::StrCat(RootOf(operand)->name, "_packed"));
  KILN_ASSIGN_OR_RETURN(const Storage* tile,
                        AddTile(name, operand->type.dtype, operand->type.shape, &packing, at, out));
  Expr reference = WithType(Var(tile->name), operand->type);
  KILN_RETURN_IF_ERROR(LowerMap({reference, operand, nullptr, at}, out));
  return reference;
}

absl::Status Lowering::LowerGemm(const Expr& op, Location at, ir::Block& out) {
  const Expr& acc = op->args[0];
  const bool trans_a = Flag(op, "trans_a", false), trans_b = Flag(op, "trans_b", false);
  Operands operands;
  operands.accumulate = Flag(op, "accumulate", true);
  operands.computed = IsNarrowFloat(acc->type.dtype) ? DType::kF32 : acc->type.dtype;
  if (operands.computed != DType::kF32 && operands.computed != DType::kF64 && operands.computed != DType::kI32)
    return Fail(absl::StatusCode::kUnimplemented, at,
                absl::StrCat("gemm: expected an accumulator of f32, f64, i32 or a narrow float, found ",
                             std::string(Name(acc->type.dtype))));
  const GemmBlock block = BlockFor(operands.computed, target_);
  int64_t rows = 0, columns = 0, depth = 0;
  if (!IsConst(acc->type.shape[0], &rows) || !IsConst(acc->type.shape[1], &columns) ||
      !IsConst(op->args[1]->type.shape[trans_a ? 0 : 1], &depth))
    return Fail(absl::StatusCode::kUnimplemented, at, "gemm: expected constant extents");

  const Expr i = Var("gemm.i"), j = Var("gemm.j"), k = Var("gemm.k");
  auto facts = [&] {
    Facts inner = scope_.facts;
    inner["gemm.i"] = {0, std::max<int64_t>(rows, 1) - 1, 1};
    inner["gemm.j"] = {0, std::max<int64_t>(columns, 1) - 1, 1};
    inner["gemm.k"] = {0, std::max<int64_t>(depth, 1) - 1, 1};
    return inner;
  };
  auto in_scratch = [&](const Access& access) {
    return !access.storage->global && access.storage->stored == operands.computed && access.guards.empty();
  };
  Expr a = op->args[1], b = op->args[2];
  KILN_ASSIGN_OR_RETURN(operands.a, Resolve(a, trans_a ? std::vector{k, i} : std::vector{i, k}, facts()));
  if (!in_scratch(operands.a)) {
    KILN_ASSIGN_OR_RETURN(a, PackOperand(a, {operands.computed, -1, 0}, at, out));
    KILN_ASSIGN_OR_RETURN(operands.a, Resolve(a, trans_a ? std::vector{k, i} : std::vector{i, k}, facts()));
  }
  KILN_ASSIGN_OR_RETURN(operands.b, Resolve(b, trans_b ? std::vector{j, k} : std::vector{k, j}, facts()));
  if (!in_scratch(operands.b) || !ContiguousAlong(operands.b, "gemm.j", block.lanes, facts())) {
    KILN_ASSIGN_OR_RETURN(b, PackOperand(b, {operands.computed, trans_b ? 0 : 1, block.columns()}, at, out));
    KILN_ASSIGN_OR_RETURN(operands.b, Resolve(b, trans_b ? std::vector{j, k} : std::vector{k, j}, facts()));
  }
  KILN_ASSIGN_OR_RETURN(operands.acc, Resolve(acc, {i, j}, facts()));
  if (operands.acc.storage->global || !operands.acc.guards.empty() ||
      !ContiguousAlong(operands.acc, "gemm.j", 2, facts()))
    return Fail(absl::StatusCode::kUnimplemented, at,
                absl::StrCat("gemm: expected an accumulator in local or shared memory with contiguous rows, found \"",
                             operands.acc.storage->name, "\""));

  // Rows and columns that hold nothing but zeros add nothing.
  auto valid = [&](const Expr& operand, int dim, int64_t extent) -> Expr {
    auto it = scope_.valid.find(operand->name);
    return it == scope_.valid.end() || operand->kind != ExprKind::kVar ? Int(extent) : it->second[dim];
  };
  const Expr row_end = valid(a, trans_a ? 1 : 0, rows), column_end = valid(b, trans_b ? 0 : 1, columns);
  operands.depth = Simplify(Min(valid(a, trans_a ? 0 : 1, depth), valid(b, trans_b ? 1 : 0, depth)), scope_.facts);
  scope_.valid.erase(operands.acc.storage->name);

  // A block of `height` rows and `width` vectors of `lanes` at (row, column).
  auto micro = [&](int height, int width, int lanes, const Expr& row, const Expr& column, const Facts& known,
                   ir::Block& body) {
    std::vector<Expr> sums;
    auto plus = [&](const Expr& e, int64_t n) { return n ? Simplify(e + Int(n), known) : e; };
    auto place = [&](int r, int v) { return At(operands.acc, plus(row, r), plus(column, v * lanes), Int(0), known); };
    for (int r = 0; r < height; ++r) {
      for (int v = 0; v < width; ++v) {
        std::string name = Fresh("c");
        Expr start = Broadcast(IsFloat(operands.computed) ? Float(0) : Int(0), lanes);
        if (operands.accumulate) start = Load(Var(operands.acc.storage->name), place(r, v), lanes);
        body.push_back(ir::Mutable(name, operands.computed, start));
        sums.push_back(Var(name));
      }
    }
    std::string depth_name = Fresh("k");
    Expr at_depth = Var(depth_name);
    Facts inner = known;
    inner[depth_name] = {0, std::max<int64_t>(depth, 1) - 1, 1};
    ir::Block step;
    std::vector<Expr> row_of_b;
    for (int v = 0; v < width; ++v) {
      std::string name = Fresh("b");
      Expr flat = At(operands.b, Int(0), plus(column, v * lanes), at_depth, inner);
      step.push_back(ir::Let(name, Load(Var(operands.b.storage->name), flat, lanes)));
      row_of_b.push_back(Var(name));
    }
    for (int r = 0; r < height; ++r) {
      std::string name = Fresh("a");
      Expr flat = At(operands.a, plus(row, r), Int(0), at_depth, inner);
      step.push_back(ir::Let(name, Load(Var(operands.a.storage->name), flat)));
      for (int v = 0; v < width; ++v) {
        const Expr& sum = sums[r * width + v];
        step.push_back(ir::Assign(sum, sum + Var(name) * row_of_b[v]));
      }
    }
    body.push_back(ir::For(depth_name, Int(0), operands.depth, std::move(step)));
    for (int r = 0; r < height; ++r)
      for (int v = 0; v < width; ++v)
        body.push_back(ir::Store(Var(operands.acc.storage->name), place(r, v), sums[r * width + v]));
  };

  // All rows of the columns from `column` on.
  auto panel = [&](int width, int lanes, const Expr& column, const Facts& known, ir::Block& body) {
    const int64_t whole = rows / block.rows * block.rows;
    if (whole > 0) {
      std::string name = Fresh("row");
      Facts inner = known;
      inner[name] = {0, whole - block.rows, block.rows};
      ir::Block rows_body;
      micro(block.rows, width, lanes, Var(name), column, inner, rows_body);
      Expr end = IsConst(row_end) ? Int(whole) : Min(Int(whole), CeilDiv(row_end, Int(block.rows)) * Int(block.rows));
      body.push_back(
          ir::For(name, Int(0), Simplify(end, known), std::move(rows_body), ir::LoopKind::kSerial, Int(block.rows)));
    }
    if (rows == whole) return;
    ir::Block rest;
    micro(static_cast<int>(rows - whole), width, lanes, Int(whole), column, known, rest);
    if (IsConst(row_end))
      body.insert(body.end(), rest.begin(), rest.end());
    else
      body.push_back(ir::If(Lt(Int(whole), row_end), std::move(rest)));
  };

  const int64_t whole = columns / block.columns() * block.columns();
  if (whole > 0) {
    std::string name = Fresh("column");
    Facts inner = scope_.facts;
    inner[name] = {0, whole - block.columns(), block.columns()};
    ir::Block body;
    panel(block.vectors, block.lanes, Var(name), inner, body);
    Expr end = IsConst(column_end) ? Int(whole)
                                   : Min(Int(whole), CeilDiv(column_end, Int(block.columns())) * Int(block.columns()));
    out.push_back(ir::For(name, Int(0), Simplify(end, scope_.facts), std::move(body), ir::LoopKind::kSerial,
                          Int(block.columns())));
  }
  int64_t column = whole;
  for (int lanes = block.lanes; lanes >= 1; lanes /= 2) {
    for (; column + lanes <= columns; column += lanes) {
      ir::Block body;
      panel(1, lanes, Int(column), scope_.facts, body);
      out.push_back(ir::If(Bool(true), std::move(body)));
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::cpu
