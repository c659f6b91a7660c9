#include <bit>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/lower/cuda/elements.h"
#include "compiler/lower/cuda/operations.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

Expr Identity(TileOpKind op, DType dtype) {
  auto typed = [&](Expr e) { return WithType(std::move(e), {dtype}); };
  if (dtype == DType::kBool) return typed(Bool(false));
  if (IsFloat(dtype)) {
    double inf = std::numeric_limits<double>::infinity();
    double value = op == TileOpKind::kMax ? -inf : op == TileOpKind::kMin ? inf : op == TileOpKind::kProd ? 1 : 0;
    return typed(Float(value, dtype == DType::kF64 ? dtype : DType::kNone));
  }
  int64_t low = IsUnsigned(dtype) ? 0 : dtype == DType::kI64 ? INT64_MIN : INT32_MIN;
  int64_t high = dtype == DType::kI64 || dtype == DType::kU64 ? INT64_MAX : IsUnsigned(dtype) ? UINT32_MAX : INT32_MAX;
  int64_t value = op == TileOpKind::kMax ? low : op == TileOpKind::kMin ? high : op == TileOpKind::kProd ? 1 : 0;
  return typed(Int(value, dtype == DType::kI64 ? DType::kNone : dtype));
}

Expr Combine(TileOpKind op, const Expr& a, const Expr& b) {
  Op binary = op == TileOpKind::kSum    ? Op::kAdd
              : op == TileOpKind::kMax  ? Op::kMax
              : op == TileOpKind::kMin  ? Op::kMin
              : op == TileOpKind::kProd ? Op::kMul
                                        : Op::kOr;
  return WithType(Binary(binary, a, b), {a->type.dtype});
}

// Thread digits of the reduced dimensions, cut where a warp ends.
struct Exchange {
  std::vector<int64_t> lanes;  // XOR distances within the warp
  std::vector<Digit> warps;    // Digits that name other warps
};

void AddDigit(const Digit& digit, Exchange& exchange) {
  if (digit.axis == DigitAxis::kWarp) {
    exchange.warps.push_back(digit);
    return;
  }
  int64_t lane_extent = digit.extent;
  if (digit.axis == DigitAxis::kThread)
    lane_extent = digit.stride >= 32 ? 1 : std::min(digit.extent, 32 / digit.stride);
  for (int64_t d = 1; d < lane_extent; d *= 2) exchange.lanes.push_back(d * digit.stride);
  if (lane_extent == digit.extent) return;
  Digit rest{digit.extent / lane_extent, 1, digit.stride * lane_extent, DigitAxis::kThread};
  if (rest.stride % 32 == 0) rest = {rest.extent, 1, rest.stride / 32, DigitAxis::kWarp};
  exchange.warps.push_back(rest);
}

absl::Status CheckPowerOfTwo(const Digit& digit) {
  auto single = [](int64_t v) { return std::has_single_bit(static_cast<uint64_t>(v)); };
  bool lanes = digit.axis == DigitAxis::kLane || (digit.axis == DigitAxis::kThread && digit.stride < 32);
  if (!lanes || (single(digit.stride) && (single(digit.extent) || digit.extent % (32 / digit.stride) == 0)))
    return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("lower: a reduction over ", digit.extent, " lanes at stride ",
                                               digit.stride, ": expected powers of two"));
}

// Every thread of the exchange ends with the combined value of each slot.
void CombineThreads(Lowering& lower, TileOpKind op, const Exchange& exchange, const Expr& acc, int64_t slots) {
  const DType dtype = acc->type.dtype;
  if (!exchange.lanes.empty()) {
    lower.Unroll("i", slots, [&](Expr slot) {
      for (int64_t distance : exchange.lanes) {
        Expr mine = Element(acc, slot);
        Expr other = WithType(Call("shfl_xor", {mine, I(distance)}), {dtype});
        if (op == TileOpKind::kAny) {
          // `or` leaves its right side alone where the left one is true; all lanes must come to the exchange.
          const std::string name = lower.Fresh("other");
          lower.Add(ir::Let(name, other));
          other = Var(name, {dtype});
        }
        lower.Add(ir::Store(acc, slot, Combine(op, mine, other)));
      }
    });
  }
  if (exchange.warps.empty()) return;
  // Through shared memory: all write, all read the parts of their own group, in order. When whole warps agree, a warp
  // writes once.
  bool whole_warps = exchange.lanes.size() == 5;
  const int64_t units = whole_warps ? lower.threads() / 32 : lower.threads();
  Expr unit = Var(whole_warps ? "warp_id" : "thread_id", IndexType());
  Expr scratch = lower.Scratch(dtype == DType::kBool ? DType::kI32 : dtype, slots * units);
  const std::string name = scratch->name;
  if (lower.barriers.NeedsBeforeWrite(name)) lower.SyncNow();
  lower.Unroll("i", slots, [&](Expr slot) {
    Expr at = lower.Simple(AddI(MulI(slot, units), unit));
    Expr first_lane =
        whole_warps ? WithType(Binary(Op::kEq, Var("lane_id", IndexType()), I(0)), {DType::kBool}) : nullptr;
    lower.When(first_lane, [&] { lower.Add(ir::Store(scratch, at, Element(acc, slot))); });
  });
  lower.SyncNow();
  lower.Unroll("i", slots, [&](Expr slot) {
    Expr base = AddI(MulI(slot, units), unit);
    std::vector<std::pair<int64_t, int64_t>> loops;  // extent, stride in units
    for (const Digit& digit : exchange.warps) {
      int64_t stride = digit.axis == DigitAxis::kWarp ? (whole_warps ? digit.stride : digit.stride * 32)
                                                      : (whole_warps ? digit.stride / 32 : digit.stride);
      base = AddI(base, MulI(DigitValue(digit, lower.facts), -stride));
      loops.push_back({digit.extent, stride});
    }
    std::string part = lower.Fresh("part");
    Expr value = Var(part, {dtype});
    lower.Add(ir::Mutable(part, dtype, Identity(op, dtype)));
    auto emit = [&](auto&& self, size_t next, Expr at) -> void {
      if (next == loops.size()) {
        lower.Add(ir::Assign(value, Combine(op, value, Element(scratch, lower.Simple(at)))));
        return;
      }
      lower.Unroll("w", loops[next].first,
                   [&](Expr w) { self(self, next + 1, AddI(at, MulI(w, loops[next].second))); });
    };
    emit(emit, 0, base);
    lower.Add(ir::Store(acc, slot, value));
  });
  lower.barriers.Read(name);
}

}  // namespace

