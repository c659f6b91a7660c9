// How a CPU launch spreads its CTAs over threads: the hook through which an engine lends its own.
#ifndef KILN_RUNTIME_CPU_PARALLEL_H_
#define KILN_RUNTIME_CPU_PARALLEL_H_

#include <cstdint>

namespace kiln::runtime {

class Parallel {
 public:
  // `body(context, begin, end)` runs the items [begin, end). It may be called from several threads at once, on
  // disjoint ranges, and does not throw.
  using Body = void (*)(void* context, int64_t begin, int64_t end);

  virtual ~Parallel() = default;
  // The most bodies that run at once, the caller's included.
  virtual int width() const = 0;
  // Runs every item of [0, count) once, in ranges of about `grain` items, and returns when all are done. Thread-safe;
  // what the bodies wrote is visible to the caller on return. Never allocates.
  virtual void For(int64_t count, int64_t grain, Body body, void* context) = 0;
};

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_CPU_PARALLEL_H_
