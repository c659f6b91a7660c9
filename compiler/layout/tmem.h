// Layouts of Blackwell's tensor memory and of the registers that tcgen05.ld and .st move.
#ifndef KILN_COMPILER_LAYOUT_TMEM_H_
#define KILN_COMPILER_LAYOUT_TMEM_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// Where tcgen05.mma's datapath A..G puts the accumulator of shape (rows, cols). `sub_slab` (0 or 1) picks the lower or
// upper 16 lanes of each warp for F and C. Errors: an unknown datapath, rows or columns that it does not have, a sub
// slab elsewhere.
absl::StatusOr<TileLayout> TmemDatapath(char datapath, int64_t rows, int64_t cols, int64_t sub_slab = 0);

struct TmemMma {
  int64_t m = 128;  // The instruction's M, over the CTA group.
  int64_t cta_group = 1;
  bool ws = false;  // Weight stationary.
};

// The datapath letter that an instruction uses. Errors: none supports it.
absl::StatusOr<char> MmaDatapath(const TmemMma& mma);

// The tensor-memory operand 'A' or accumulator 'D' of an instruction; canonical. D has shape (m, N), in datapaths B and
// E also (2, m, N/2), (m, 2, N/2) or (m, s, 2, n); `group` {s, 2, n} asks for the last over the shape (m, N). Errors:
// another operand, a shape or group that the datapath does not have.
absl::StatusOr<TileLayout> TmemMmaOperand(char operand, const std::vector<int64_t>& shape, const TmemMma& mma,
                                          const std::vector<int64_t>& group = {});

// The register tile, over a warpgroup, of tcgen05.ld/st with shape 32x32b, 16x64b, 16x128b or 16x256b, for a tile of 64
// or 128 rows. Errors: a shape, rows, columns or element width that the instruction does not have.
absl::StatusOr<TileLayout> Tcgen05Atom(std::string_view instruction_shape, int64_t rows, int64_t cols,
                                       int64_t element_bits);

// Scale factors of 8 bits in tensor memory, shape (rows, scales): `per_mma` of them along k in one instruction, four to
// a 32-bit cell, 32 rows a lane block, copied to all four; canonical. Errors: rows not a multiple of 32, per_mma not 1,
// 2 or 4, scales not a multiple of it.
absl::StatusOr<TileLayout> ScaleFactors(int64_t rows, int64_t scales, int64_t per_mma);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_TMEM_H_
