#include "compiler/layout/conversion.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "compiler/layout/thread_of.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// Where a destination slot of all threads finds its values.
struct Sources {
  std::set<int64_t> slots;
  bool other_lanes = false;
};

}  // namespace

absl::StatusOr<ConversionPlan> ConversionCost(const TileLayout& from, const TileLayout& to) {
  if (!(Size(from) == Size(to))) {
    return Error("conversion", "the sizes differ: ", ToString(from), " has ", Size(from).ToString(), " elements, ",
                 ToString(to), " ", Size(to).ToString());
  }
  KILN_ASSIGN_OR_RETURN(const ThreadMap source, ThreadMap::Make(from));
  KILN_ASSIGN_OR_RETURN(const ThreadMap target, ThreadMap::Make(to));
  KILN_ASSIGN_OR_RETURN(const bool equal, Equivalent(from, to, AxisTable::Cuda()));
  if (equal) return ConversionPlan{Conversion::kSameSlots, 0};
  const int64_t copies = std::max(source.replicas(), target.replicas());
  if (source.scope() != target.scope() || source.size() > kMaxConversionElements / copies) {
    return ConversionPlan{Conversion::kShared, 0};
  }
  std::map<int64_t, Sources> sources;
  bool same_slots = true;
  bool same_threads = true;
  for (int64_t index = 0; index < source.size(); ++index) {
    std::vector<ThreadSlot> held;
    for (int64_t replica = 0; replica < source.replicas(); ++replica) held.push_back(source.At(index, replica));
    for (int64_t replica = 0; replica < target.replicas(); ++replica) {
      const ThreadSlot wanted = target.At(index, replica);
      // The nearest copy: the same slot, the same thread, the same warp.
      const ThreadSlot* best = nullptr;
      int best_rank = 0;
      for (const ThreadSlot& each : held) {
        if (each.warp != wanted.warp) continue;
        const int rank = each.lane != wanted.lane ? 1 : each.slot != wanted.slot ? 2 : 3;
        if (rank > best_rank) {
          best = &each;
          best_rank = rank;
        }
      }
      if (best == nullptr) return ConversionPlan{Conversion::kShared, 0};
      same_slots = same_slots && best_rank == 3;
      same_threads = same_threads && best_rank >= 2;
      Sources& slot = sources[wanted.slot];
      slot.slots.insert(best->slot);
      slot.other_lanes = slot.other_lanes || best_rank == 1;
    }
  }
  if (same_slots) return ConversionPlan{Conversion::kSameSlots, 0};
  if (same_threads) return ConversionPlan{Conversion::kRename, 0};
  ConversionPlan plan{Conversion::kShuffle, 0};
  for (const auto& [slot, from_slots] : sources) {
    if (from_slots.other_lanes) plan.shuffles += static_cast<int64_t>(from_slots.slots.size());
  }
  return plan;
}

}  // namespace kiln::layout
