#include <optional>
#include <utility>

#include "compiler/lower/cuda/elements.h"
#include "compiler/lower/cuda/operations.h"
#include "compiler/specialize/normalize.h"
#include "compiler/specialize/type.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

struct Assignment {
  Expr target;
  Expr value;
  const char* atomic = nullptr;  // The intrinsic that joins the value to what is there
};

const char* AtomicOf(TileOpKind op) {
  switch (op) {
    case TileOpKind::kAtomicAdd:
      return "atomic_add";
    case TileOpKind::kAtomicMax:
      return "atomic_max";
    case TileOpKind::kAtomicMin:
      return "atomic_min";
    default:
      return nullptr;
  }
}

Assignment AssignmentOf(const ir::StmtNode& stmt) {
  if (auto map = AsMap(stmt)) return {map->target, map->value};
  const Node& op = *stmt.value;
  return {op.args[0], ConvertTo(op.args[1], op.args[0]->type.dtype), AtomicOf(op.tile.op)};
}

// Evaluates a run into `registers`, slots `base` and on; pairs of 16-bit values are packed together.
absl::Status StoreRun(Lowering& lower, const RunValue& value, const Expr& registers, const Expr& base, int64_t width) {
  const DType dtype = registers->type.dtype;
  const bool pairs = (dtype == DType::kF16 || dtype == DType::kBF16) && width % 2 == 0;
  absl::Status status;
  lower.Unroll("v", pairs ? width / 2 : width, [&](Expr v) {
    auto emit = [&]() -> absl::Status {
      if (!pairs) {
        KILN_ASSIGN_OR_RETURN(Expr element, value.At(lower, v));
        lower.Add(ir::Store(registers, lower.Simple(AddI(base, v)), element));
        return absl::OkStatus();
      }
      Expr even = lower.Simple(MulI(v, 2)), odd = AddI(even, I(1));
      KILN_ASSIGN_OR_RETURN(Expr a, value.At(lower, even));
      KILN_ASSIGN_OR_RETURN(Expr b, value.At(lower, odd));
      // The conversion is the pack's own; what is 16-bit already is read as f32, which is exact.
      auto widen = [](const Expr& e) {
        return e->kind == ExprKind::kCast && e->args[0]->type.dtype == DType::kF32 ? e->args[0]
                                                                                   : ConvertTo(e, DType::kF32);
      };
      Node pack;
      pack.kind = ExprKind::kCall;
      pack.name = "pack2";
      pack.dtype.dtype = dtype;
      pack.args = {widen(a), widen(b)};
      pack.type = {dtype, 2};
      lower.Add(ir::Store(registers, lower.Simple(AddI(base, even)), MakeExpr(std::move(pack))));
      return absl::OkStatus();
    };
    if (status.ok()) status = emit();
  });
  return status;
}

// Matrix accumulators keep pairs of columns in four lanes side by side. Four pieces of eight columns, exchanged among
// the lanes, are eight columns in a row for each: one 16-byte access instead of four of 4 bytes.
constexpr int64_t kQuad = 4;
constexpr int64_t kPair = 2;
constexpr int64_t kPiece = kQuad * kPair;

// `spread` after the exchange; nullopt where the elements lie otherwise.
std::optional<Spread> ExchangedAmongQuads(const Assignment& assign, const Operand& target, const Spread& spread,
                                          const Facts& facts) {
  const DType dtype = target.tensor->dtype;
  int64_t columns = 0;
  if (assign.atomic || target.tensor->space == ir::Space::kLocal || Bits(dtype) != 16 || spread.width != kPair ||
      !spread.distribution.replicas.empty() || spread.distribution.dims.back().size() < 3 ||
      !IsConst(spread.shape.back(), &columns) || columns % (kQuad * kPiece) != 0 ||
      VectorWidth(target, kPiece, facts) != kPiece)
    return std::nullopt;
  Spread out = spread;
  std::vector<Digit>& digits = out.distribution.dims.back();
  Digit &pair = digits[digits.size() - 1], &lane = digits[digits.size() - 2], &piece = digits[digits.size() - 3];
  const bool fits = pair.axis == DigitAxis::kSlot && pair.extent == kPair && lane.axis == DigitAxis::kLane &&
                    lane.extent == kQuad && lane.weight == kPair && lane.stride == 1 &&
                    piece.axis == DigitAxis::kSlot && piece.weight == kPiece && piece.extent % kQuad == 0;
  if (!fits) return std::nullopt;
  piece.extent /= kQuad;
  piece.weight *= kQuad;
  lane.weight = kPiece;
  pair.extent = kPiece;
  out.width = kPiece;
  return out;
}

