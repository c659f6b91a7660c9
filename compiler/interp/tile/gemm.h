// acc (+)= a * b on tiles.
#ifndef KILN_COMPILER_INTERP_TILE_GEMM_H_
#define KILN_COMPILER_INTERP_TILE_GEMM_H_

#include "absl/status/statusor.h"
#include "compiler/interp/tile/view.h"

namespace kiln::interp {

struct GemmForm {
  bool trans_a = false;  // a is [K, M]
  bool trans_b = false;  // b is [N, K]
  bool accumulate = true;
};

// The new accumulator. Products are exact; floats are summed in double and rounded once to the accumulator's dtype,
// integers wrap. Errors: ranks other than 2, extents that do not meet, integers with floats.
absl::StatusOr<ValuePtr> Gemm(const Value& acc, const Value& a, const Value& b, const GemmForm& form);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_GEMM_H_
