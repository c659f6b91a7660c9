// A ring as its threads see it: slots that copies fill and threads read, in turn.
//
// Every thread counts its own pushes, pops and releases, as cursors in registers do. A slot is full once it is pushed
// and copies of all its bytes are issued; they land when the first pop takes it, and no sooner. It is free again once
// every thread of the CTA has released it.
#ifndef KILN_COMPILER_INTERP_TILE_RING_H_
#define KILN_COMPILER_INTERP_TILE_RING_H_

#include <cstdint>
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
  Ring(std::string name, int64_t slots, int64_t threads)
      : name_(std::move(name)), slots_(static_cast<size_t>(slots)), cursors_(static_cast<size_t>(threads)) {}

  int64_t slots() const { return static_cast<int64_t>(slots_.size()); }
  // A field takes `bytes` of each slot.
  void AddField(int64_t bytes) { bytes_ += bytes; }

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
  };

  const SlotState& SlotAt(int64_t count) const { return slots_[static_cast<size_t>(count % slots())]; }
  SlotState& SlotAt(int64_t count) { return slots_[static_cast<size_t>(count % slots())]; }

  std::string name_;
  int64_t bytes_ = 0;  // Of a slot
  std::vector<SlotState> slots_;
  std::vector<Cursor> cursors_;  // By thread
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_RING_H_
