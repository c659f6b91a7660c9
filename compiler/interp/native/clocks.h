// Who has seen what: vector clocks over the threads of a cluster and the asynchronous work they start. Threads that
// know the same share one vector, so that barriers of many threads stay cheap.
#ifndef KILN_COMPILER_INTERP_NATIVE_CLOCKS_H_
#define KILN_COMPILER_INTERP_NATIVE_CLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kiln::interp {

// By actor: what it did up to this time of its own happened before. Null and what is past the end: nothing.
using Clocks = std::shared_ptr<const std::vector<uint32_t>>;

inline uint32_t TimeOf(const Clocks& clocks, int32_t actor) {
  return clocks && static_cast<size_t>(actor) < clocks->size() ? (*clocks)[static_cast<size_t>(actor)] : 0;
}

// What a release hands to those who acquire it.
struct Known {
  Clocks seen;
  Clocks fenced;  // Of that, what the asynchronous proxy sees too: a proxy fence came after it
};

// A thread, and all that happened before it.
struct Knowledge {
  int32_t actor = 0;
  uint32_t own = 1;  // What the thread does now has this time
  Known known;

  bool Sees(int32_t who, uint32_t when) const { return who == actor || TimeOf(known.seen, who) >= when; }
  bool SeesFenced(int32_t who, uint32_t when) const { return TimeOf(known.fenced, who) >= when; }
  // Everything before is fenced, this thread's doings included.
  void Fence();
};

// Joins what several threads know.
class Gathering {
 public:
  void Add(const Knowledge& thread);
  // Asynchronous work is complete.
  void AddDone(int32_t actor, uint32_t when);
  Known Take() const;

 private:
  std::vector<uint32_t> seen_, fenced_;
  Known last_;  // Already in there
};

// Remembers the last join: threads of one team mostly join the same two.
class Acquirer {
 public:
  void Acquire(Knowledge& thread, const Known& released);

 private:
  Known from_, with_, joined_;
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_CLOCKS_H_
