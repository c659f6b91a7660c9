// How messages spell places, sets of threads, and a team that never meets.
#ifndef KILN_COMPILER_IR_MEETING_H_
#define KILN_COMPILER_IR_MEETING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compiler/expr/expr.h"

namespace kiln::ir {

// "12:5: ", or nothing where the place is not known.
std::string Place(const Location& at);

// "0, 4..31" of ascending numbers.
std::string Ranges(absl::Span<const int64_t> numbers);

// An operation that only a part of its team reaches.
struct Meeting {
  struct Elsewhere {
    std::vector<int64_t> who;
    std::string operation;  // They wait at; empty = they have ended
    Location at;
  };
  Location at;
  std::string operation;
  std::string team;    // "warp 0"
  bool lanes = false;  // Threads are told as lanes of a warp
  int64_t total = 0;   // Threads of the team
  std::vector<int64_t> missing;
  bool branched = false;  // Known to stand in a branch or a loop, at `branch`
  Location branch;
  std::string why = "do not take the branch";  // What the missing ones do at `branch`
  std::vector<Elsewhere> elsewhere;
};
std::string MeetingText(const Meeting& meeting);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_MEETING_H_
