// Register fragments of the matrix instructions: which lane holds which element in which slot.
#ifndef KILN_COMPILER_LAYOUT_FRAGMENTS_H_
#define KILN_COMPILER_LAYOUT_FRAGMENTS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

enum class MmaOperand { kA, kB, kC };

// mma.m16n8kK for one warp. A has shape (16, k), B (k, 8), C and D (16, 8); k bits must fill one or two groups of 128:
// k8 or k16 of 16 bits, k4 or k8 of 32, k16 or k32 of 8. C ignores both numbers. Errors: another k or width.
absl::StatusOr<TileLayout> MmaFragment(MmaOperand operand, int64_t k, int64_t element_bits);

// The shape that MmaFragment's result has.
Shape MmaFragmentShape(MmaOperand operand, int64_t k);

// A CTA's tile of shape `tile` from a fragment of shape `fragment_shape`: warps_m by warps_n warps, row-major on
// warpid, each owning a contiguous block, inside which fragments repeat in slots, row-major. Warps along the dimension
// that the operand lacks hold copies. Canonical, without fusing threads. Errors: a tile that the warps' fragments do
// not divide.
absl::StatusOr<TileLayout> TileOverWarps(const TileLayout& fragment, const Shape& fragment_shape, MmaOperand operand,
                                         const Shape& tile, int64_t warps_m, int64_t warps_n);

// ldmatrix of `count` (1, 2 or 4) 8x8 matrices of 16-bit elements, stacked in rows: shape (8 * count, 8), or its
// transposed reading. Errors: another count.
absl::StatusOr<TileLayout> LdmatrixFragment(int64_t count, bool transposed);

// wgmma m64nN: the f32 or f16 accumulator, shape (64, n), over a warpgroup. Errors: n not a multiple of 8 in 8..256.
absl::StatusOr<TileLayout> WgmmaAccumulator(int64_t n);
// wgmma's A from registers, shape (64, 256 / element_bits). Errors: widths other than 8, 16, 32.
absl::StatusOr<TileLayout> WgmmaOperandA(int64_t element_bits);

// A row of `cols` slots in each thread of a warpgroup: shape (rows, cols). Errors: sizes below 1.
absl::StatusOr<TileLayout> WarpgroupRows(int64_t rows, int64_t cols);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_FRAGMENTS_H_
