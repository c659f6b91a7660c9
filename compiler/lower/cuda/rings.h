// Rings: slots in shared memory between producers and consumers, with two barrier objects a slot.
//
//   full    ends a phase when the slot's bytes have landed        push arms it, pop waits for it
//   empty   ends a phase when every reading warp has released it  release arrives at it, push waits for it
//
// Across a cluster a release arrives in every CTA, since every CTA's push may write to all of them.
//
// Where a thread stands in the ring (slot and parity, one each for push and pop, the slot alone for release) is in
// registers of its own. The first round of pushes waits for a phase that a fresh barrier has already behind it.
#ifndef KILN_COMPILER_LOWER_CUDA_RINGS_H_
#define KILN_COMPILER_LOWER_CUDA_RINGS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln::cuda {

class Lowering;

struct Ring {
  int64_t slots = 0;
  int64_t bytes = 0;    // Of a slot: what a push waits for
  int64_t readers = 0;  // Threads of a CTA that release a slot
  int64_t ctas = 1;     // Whose readers they are: of the cluster, or of this CTA alone
  std::string full, empty;
  std::string push, push_phase, pop, pop_phase, release;  // Mutable scalars
};

struct Rings {
  std::map<std::string, Ring> by_name;
  std::vector<std::string> fresh;  // Declared, their barriers not yet initialized
};

// Barriers and cursors of a ring whose fields are declared. REQUIRES: specialized.
absl::Status DeclareRing(Lowering& lower, const ir::StmtNode& stmt);

// Initializes the barriers of every ring declared so far, for all threads to use; nothing when there is none.
void StartRings(Lowering& lower);

// `let slot = ring.push()`, `let slot = ring.pop()`, `ring.release()`.
void LowerRingOperation(Lowering& lower, const ir::StmtNode& stmt);

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_LOWER_CUDA_RINGS_H_