absl::Status LowerReduce(Lowering& lower, const ir::StmtNode& stmt) {
  const Node& op = *stmt.value;
  Expr value = op.args[0];
  const std::vector<Expr> shape = value->type.shape;
  int64_t axis = -1;
  if (Expr given = FindAttr(op, "axis"); given && shape.size() > 1) axis = given->int_value;
  KILN_ASSIGN_OR_RETURN(Spread spread, SpreadOf(lower, nullptr, value, shape));
  KILN_ASSIGN_OR_RETURN(value, MoveLeaves(lower, value, spread));
  KILN_RETURN_IF_ERROR(SyncReads(lower, value));
  const DType dtype = op.type.dtype;

  // Where the running values are: the target's own registers, or one for a scalar.
  Expr acc;
  Distribution result;
  const bool scalar = stmt.kind == ir::StmtKind::kLet;
  bool elsewhere = false;  // The target lies otherwise than the operand: it is moved there at the end.
  if (scalar) {
    acc = lower.Registers(stmt.name + "_acc", dtype, 1);
  } else {
    KILN_ASSIGN_OR_RETURN(Operand target, ResolveOperand(stmt.target, lower.tensors()));
    result = Reduced(spread.distribution, axis);
    // Parts of threads lie in the registers that the reduced value would: their threads tell them apart.
    const bool parts = ir::IsByThread(op);
    elsewhere = !(*target.tensor->distribution == (parts ? ReducedByThread(spread.distribution, axis) : result));
    if (parts && elsewhere)
      return absl::UnimplementedError(
          absl::StrCat("lower: ", target.tensor->name, " lies otherwise than the threads' parts that it takes"));
    acc = TensorVar(elsewhere ? lower.NewTile(target.tensor->name + "_acc", dtype, target.tensor->shape, result).name
                              : target.tensor->name,
                    dtype);
  }
  const int64_t slots = scalar ? 1 : result.Slots();
  lower.Unroll("i", slots, [&](Expr slot) { lower.Add(ir::Store(acc, slot, Identity(op.tile.op, dtype))); });

  absl::Status status;
  ForEachRun(lower, spread, /*once=*/false, [&](const Run& run) {
    auto emit = [&]() -> absl::Status {
      KILN_ASSIGN_OR_RETURN(RunValue elements, RunValue::Make(lower, value, run));
      absl::Status inner;
      lower.Unroll("v", run.width, [&](Expr v) {
        auto element = elements.At(lower, v);
        Expr slot = I(0);
        if (element.ok() && !scalar) {
          std::vector<Expr> coords = run.coords;
          coords.back() = lower.Simple(AddI(coords.back(), v));
          coords.erase(coords.begin() + axis);
          slot = SlotOf(result, coords, lower.facts);
        }
        if (!element.ok() || !slot) {
          inner = element.ok() ? absl::InternalError("lower: a reduction leaves its thread") : element.status();
          return;
        }
        lower.Add(ir::Store(acc, slot, Combine(op.tile.op, Element(acc, slot), *element)));
      });
      return inner;
    };
    if (status.ok()) status = emit();
  });
  KILN_RETURN_IF_ERROR(status);

  if (op.tile.team != Team::kThread) {
    Exchange exchange;
    for (size_t d = 0; d < spread.distribution.dims.size(); ++d) {
      if (axis >= 0 && static_cast<size_t>(axis) != d) continue;
      for (const Digit& digit : spread.distribution.dims[d]) {
        if (digit.axis == DigitAxis::kSlot) continue;
        KILN_RETURN_IF_ERROR(CheckPowerOfTwo(digit));
        AddDigit(digit, exchange);
      }
    }
    CombineThreads(lower, op.tile.op, exchange, acc, slots);
  }
  if (scalar) lower.Add(ir::Let(stmt.name, Element(acc, I(0))));
  if (elsewhere) {
    ir::StmtNode move;
    move.kind = ir::StmtKind::kAssign;
    move.target = stmt.target;
    move.value = Var(acc->name, stmt.target->type);
    return LowerMap(lower, move);
  }
  return absl::OkStatus();
}

}  // namespace kiln::cuda
