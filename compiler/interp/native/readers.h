// Who read a byte since it was written: sets of (actor, time) shared by all the bytes that the same actors read.
#ifndef KILN_COMPILER_INTERP_NATIVE_READERS_H_
#define KILN_COMPILER_INTERP_NATIVE_READERS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compiler/interp/native/clocks.h"

namespace kiln::interp {

struct Touch {
  int32_t actor = -1;  // -1: nobody
  uint32_t when = 0;
  bool operator==(const Touch&) const = default;
};

class Readers {
 public:
  using Set = uint32_t;  // 0: nobody

  void Reset();
  // Every reader so far happened before everything that follows.
  void ForgetAll();

  // The set with `reader` in it and without those that `who`, on whose behalf it reads, has seen.
  Set With(Set set, const Touch& reader, const Knowledge& who);
  // One reader that `who` has not seen; nobody when there is none.
  Touch Unseen(Set set, const Knowledge& who) const;

 private:
  struct Node {
    Touch touch;
    Set rest = 0;
  };
  struct Step {  // The last answer of With
    Set from = 0, to = 0;
    Touch reader;
    Clocks seen;
  };
  const Node* Find(Set set) const { return set > forgotten_ ? &nodes_[set - forgotten_ - 1] : nullptr; }
  Set Push(Set rest, const Touch& touch);

  std::vector<Node> nodes_;
  Set forgotten_ = 0;  // Sets up to here are nobody
  absl::flat_hash_map<std::pair<Set, uint64_t>, Set> known_;
  Step last_;
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_READERS_H_