// Evaluates the four pairs that this lane has of the pieces around `run`, and exchanges them for the run itself.
absl::Status FillFromQuad(Lowering& lower, const Expr& value, const Run& run, const Expr& registers) {
  Expr lane = WithType(Mod(Var("lane_id", IndexType()), I(kQuad)), IndexType());
  absl::Status status;
  lower.Unroll("q", kQuad, [&](Expr q) {
    auto emit = [&]() -> absl::Status {
      Run pair = run;
      pair.width = kPair;
      // The run begins at this lane's piece; its pair of piece q is two columns a lane from that piece's start.
      Expr first = WithType(run.coords.back() - MulI(lane, kPiece - kPair), IndexType());
      pair.coords.back() = lower.Simple(AddI(first, MulI(q, kPiece)));
      KILN_ASSIGN_OR_RETURN(RunValue two, RunValue::Make(lower, value, pair));
      return StoreRun(lower, two, registers, lower.Simple(MulI(q, kPair)), kPair);
    };
    if (status.ok()) status = emit();
  });
  lower.Add(ir::Eval(Intrinsic("transpose_quads", {registers, I(0)})));
  return status;
}

absl::Status EmitRuns(Lowering& lower, const Assignment& assign, const Operand& target, const Spread& spread) {
  const TensorInfo& tensor = *target.tensor;
  const bool local = tensor.space == ir::Space::kLocal;
  Expr destination = TensorVar(tensor.name, tensor.dtype);
  if (std::optional<Spread> wide = ExchangedAmongQuads(assign, target, spread, lower.facts)) {
    absl::Status status;
    ForEachRun(lower, *wide, /*once=*/true, [&](const Run& run) {
      Expr packed = lower.Registers(tensor.name + "_w", tensor.dtype, kPiece);
      if (status.ok()) status = FillFromQuad(lower, assign.value, run, packed);
      Expr address = AddressOf(target, run.coords, lower.facts);
      lower.When(lower.Guard(target, run.coords),
                 [&] { lower.Add(ir::Store(destination, address, Element(packed, I(0), kPiece))); });
    });
    return status;
  }
  absl::Status status;
  ForEachRun(lower, spread, /*once=*/!local, [&](const Run& run) {
    auto emit = [&]() -> absl::Status {
      KILN_ASSIGN_OR_RETURN(RunValue value, RunValue::Make(lower, assign.value, run));
      if (local) {
        Expr slot = SlotOf(*tensor.distribution, RootIndices(target, run.coords, lower.facts), lower.facts);
        if (!slot) return absl::InternalError("lower: a map writes registers of another thread");
        return StoreRun(lower, value, destination, slot, run.width);
      }
      const bool vector = !assign.atomic && run.width > 1 && VectorWidth(target, run.width, lower.facts) == run.width;
      if (vector) {
        Expr packed = lower.Registers(tensor.name + "_w", tensor.dtype, run.width);
        KILN_RETURN_IF_ERROR(StoreRun(lower, value, packed, I(0), run.width));
        Expr address = AddressOf(target, run.coords, lower.facts);
        lower.When(lower.Guard(target, run.coords), [&] {
          lower.Add(ir::Store(destination, address, Element(packed, I(0), static_cast<int>(run.width))));
        });
        return absl::OkStatus();
      }
      absl::Status inner;
      lower.Unroll("v", run.width, [&](Expr v) {
        std::vector<Expr> at = run.coords;
        if (!at.empty()) at.back() = lower.Simple(AddI(at.back(), v));
        auto element = value.At(lower, v);
        if (!element.ok()) {
          inner = element.status();
          return;
        }
        Expr address = AddressOf(target, at, lower.facts);
        lower.When(lower.Guard(target, at), [&] {
          if (assign.atomic)
            lower.Add(ir::Eval(Intrinsic(assign.atomic, {destination, address, *element})));
          else
            lower.Add(ir::Store(destination, address, *element));
        });
      });
      return inner;
    };
    if (status.ok()) status = emit();
  });
  return status;
}

}  // namespace

absl::Status LowerMap(Lowering& lower, const ir::StmtNode& stmt) {
  Assignment assign = AssignmentOf(stmt);
  KILN_ASSIGN_OR_RETURN(Operand target, ResolveOperand(assign.target, lower.tensors()));
  KILN_ASSIGN_OR_RETURN(Spread spread, SpreadOf(lower, &target, assign.value, assign.target->type.shape));
  KILN_ASSIGN_OR_RETURN(assign.value, MoveLeaves(lower, assign.value, spread));
  KILN_RETURN_IF_ERROR(SyncReads(lower, assign.value));
  lower.SyncBeforeWrite(target);

  return SplitEdges(lower, &target, assign.value, [&] { return EmitRuns(lower, assign, target, spread); });
}

}  // namespace kiln::cuda
