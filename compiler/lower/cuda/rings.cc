#include "compiler/lower/cuda/rings.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/lower/cuda/lowering.h"
#include "compiler/specialize/bind.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

constexpr int64_t kWarp = 32;

Expr Scalar(const std::string& name) { return Var(name, {DType::kI32}); }
Expr Number(int64_t value) { return WithType(Int(value, DType::kI32), {DType::kI32}); }
Expr Is(const std::string& builtin, int64_t value) {
  return WithType(Binary(Op::kEq, Var(builtin, IndexType()), I(value)), {DType::kBool});
}

std::string Barriers(Lowering& lower, const std::string& stem, int64_t count) {
  ir::TensorDecl decl;
  decl.name = lower.Fresh(stem);
  decl.dtype.dtype = DType::kMBarrier;
  decl.shape = {I(count)};
  decl.space = ir::Space::kSharedDyn;
  decl.align = 16;
  lower.Add(ir::Alloc(decl));
  return decl.name;
}

std::string Cursor(Lowering& lower, const std::string& stem) {
  std::string name = lower.Fresh(stem);
  lower.Add(ir::Mutable(name, DType::kI32, Number(0)));
  return name;
}

// let slot = cursor, within 0 .. slots.
Expr CurrentSlot(Lowering& lower, const std::string& name, const std::string& cursor, int64_t slots) {
  lower.Add(ir::Let(name, WithType(Cast({DType::kI64, ""}, Scalar(cursor)), IndexType())));
  Expr slot = Var(name, IndexType());
  lower.Add(ir::Assume(Both(WithType(Binary(Op::kGe, slot, I(0)), {DType::kBool}), LessI(slot, I(slots)))));
  lower.facts[name] = {0, slots - 1, 1};
  return slot;
}

// From `slot` to the next; past the last one the parity turns.
void Advance(Lowering& lower, const Expr& slot, const std::string& cursor, const std::string& phase, int64_t slots) {
  Expr next = AddI(slot, I(1));
  Expr wraps = WithType(Binary(Op::kEq, next, I(slots)), {DType::kBool});
  if (!phase.empty()) {
    Expr turned = WithType(Binary(Op::kBitXor, Scalar(phase), Number(1)), {DType::kI32});
    lower.Add(ir::Assign(Scalar(phase), WithType(Select(wraps, turned, Scalar(phase)), {DType::kI32})));
  }
  Expr after = WithType(Select(wraps, I(0), next), IndexType());
  lower.Add(ir::Assign(Scalar(cursor), WithType(Cast({DType::kI32, ""}, after), {DType::kI32})));
}

}  // namespace

absl::Status DeclareRing(Lowering& lower, const ir::StmtNode& stmt) {
  Ring ring;
  KILN_CHECK(IsConst(stmt.stages, &ring.slots));
  for (const ir::Stmt& field : stmt.body) {
    int64_t elements = 1;
    for (size_t d = 1; d < field->tensor.shape.size(); ++d) {
      int64_t extent = 0;
      KILN_CHECK(IsConst(field->tensor.shape[d], &extent));
      elements *= extent;
    }
    ring.bytes += Bytes(field->tensor.dtype.dtype, elements);
  }
  ring.readers = stmt.readers > 0 ? stmt.readers : lower.threads();
  if (ring.readers % kWarp != 0 || ring.readers > lower.threads())
    return absl::InvalidArgumentError(absl::StrCat("lower: ring ", stmt.name, " is read by ", ring.readers, " of ",
                                                   lower.threads(), " threads: expected whole warps of the CTA"));
  if (stmt.across_cluster) ring.ctas = ClusterSize(lower.kernel());
  ring.full = Barriers(lower, stmt.name + "_full", ring.slots);
  ring.empty = Barriers(lower, stmt.name + "_empty", ring.slots);
  ring.push = Cursor(lower, stmt.name + "_push");
  ring.push_phase = Cursor(lower, stmt.name + "_push_phase");
  ring.pop = Cursor(lower, stmt.name + "_pop");
  ring.pop_phase = Cursor(lower, stmt.name + "_pop_phase");
  ring.release = Cursor(lower, stmt.name + "_release");
  lower.rings.fresh.push_back(stmt.name);
  lower.rings.by_name[stmt.name] = std::move(ring);
  return absl::OkStatus();
}

void StartRings(Lowering& lower) {
  if (lower.rings.fresh.empty()) return;
  const std::vector<std::string> fresh = std::exchange(lower.rings.fresh, {});
  bool across = false;
  lower.When(Is("thread_id", 0), [&] {
    for (const std::string& name : fresh) {
      const Ring& ring = lower.rings.by_name.at(name);
      across |= ring.ctas > 1;
      lower.Unroll("slot", ring.slots, [&](Expr slot) {
        lower.Add(ir::Eval(Intrinsic("mbarrier_init", {TensorVar(ring.full, DType::kMBarrier), slot, I(1)})));
        lower.Add(ir::Eval(Intrinsic(
            "mbarrier_init", {TensorVar(ring.empty, DType::kMBarrier), slot, I(ring.readers / kWarp * ring.ctas)})));
      });
    }
    lower.Add(ir::Eval(Intrinsic("fence_barrier_init", {})));
  });
  if (!across) return lower.SyncNow();
  lower.Add(ir::Eval(Intrinsic("cluster_barrier", {})));
  lower.barriers.Barrier();
}

void LowerRingOperation(Lowering& lower, const ir::StmtNode& stmt) {
  const Ring& ring = lower.rings.by_name.at(stmt.value->name);
  Expr full = TensorVar(ring.full, DType::kMBarrier), empty = TensorVar(ring.empty, DType::kMBarrier);
  switch (stmt.value->tile.op) {
    case TileOpKind::kPush: {
      Expr slot = CurrentSlot(lower, stmt.name, ring.push, ring.slots);
      Expr before = WithType(Binary(Op::kBitXor, Scalar(ring.push_phase), Number(1)), {DType::kI32});
      lower.Add(ir::Eval(Intrinsic("mbarrier_wait", {empty, slot, before})));
      lower.Add(ir::Eval(Intrinsic("mbarrier_expect", {full, slot, I(ring.bytes)})));
      return Advance(lower, slot, ring.push, ring.push_phase, ring.slots);
    }
    case TileOpKind::kPop: {
      Expr slot = CurrentSlot(lower, stmt.name, ring.pop, ring.slots);
      lower.Add(ir::Eval(Intrinsic("mbarrier_wait", {full, slot, Scalar(ring.pop_phase)})));
      return Advance(lower, slot, ring.pop, ring.pop_phase, ring.slots);
    }
    default: {
      // Every lane of the warp has read what it reads before one of them says so.
      lower.Add(ir::Eval(Intrinsic("warp_barrier", {})));
      Expr slot = CurrentSlot(lower, lower.Fresh(stmt.value->name + "_freed"), ring.release, ring.slots);
      if (ring.ctas > 1) {
        Expr lane = Var("lane_id", IndexType());
        lower.When(LessI(lane, I(ring.ctas)),
                   [&] { lower.Add(ir::Eval(Intrinsic("mbarrier_arrive_at", {empty, slot, lane}))); });
      } else {
        lower.When(Is("lane_id", 0), [&] { lower.Add(ir::Eval(Intrinsic("mbarrier_arrive", {empty, slot}))); });
      }
      return Advance(lower, slot, ring.release, "", ring.slots);
    }
  }
}

}  // namespace kiln::cuda
