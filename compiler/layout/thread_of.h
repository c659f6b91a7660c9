// Register layouts as (warp, lane, slot), whatever thread axes they are written in.
#ifndef KILN_COMPILER_LAYOUT_THREAD_OF_H_
#define KILN_COMPILER_LAYOUT_THREAD_OF_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "compiler/layout/evaluate.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

struct ThreadSlot {
  int64_t warp;
  int64_t lane;
  int64_t slot;
};

class ThreadMap {
 public:
  // Errors: symbols, thread axes that do not start at the lane and connect, axes other than m and threads in a CTA.
  static absl::StatusOr<ThreadMap> Make(const TileLayout& registers);

  int64_t size() const { return evaluator_.size(); }
  int64_t replicas() const { return evaluator_.replicas(); }
  // Where the thread axis reaches: warp, warpgroup or CTA; thread where there is none.
  Scope scope() const { return scope_; }
  // REQUIRES: as Evaluator::Evaluate.
  ThreadSlot At(int64_t index, int64_t replica) const;

 private:
  ThreadMap(Evaluator evaluator, Axis thread, Scope scope)
      : evaluator_(std::move(evaluator)), thread_(thread), scope_(scope) {}

  Evaluator evaluator_;
  Axis thread_;
  Scope scope_;
};

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_THREAD_OF_H_
