// Layouts of matrix operands in shared memory.
#ifndef KILN_COMPILER_LAYOUT_SHARED_TILES_H_
#define KILN_COMPILER_LAYOUT_SHARED_TILES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// The XOR of a hardware swizzle mode of 32, 64 or 128 bytes: inner, in units of 16 bytes. Errors: another width,
// element bits that are no power of two up to 128.
absl::StatusOr<Swizzle> HardwareSwizzle(int64_t swizzle_bytes, int64_t element_bits);

// A matrix operand tile of shape (..., rows, columns): atoms of 8 rows by the swizzle's width, rows of atoms fastest,
// then column atoms, leading dimensions outermost; canonical. Without a swizzle (0): core matrices of 8 rows by 16
// bytes, in the same order, or row-major where 16 bytes do not divide a row. Errors: as CheckOperandShape.
absl::StatusOr<Layout> SharedOperandTile(const std::vector<int64_t>& shape, int64_t element_bits,
                                         int64_t swizzle_bytes);

// The shape fits the atoms: at least two dimensions, rows a multiple of 8, row bytes a multiple of the swizzle's width.
// Without a swizzle any shape does.
absl::Status CheckOperandShape(const std::vector<int64_t>& shape, int64_t element_bits, int64_t swizzle_bytes);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_SHARED_TILES_H_
