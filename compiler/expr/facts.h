// What is proven of integer names: ranges and divisors. The input of bounds and simplification.
#ifndef KILN_COMPILER_EXPR_FACTS_H_
#define KILN_COMPILER_EXPR_FACTS_H_

#include <cstdint>
#include <map>
#include <string>

namespace kiln {

struct Fact {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
  int64_t divisor = 1;  // Every value is a multiple of it; 0 stands for "is zero"
};

// Names without an entry are unknown, except the builtins, whose ranges BoundsOf knows (thread_id, lane_id, cta_id.x,
// ...).
using Facts = std::map<std::string, Fact>;

}  // namespace kiln

#endif  // KILN_COMPILER_EXPR_FACTS_H_
