// Prefetches into maps that compute for longer than memory takes: one worker runs neighbouring CTAs one after the
// other, and what the next one will copy is known while this one computes.
#include <algorithm>
#include <utility>

#include "compiler/expr/simplify.h"
#include "compiler/lower/cpu/lowering.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cpu {
namespace {

constexpr int64_t kLineBytes = 64;
constexpr char kNextCta[] = "cta_id.x";

bool IsCostly(const Expr& e) {
  if (e->kind != ExprKind::kMath) return false;
  switch (e->op) {
    case Op::kExp:
    case Op::kExp2:
    case Op::kLog:
    case Op::kLog2:
    case Op::kTanh:
    case Op::kErf:
    case Op::kSin:
    case Op::kCos:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Lowering::NoteLoaded(const MapTask& task) {
  if (task.target->kind != ExprKind::kVar || !IsTileReference(task.value)) return;
  auto it = tensors_.find(RootOf(task.value)->name);
  if (it != tensors_.end() && it->second.global) scope_.loaded[task.target->name] = task;
}

absl::Status Lowering::EmitPrefetch(const Expr& value, const std::vector<Expr>& shape, const std::vector<Expr>& index,
                                    const Nest& nest, const Point& point, ir::Block& out) {
  if (point.lanes == 1 || scope_.loaded.empty() || !Any(value, IsCostly)) return absl::OkStatus();
  for (const auto& [tile, copy] : scope_.loaded) {
    const std::vector<Expr>& loaded = copy.target->type.shape;
    if (!Uses(value, tile) || !std::equal(loaded.begin(), loaded.end(), shape.begin(), shape.end(),
                                          [](const Expr& a, const Expr& b) { return Equal(a, b); }))
      continue;
    KILN_ASSIGN_OR_RETURN(Access access, Resolve(copy.value, index, nest.InnerFacts()));
    // One for each line, where several vectors stand side by side.
    if (point.slot * point.lanes * Bytes(access.storage->stored) % kLineBytes != 0) continue;
    LaneIndex at = IndexLanes(access, nest, point);
    Expr here = Substitute(at.flat, scope_.lets);
    if (at.kind != LaneIndex::Kind::kContiguous || !Uses(here, kNextCta)) continue;
    Expr next = Simplify(Substitute(here, {{kNextCta, Var(kNextCta) + Int(1)}}), nest.InnerFacts());
    out.push_back(ir::Eval(Call("prefetch", {Var(access.storage->name), next})));
  }
  return absl::OkStatus();
}

}  // namespace kiln::cpu
