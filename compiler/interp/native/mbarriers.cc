#include "compiler/interp/native/mbarriers.h"

#include <utility>

#include "compiler/support/str_cat.h"

namespace kiln::interp {

MBarrier* MBarriers::Find(int64_t offset) {
  auto it = barriers_.find(offset);
  return it == barriers_.end() ? nullptr : &it->second;
}

const MBarrier* MBarriers::Find(int64_t offset) const {
  auto it = barriers_.find(offset);
  return it == barriers_.end() ? nullptr : &it->second;
}

MBarrier& MBarriers::Add(int64_t offset, MBarrier barrier) {
  return barriers_.emplace(offset, std::move(barrier)).first->second;
}

void MBarriers::Fence(int32_t actor) {
  for (auto& [offset, barrier] : barriers_) barrier.fenced |= barrier.initialized.actor == actor;
}

std::optional<std::string> MBarriers::Arrive(MBarrier& barrier, const Knowledge& knows, int64_t bytes) {
  if (barrier.arrivals == 0) {
    return StrCat(barrier.name, ": more arrivals than the ", barrier.count, " of a phase; phase ", barrier.ended,
                  " still waits for ", barrier.bytes, " bytes");
  }
  --barrier.arrivals;
  barrier.bytes += bytes;
  barrier.gathering.Add(knows);
  return Complete(barrier, 0);
}

std::optional<std::string> MBarriers::Complete(MBarrier& barrier, int64_t bytes) {
  barrier.bytes -= bytes;
  if (barrier.arrivals > 0 || barrier.bytes >= 0) return std::nullopt;
  return StrCat(barrier.name, ": ", -barrier.bytes, " bytes more than phase ", barrier.ended, " expects");
}

bool MBarriers::EndPhase(MBarrier& barrier) {
  if (barrier.arrivals != 0 || barrier.bytes != 0) return false;
  ++barrier.ended;
  barrier.arrivals = barrier.count;
  if (barrier.copies >= 0) barrier.gathering.AddDone(barrier.copies, barrier.ended);
  barrier.released = barrier.gathering.Take();
  return true;
}

const MBarrier* MBarriers::Unbalanced() const {
  for (const auto& [offset, barrier] : barriers_)
    if (barrier.bytes != 0) return &barrier;
  return nullptr;
}

}  // namespace kiln::interp
