// The barrier objects of a CTA: phases that end when their arrivals and their bytes are there.
#ifndef KILN_COMPILER_INTERP_NATIVE_MBARRIERS_H_
#define KILN_COMPILER_INTERP_NATIVE_MBARRIERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "compiler/interp/native/actors.h"
#include "compiler/interp/native/clocks.h"
#include "compiler/interp/native/readers.h"

namespace kiln::interp {

inline constexpr int64_t kMBarrierBytes = 8;
inline constexpr int64_t kMaxArrivals = (1 << 20) - 1;

struct MBarrier {
  std::string name;  // "full"[0]
  int64_t count = 0;
  int64_t arrivals = 0;  // Missing in the current phase
  int64_t bytes = 0;     // The same; below zero when more came than was announced
  uint32_t ended = 0;    // Phases
  Touch initialized;
  int init_pc = 0;
  int expect_pc = -1;   // Of the last announcement of bytes
  bool fenced = false;  // Known to the copy engine and to the cluster
  int32_t copies = -1;  // The actor that writes the bytes which complete here
  Gathering gathering;
  Known released;  // By all phases that have ended

  // Whether the phase of `parity` is the current one, so that a wait for it blocks.
  bool Blocks(int64_t parity) const { return (ended & 1) == static_cast<uint32_t>(parity); }
};

class MBarriers {
 public:
  void Reset() { barriers_.clear(); }

  // By byte of the CTA's shared memory; null when there is none.
  MBarrier* Find(int64_t offset);
  const MBarrier* Find(int64_t offset) const;
  // REQUIRES: there is none at `offset`.
  MBarrier& Add(int64_t offset, MBarrier barrier);

  // Those that thread `actor` initialized are known to the copy engine and to the cluster.
  void Fence(int32_t actor);

  // One arrival by a thread that knows `knows`, which announces `bytes`. The fault, if any.
  static std::optional<std::string> Arrive(MBarrier& barrier, const Knowledge& knows, int64_t bytes);
  // Bytes have come.
  static std::optional<std::string> Complete(MBarrier& barrier, int64_t bytes);
  // Ends the phase when nothing is missing, and says so.
  static bool EndPhase(MBarrier& barrier);

  // Of those whose bytes do not add up when the kernel ends, the first.
  const MBarrier* Unbalanced() const;

 private:
  std::map<int64_t, MBarrier> barriers_;
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_MBARRIERS_H_
