// Copies between a tile and a source whose rows are its columns: squares of vectors, transposed in registers.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/simplify.h"
#include "compiler/lower/cpu/lowering.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

// The reference that a plain copy reads, through conversions; null when the value is anything else.
const Expr* CopiedReference(const Expr& value) {
  const Expr* e = &value;
  while ((*e)->kind == ExprKind::kCast) e = &(*e)->args[0];
  return IsTileReference(*e) ? e : nullptr;
}

bool HasAtLeast(const Expr& extent, int64_t lanes) {
  int64_t value = 0;
  return IsConst(extent, &value) && value >= lanes;
}

}  // namespace

bool Lowering::IsTranspose(const MapTask& task, const Access& target, const std::vector<Dim>& dims,
                           const Facts& facts) {
  const Expr* reference = CopiedReference(task.value);
  if (!reference || dims.size() != 2 || Bits(target.storage->stored) != 32) return false;
  int lanes = target_.vector_bytes / 4;
  if (!HasAtLeast(dims[0].extent, lanes) || !HasAtLeast(dims[1].extent, lanes)) return false;
  std::vector<Expr> index;
  for (const Dim& dim : dims) index.push_back(Var(dim.var));
  // The target's own order of dimensions, by which the reference is indexed as well.
  std::vector<Expr> logical = target.index;
  if (task.target->kind != ExprKind::kVar || logical.size() != 2) return false;
  absl::StatusOr<Access> source = Resolve(*reference, logical, facts);
  return source.ok() && ContiguousAlong(target, dims[1].var, lanes, facts) &&
         ContiguousAlong(*source, dims[0].var, lanes, facts) && !ContiguousAlong(*source, dims[1].var, lanes, facts);
}

absl::Status Lowering::LowerTranspose(const MapTask& task, const Access& target, std::vector<Dim> dims,
                                      const std::vector<Expr>& index, ir::Block& out) {
  // In this order the target is contiguous along `column` and the source along `row`.
  const int lanes = target_.vector_bytes / 4;
  Nest nest(dims, 1, 1, scope_.facts);
  std::vector<Access> reads;
  KILN_RETURN_IF_ERROR(CollectAccesses(task.value, index, nest.InnerFacts(), reads));
  KILN_RETURN_IF_ERROR(PlanNest(target, reads, nest, out));

  // Squares cover what is whole in both directions; the rest goes element by element.
  bool checked = std::any_of(nest.guards().begin(), nest.guards().end(),
                             [](const Guard& guard) { return guard.kind == Guard::Kind::kElement; });
  std::vector<Expr> whole;
  for (int d = 0; d < 2; ++d)
    whole.push_back(checked ? Int(0) : Simplify(nest.Main(d) - Mod(nest.Main(d), Int(lanes)), scope_.facts));
  const Expr row = Var(dims[0].var), column = Var(dims[1].var);
  // Seen from the source, a square's rows are vectors along `row`.
  Nest across({{dims[1].var, dims[1].extent}, {dims[0].var, dims[0].extent}}, lanes, 1, scope_.facts);
  Nest along(dims, lanes, 1, scope_.facts);
  across.Plan(nest.guards());
  along.Plan(nest.guards());
  ir::Block square;
  std::vector<Expr> vectors;
  for (int i = 0; i < lanes; ++i) {
    Point point;
    point.lanes = lanes;
    point.edge = {false, false};
    point.index = {i ? column + Int(i) : column, row};
    KILN_ASSIGN_OR_RETURN(Expr value, Element(task.value, index, across, point, nullptr));
    std::string name = Fresh("row");
    square.push_back(ir::Let(name, Cast({target.storage->stored, ""}, value)));
    vectors.push_back(Var(name));
  }
  for (int step = 1; step < lanes; step *= 2) {
    std::vector<Expr> zipped;
    for (int i = 0; i < lanes / 2; ++i) {
      for (const char* half : {"zip_low", "zip_high"}) {
        std::string name = Fresh("zip");
        square.push_back(ir::Let(name, Call(half, {vectors[i], vectors[i + lanes / 2]})));
        zipped.push_back(Var(name));
      }
    }
    vectors = std::move(zipped);
  }
  for (int i = 0; i < lanes; ++i) {
    Point point;
    point.lanes = lanes;
    point.edge = {false, false};
    point.index = {i ? row + Int(i) : row, column};
    Expr value = WithType(vectors[i], {target.storage->logical, lanes});
    KILN_RETURN_IF_ERROR(StoreElement(target, along, point, value, false, square));
  }
  ir::Block columns = {ir::For(dims[0].var, Int(0), whole[0], std::move(square), ir::LoopKind::kSerial, Int(lanes))};
  out.push_back(ir::For(dims[1].var, Int(0), whole[1], std::move(columns), ir::LoopKind::kSerial, Int(lanes)));

  auto element = [&](ir::Block& body) -> absl::Status {
    Point point;
    point.edge = {true, true};
    point.index = {row, column};
    KILN_ASSIGN_OR_RETURN(Expr value, Element(task.value, index, nest, point, task.fill));
    return StoreElement(target, nest, point, value, false, body);
  };
  auto rest = [&](const Expr& row_begin, const Expr& row_end, const Expr& column_begin,
                  const Expr& column_end) -> absl::Status {
    if (Equal(row_begin, row_end) || Equal(column_begin, column_end)) return absl::OkStatus();
    ir::Block body;
    KILN_RETURN_IF_ERROR(element(body));
    ir::Block inner = {ir::For(dims[1].var, column_begin, column_end, std::move(body))};
    out.push_back(ir::For(dims[0].var, row_begin, row_end, std::move(inner)));
    return absl::OkStatus();
  };
  KILN_RETURN_IF_ERROR(rest(Int(0), nest.End(0), whole[1], nest.End(1)));
  KILN_RETURN_IF_ERROR(rest(whole[0], nest.End(0), Int(0), whole[1]));
  NoteValid(task, nest, index);
  return absl::OkStatus();
}

}  // namespace kiln::cpu
