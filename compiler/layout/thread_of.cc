#include "compiler/layout/thread_of.h"

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "compiler/layout/scope.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

constexpr int64_t kLanes = 32;

}  // namespace

absl::StatusOr<ThreadMap> ThreadMap::Make(const TileLayout& registers) {
  KILN_ASSIGN_OR_RETURN(const std::optional<ScopeRange> range, GetScope(registers));
  KILN_ASSIGN_OR_RETURN(const TileLayout fused, Canonicalize(registers, AxisTable::Cuda()));
  const AxisInfo* thread = nullptr;
  for (const AxisInfo& row : AxisTableRows()) {
    if (row.axis == Axis::kM || !fused.Uses(row.axis)) continue;
    const bool counts_threads = row.kind == AxisKind::kThread && row.unit == Scope::kThread && thread == nullptr;
    if (!counts_threads) {
      return Error("threads", "expected registers of threads in a CTA, got ", ToString(registers));
    }
    thread = &row;
  }
  KILN_ASSIGN_OR_RETURN(Evaluator evaluator, Evaluator::Make(fused));
  return ThreadMap(std::move(evaluator), thread == nullptr ? Axis::kLaneId : thread->axis,
                   range.has_value() ? range->scope : Scope::kThread);
}

ThreadSlot ThreadMap::At(int64_t index, int64_t replica) const {
  Evaluator::Values values;
  evaluator_.Evaluate(index, replica, values);
  const int64_t thread = values[static_cast<size_t>(thread_)];
  return {thread / kLanes, thread % kLanes, values[static_cast<size_t>(Axis::kM)]};
}

}  // namespace kiln::layout
