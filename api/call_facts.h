// What a launch's arguments say that may change the kernel: the key of the loaded kernels.
//
// A few words on the stack, filled while arguments are checked. How a signature packs its facts into words is its own
// affair; two calls of one op mean the same kernel exactly when their words are equal.
#ifndef KILN_API_CALL_FACTS_H_
#define KILN_API_CALL_FACTS_H_

#include <cstdint>

#include "api/limits.h"

namespace kiln::api {

// The op's member and the device; dtypes; a word a symbol; four tensors a word.
inline constexpr int kMaxFactWords = 2 + kMaxSymbols + kMaxArgs / 4;

// Left uninitialized past `count`, on purpose: a launch fills only what it needs. `hash` is there once Seal was called,
// which an executable that knows its facts has no need of.
struct CallFacts {
  uint64_t hash;
  int32_t count;
  int64_t words[kMaxFactWords];

  void Clear() { count = 0; }
  void Push(int64_t word) { words[count++] = word; }

  void Seal() {
    hash = 0x9e3779b97f4a7c15;
    for (int i = 0; i < count; ++i) {
      // A multiplication carries low bits up; the rotation brings high bits down.
      hash = (hash ^ static_cast<uint64_t>(words[i])) * 0xff51afd7ed558ccd;
      hash = (hash << 29) | (hash >> 35);
    }
  }

  // Of the words; whether either is sealed does not matter.
  bool operator==(const CallFacts& other) const {
    if (count != other.count) return false;
    for (int i = 0; i < count; ++i)
      if (words[i] != other.words[i]) return false;
    return true;
  }
};

}  // namespace kiln::api

#endif  // KILN_API_CALL_FACTS_H_
