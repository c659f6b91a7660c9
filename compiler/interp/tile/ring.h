// A ring as its threads see it: slots that copies fill and threads read, in turn.
//
// Every thread counts its own pushes, pops and releases, as cursors in registers do. A slot is full once it is pushed
// and copies of all its bytes are issued; they land when the first pop takes it, and no sooner. It is free again once
// all its readers have released it: of this CTA, or of every CTA of the cluster. A copy may fill the same slot of other
// CTAs too, before they push it.
#ifndef KILN_COMPILER_INTERP_TILE_RING_H_
#define KILN_COMPILER_INTERP_TILE_RING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/expr/expr.h"
#include "compiler/interp/tile/view.h"

namespace kiln::interp {

class Ring {
 public:
  // The rings of one name in a cluster's CTAs, by rank; null where it is not declared yet.
  using Reach = std::vector<std::shared_ptr<Ring>>;

  // `reach`, borrowed, is null where the ring is the CTA's own.
  Ring(std::string name, int64_t slots, int64_t threads, int64_t readers, const Reach* reach)
      : name_(std::move(name)),
        readers_(readers),
        reach_(reach),
        slots_(static_cast<size_t>(slots)),
        cursors_(static_cast<size_t>(threads)) {}

  int64_t slots() const { return static_cast<int64_t>(slots_.size()); }
  // A field takes `bytes` of each slot.
  void AddField(int64_t bytes, const std::shared_ptr<Storage>& storage) {
    bytes_ += bytes;
    fields_[storage->name] = storage;
  }

  // Whether the thread's push or pop goes on; a release never waits.
  bool Ready(TileOpKind op, int64_t thread) const;
  // "slot 0, which threads 0..31 have not released". REQUIRES: not Ready.
  std::string AwaitedBy(TileOpKind op, int64_t thread) const;

  // REQUIRES, of Push and Pop: Ready. They give the slot.
  absl::StatusOr<int64_t> Push(int64_t thread);
  absl::StatusOr<int64_t> Pop(int64_t thread);
  absl::Status Release(int64_t thread);

  // An asynchronous copy into a field. Errors: no slot awaits these bytes.
  absl::Status Issue(const View& target, ValuePtr value);
  // The same in the CTAs of `mask`. REQUIRES: in reach.
  absl::Status IssueTo(uint64_t mask, const View& target, const ValuePtr& value);
  // Threads may touch what they have popped and not released.
  absl::Status MayTouch(absl::Span<const int64_t> threads, const View& view) const;

 private:
  struct Cursor {
    int64_t pushed = 0;
    int64_t popped = 0;
    int64_t released = 0;
  };
  struct Copy {
    View target;
    ValuePtr value;
  };
  struct SlotState {
    int64_t pushes = 0;
    int64_t issued = 0;        // Bytes since the last push
    std::vector<Copy> copies;  // Under way
    std::vector<Copy> early;   // Of another CTA, for the next push
  };

  // Whether its readers have released `needed` slots.
  bool IsFree(int64_t needed) const;
  std::string HeldBy(int64_t needed) const;
  absl::Status IssueAt(int64_t index, int64_t round, const View& target, ValuePtr value);

  const SlotState& SlotAt(int64_t count) const { return slots_[static_cast<size_t>(count % slots())]; }
  SlotState& SlotAt(int64_t count) { return slots_[static_cast<size_t>(count % slots())]; }

  std::string name_;
  int64_t bytes_ = 0;  // Of a slot
  int64_t readers_;    // Threads
  const Reach* reach_;
  std::map<std::string, std::weak_ptr<Storage>> fields_;
  std::vector<SlotState> slots_;
  std::vector<Cursor> cursors_;  // By thread
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_RING_H_
