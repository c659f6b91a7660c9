// The copy engine: one thread names a box of a global tensor and the slot of a ring that it fills, or the shared tile
// that it writes the box from.
#include "compiler/rules/tma.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/lower/cuda/operations.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

constexpr int64_t kWarpgroup = 128;

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

// The thread of a team that issues its stores and waits for them: bulk groups are a thread's own.
Expr IsIssuer(const Lowering& lower, Team team) {
  const char* id = team == Team::kWarp ? "lane_id" : "thread_id";
  Expr thread = Var(id, IndexType());
  if (team == Team::kWarpgroup && lower.threads() > kWarpgroup)
    thread = WithType(Mod(thread, I(kWarpgroup)), IndexType());
  return team == Team::kThread ? nullptr : WithType(Binary(Op::kEq, thread, I(0)), {DType::kBool});
}

absl::Status LowerLoad(Lowering& lower, const Node& op, const Operand& to, const Operand& from, const TmaBoxes& boxes) {
  const Ring& ring = lower.rings.by_name.at(to.tensor->ring);
  if (!to.index[0])
    return absl::InvalidArgumentError(absl::StrCat("lower: ", to.tensor->name, ": expected one slot of its ring"));
  std::optional<int64_t> mask = MulticastOf(op, ring.ctas);
  Expr map = lower.TensorMap(*from.tensor, BoxOf(from, boxes), boxes.swizzle);
  Expr target = TensorVar(to.tensor->name, to.tensor->dtype), full = TensorVar(ring.full, DType::kMBarrier);
  ForEachBox(lower, to, boxes, 0, {}, [&](const std::vector<Expr>& coords) {
    std::vector<Expr> args = {target, AddressOf(to, coords, lower.facts), map, full, to.index[0]};
    if (mask) args.push_back(I(*mask));
    std::vector<Expr> place = RootIndices(from, coords, lower.facts);
    args.insert(args.end(), place.rbegin(), place.rend());
    lower.Add(ir::Eval(Intrinsic(mask ? "tma_load_multicast" : "tma_load", std::move(args))));
  });
  return absl::OkStatus();
}

// All of the team show what they wrote to the engine and meet, then one issues.
absl::Status LowerStore(Lowering& lower, Team team, const Operand& to, const Operand& from, const TmaBoxes& boxes) {
  if (team != Team::kThread) {
    lower.Add(ir::Eval(Intrinsic("fence_proxy_async", {})));
    lower.Sync(team);
  }
  Expr map = lower.TensorMap(*to.tensor, BoxOf(to, boxes), boxes.swizzle);
  Expr source = TensorVar(from.tensor->name, from.tensor->dtype);
  lower.When(IsIssuer(lower, team), [&] {
    ForEachBox(lower, from, boxes, 0, {}, [&](const std::vector<Expr>& coords) {
      std::vector<Expr> args = {map, source, AddressOf(from, coords, lower.facts)};
      std::vector<Expr> place = RootIndices(to, coords, lower.facts);
      args.insert(args.end(), place.rbegin(), place.rend());
      lower.Add(ir::Eval(Intrinsic("tma_store", std::move(args))));
    });
    lower.Add(ir::Eval(Intrinsic("bulk_commit", {})));
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status LowerTma(Lowering& lower, const ir::StmtNode& stmt) {
  const Node& op = *stmt.value;
  KILN_ASSIGN_OR_RETURN(Operand to, ResolveOperand(op.args[0], lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Operand from, ResolveOperand(op.args[1], lower.tensors()));
  const bool load = IsShared(*to.tensor);
  std::string why;
  std::optional<TmaBoxes> boxes = BoxesOf(load ? to : from, lower.facts, &why);
  KILN_CHECK(boxes.has_value(), why);
  return load ? LowerLoad(lower, op, to, from, *boxes) : LowerStore(lower, op.tile.team, to, from, *boxes);
}

void WaitForStores(Lowering& lower, const Node& op) {
  int64_t pending = 0;
  if (Expr written = FindAttr(op, "pending")) IsConst(written, &pending);
  const char* wait = Flag(op, "visible") ? "bulk_wait" : "bulk_wait_read";
  lower.When(IsIssuer(lower, op.tile.team), [&] { lower.Add(ir::Eval(Intrinsic(wait, {I(pending)}))); });
  lower.Sync(op.tile.team);
}

}  // namespace kiln::cuda
