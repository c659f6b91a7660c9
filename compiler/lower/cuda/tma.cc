// The copy engine: one thread names a box of a global tensor and the slot of a ring that it fills.
#include "compiler/rules/tma.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/lower/cuda/operations.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

int64_t ExtentOf(const OperandDim& dim) {
  int64_t value = 0;
  IsConst(dim.extent, &value);
  return value;
}

// Box extents by dimension of the global tensor, outermost first: whole boxes of the tile's last two, 1 elsewhere.
std::vector<int64_t> BoxOf(const Operand& global, const TmaBoxes& boxes) {
  std::vector<int64_t> out(global.tensor->shape.size(), 1);
  const size_t rank = global.dims.size();
  out[static_cast<size_t>(global.dims[rank - 1].root)] = boxes.columns;
  if (rank > 1) out[static_cast<size_t>(global.dims[rank - 2].root)] = boxes.rows;
  return out;
}

// Calls `fn` with the coordinates, in the tile, of the first element of each box.
void ForEachBox(Lowering& lower, const Operand& tile, const TmaBoxes& boxes, size_t dim, std::vector<Expr> coords,
                absl::FunctionRef<void(const std::vector<Expr>&)> fn) {
  if (dim == tile.dims.size()) return fn(coords);
  const size_t left = tile.dims.size() - dim;
  const int64_t step = left == 1 ? boxes.columns : left == 2 ? boxes.rows : 1;
  lower.Unroll("box", ExtentOf(tile.dims[dim]) / step, [&](Expr i) {
    std::vector<Expr> next = coords;
    next.push_back(lower.Simple(MulI(i, step)));
    ForEachBox(lower, tile, boxes, dim + 1, std::move(next), fn);
  });
}

}  // namespace

absl::Status LowerTma(Lowering& lower, const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Operand to, ResolveOperand(stmt.value->args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand from, ResolveOperand(stmt.value->args[1], lower.tensors()));
  std::string why;
  std::optional<TmaBoxes> boxes = BoxesOf(to, lower.facts, &why);
  KILN_CHECK(boxes.has_value(), why);
  const Ring& ring = lower.rings.by_name.at(to.tensor->ring);
  if (!to.index[0])
    return absl::InvalidArgumentError(absl::StrCat("lower: ", to.tensor->name, ": expected one slot of its ring"));
  Expr map = lower.TensorMap(*from.tensor, BoxOf(from, *boxes), boxes->swizzle);
  Expr target = TensorVar(to.tensor->name, to.tensor->dtype), full = TensorVar(ring.full, DType::kMBarrier);
  ForEachBox(lower, to, *boxes, 0, {}, [&](const std::vector<Expr>& coords) {
    std::vector<Expr> args = {target, AddressOf(to, coords, lower.facts), map, full, to.index[0]};
    std::vector<Expr> place = RootIndices(from, coords, lower.facts);
    args.insert(args.end(), place.rbegin(), place.rend());
    lower.Add(ir::Eval(Intrinsic("tma_load", std::move(args))));
  });
  return absl::OkStatus();
}

}  // namespace kiln::cuda
