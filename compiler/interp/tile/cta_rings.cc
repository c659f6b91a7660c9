// Rings of a CTA, and what threads that wait for them forever are told.
#include <utility>

#include "compiler/interp/tile/cta.h"
#include "compiler/ir/meeting.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

constexpr int64_t kMaxSlots = 1024;

bool IsRingStep(const Step& step) { return step.kind == Step::Kind::kTileOp && ir::IsRingOp(step.expr->tile.op); }

}  // namespace

absl::Status Cta::ExecuteRing(const Step& step, Evaluator& evaluator) {
  KILN_ASSIGN_OR_RETURN(int64_t slots, evaluator.EvalInt(step.stmt->stages));
  if (slots < 1 || slots > kMaxSlots) {
    return absl::InvalidArgumentError(
        StrCat("ring \"", step.stmt->name, "\": expected 1 to ", kMaxSlots, " slots, got ", slots));
  }
  std::shared_ptr<Ring>& ring = rings_[step.stmt->name];
  if (ring) return absl::OkStatus();
  Ring::Reach* reach = nullptr;
  if (step.stmt->across_cluster) {
    reach = &cluster_.rings[step.stmt->name];
    reach->resize(static_cast<size_t>(cluster_.ctas));
  }
  const auto threads = static_cast<int64_t>(threads_.size());
  const int64_t readers = program_.uniform || step.stmt->readers == 0 ? threads : step.stmt->readers;
  ring = std::make_shared<Ring>(step.stmt->name, slots, threads, readers, reach);
  if (reach) (*reach)[static_cast<size_t>(rank_)] = ring;
  return absl::OkStatus();
}

absl::Status Cta::ExecuteRingOperation(const Step& step, int64_t thread) {
  auto it = rings_.find(step.expr->name);
  if (it == rings_.end()) return absl::InvalidArgumentError(StrCat("\"", step.expr->name, "\" is no ring"));
  if (step.expr->tile.op == TileOpKind::kRelease) return it->second->Release(thread);
  absl::StatusOr<int64_t> slot =
      step.expr->tile.op == TileOpKind::kPush ? it->second->Push(thread) : it->second->Pop(thread);
  KILN_RETURN_IF_ERROR(slot.status());
  if (step.variable >= 0) Set(step, {thread}, {ScalarValue(DType::kI64, IntSlot(*slot)), nullptr});
  return absl::OkStatus();
}

bool Cta::AwaitsRing(int64_t thread) const {
  const Thread& t = threads_[static_cast<size_t>(thread)];
  const Step& step = program_.steps[static_cast<size_t>(t.pc)];
  if (t.done || t.waiting || !IsRingStep(step)) return false;
  auto it = rings_.find(step.expr->name);
  return it != rings_.end() && !it->second->Ready(step.expr->tile.op, thread);
}

// Threads by what they wait for, those at a ring first.
absl::Status Cta::StuckAtRings() const {
  std::map<std::pair<int, std::string>, std::vector<int64_t>> at_rings;
  std::map<int, std::vector<int64_t>> at_meetings;
  for (size_t t = 0; t < threads_.size(); ++t) {
    auto thread = static_cast<int64_t>(t);
    if (threads_[t].done) continue;
    if (!AwaitsRing(thread)) {
      at_meetings[threads_[t].pc].push_back(thread);
      continue;
    }
    const Step& step = program_.steps[static_cast<size_t>(threads_[t].pc)];
    std::string what = rings_.at(step.expr->name)->AwaitedBy(step.expr->tile.op, thread);
    at_rings[{threads_[t].pc, std::move(what)}].push_back(thread);
  }
  std::string text;
  auto add = [&](const std::vector<int64_t>& who, int pc) {
    const Step& step = program_.steps[static_cast<size_t>(pc)];
    const bool one = who.size() == 1;
    StrAppend(&text, text.empty() ? "deadlock: " : "; ", one ? "thread " : "threads ", ir::Ranges(who),
              one ? " waits at " : " wait at ", StepName(step));
    if (step.at.line > 0) StrAppend(&text, " at ", step.at.line, ":", step.at.column);
  };
  for (const auto& [key, who] : at_rings) {
    add(who, key.first);
    StrAppend(&text, " for ", key.second);
  }
  for (const auto& [pc, who] : at_meetings) {
    add(who, pc);
    StrAppend(&text, " for the rest of its team");
  }
  const Step& first = program_.steps[static_cast<size_t>(at_rings.begin()->first.first)];
  return absl::FailedPreconditionError(StrCat(ir::Place(first.at), text));
}

}  // namespace kiln::interp
