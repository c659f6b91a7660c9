// Intrinsic calls beside tile operations, and the asynchronous copies they order.
#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "compiler/interp/tile/combine.h"
#include "compiler/interp/tile/cta.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

constexpr int64_t kWarp = 32;

}  // namespace

absl::Status Cta::Issue(const View& target, ValuePtr value) {
  KILN_RETURN_IF_ERROR(MarkInFlight(target));
  open_.push_back({target, std::move(value)});
  if (!program_.commits) Commit();
  return absl::OkStatus();
}

void Cta::Commit() { groups_.push_back(std::exchange(open_, {})); }

absl::Status Cta::Wait(int64_t pending) {
  for (; static_cast<int64_t>(groups_.size()) > std::max<int64_t>(pending, 0); groups_.pop_front()) {
    for (const AsyncCopy& copy : groups_.front()) KILN_RETURN_IF_ERROR(Land(copy.target, *copy.value));
  }
  return absl::OkStatus();
}

absl::Status Cta::ExecuteCall(const Step& step, Participants threads, Location& place) {
  const Expr& e = step.expr;
  const ir::IntrinsicInfo* info = ir::FindIntrinsic(e->name);
  if (!info) return absl::InvalidArgumentError(StrCat("\"", e->name, "\" is no intrinsic"));
  auto evaluate = [&](int64_t thread, size_t arg) {
    Evaluator evaluator = EvaluatorOf(thread);
    absl::StatusOr<ValuePtr> value = evaluator.Eval(e->args[arg]);
    place = evaluator.place();
    return value;
  };
  switch (info->id) {
    case ir::Intrinsic::kBarrier:
    case ir::Intrinsic::kWarpBarrier:
    case ir::Intrinsic::kClusterBarrier:
    case ir::Intrinsic::kSetMaxRegisters:
      return absl::OkStatus();
    case ir::Intrinsic::kElect:
      if (step.variable >= 0)
        Set(step, {threads[0]}, {ScalarValue(DType::kBool, IntSlot(threads[0] % kWarp == 0)), nullptr});
      return absl::OkStatus();
    case ir::Intrinsic::kCpAsyncCommit:
      Commit();
      return absl::OkStatus();
    case ir::Intrinsic::kCpAsyncWait: {
      KILN_RETURN_IF_ERROR(ExpectOperands(e, 1));
      KILN_ASSIGN_OR_RETURN(ValuePtr pending, evaluate(threads[0], 0));
      return Wait(pending->data[0].i);
    }
    case ir::Intrinsic::kShflIdx:
    case ir::Intrinsic::kShflXor: {
      KILN_RETURN_IF_ERROR(ExpectOperands(e, 2));
      auto lanes = static_cast<int64_t>(threads.size());
      std::vector<ValuePtr> values(threads.size());
      for (size_t lane = 0; lane < threads.size(); ++lane) {
        KILN_ASSIGN_OR_RETURN(values[lane], evaluate(threads[lane], 0));
      }
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t thread = threads[static_cast<size_t>(lane)];
        KILN_ASSIGN_OR_RETURN(ValuePtr selector, evaluate(thread, 1));
        int64_t from = info->id == ir::Intrinsic::kShflXor ? lane ^ selector->data[0].i : selector->data[0].i;
        if (from < 0 || from >= lanes)
          return absl::FailedPreconditionError(StrCat(e->name, ": lane ", from, " is outside 0 .. ", lanes - 1));
        if (step.variable >= 0) Set(step, {thread}, {values[static_cast<size_t>(from)], nullptr});
      }
      return absl::OkStatus();
    }
    case ir::Intrinsic::kAtomicAdd:
    case ir::Intrinsic::kAtomicMax:
    case ir::Intrinsic::kAtomicMin: {
      KILN_RETURN_IF_ERROR(ExpectOperands(e, 3));
      Evaluator evaluator = EvaluatorOf(threads[0]);
      absl::Cleanup note = [&] { place = evaluator.place(); };
      KILN_ASSIGN_OR_RETURN(View target, evaluator.EvalView(e->args[0]));
      KILN_ASSIGN_OR_RETURN(int64_t element, evaluator.EvalInt(e->args[1]));
      KILN_ASSIGN_OR_RETURN(ValuePtr value, evaluator.Eval(e->args[2]));
      std::vector<SubscriptItem> items(target.dims.size());
      for (size_t d = items.size(); d-- > 0;) {
        int64_t extent = std::max<int64_t>(target.dims[d].extent, 1);
        items[d].begin = d == 0 ? element : element % extent;
        element /= extent;
      }
      KILN_ASSIGN_OR_RETURN(View one, SubscriptOf(target, items));
      TileOpKind op = info->id == ir::Intrinsic::kAtomicAdd   ? TileOpKind::kAtomicAdd
                      : info->id == ir::Intrinsic::kAtomicMax ? TileOpKind::kAtomicMax
                                                              : TileOpKind::kAtomicMin;
      return StoreView(one, *value, nullptr, CombineOf(op));
    }
    default:
      return absl::UnimplementedError(StrCat("\"", e->name, "\" beside tile operations; it runs in lowered kernels"));
  }
}

}  // namespace kiln::interp
