// How many threads a CTA has for a matrix accumulator, where the text leaves it to the compiler.
#ifndef KILN_COMPILER_SPECIALIZE_GEMM_THREADS_H_
#define KILN_COMPILER_SPECIALIZE_GEMM_THREADS_H_

#include <cstdint>

#include "kiln/internal/dtype.h"
#include "kiln/internal/target.h"

namespace kiln {

// Four warps, eight where their registers are too few for m x n. On targets whose matrix unit works by warpgroups of
// four warps, two of those share 128 rows as soon as each has a whole instruction's worth of columns to fill its
// registers.
inline int64_t GemmThreads(int64_t m, int64_t n, DType operands, const Target& target) {
  const bool warpgroups = target.Has("wgmma") && IsFloat(operands) && Bits(operands) <= 16;
  return m * n >= 128 * 256 || (warpgroups && m % 128 == 0 && n >= 128) ? 256 : 128;
}

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_GEMM_THREADS_H_
