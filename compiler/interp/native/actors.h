// Whoever touches shared memory of a cluster: its threads, and the asynchronous work that runs beside them.
#ifndef KILN_COMPILER_INTERP_NATIVE_ACTORS_H_
#define KILN_COMPILER_INTERP_NATIVE_ACTORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/expr/expr.h"

namespace kiln::interp {

class Actors {
 public:
  // `threads` of one CTA; `ctas` of the cluster. Borrows `places`, those of the program.
  Actors(int64_t threads, int64_t ctas, const std::vector<Location>& places);

  // As a new cluster finds them: threads alone.
  void Reset();

  int32_t ThreadOf(int64_t cta, int64_t thread) const { return static_cast<int32_t>(cta * threads_ + thread); }
  // A line of asynchronous work, named for the operation that starts it.
  int32_t Add(const char* operation);
  bool IsThread(int32_t actor) const { return actor < first_; }
  // What asynchronous actor `actor` does at time `when` (from 1) was last started by the instruction at `pc`.
  void Started(int32_t actor, uint32_t when, int pc);

  // "thread 3", "the wgmma at 12:5".
  std::string Name(int32_t actor, uint32_t when) const;
  const Location& PlaceOf(int32_t actor, uint32_t when) const;

 private:
  struct Line {
    const char* operation = nullptr;
    std::vector<int> pcs;  // By time
  };
  int64_t threads_;
  int32_t first_;  // Actors from here on are asynchronous
  const std::vector<Location>& places_;
  std::vector<Line> lines_;
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_ACTORS_H_
