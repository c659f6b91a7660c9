// Shared memory as the copy engine writes it and the matrix unit reads it: the hardware's own swizzled layouts.
#ifndef KILN_COMPILER_RULES_MATRIX_LAYOUT_H_
#define KILN_COMPILER_RULES_MATRIX_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/rules/operand.h"

namespace kiln {

// Bytes of a row that one swizzle pattern spans: the largest of 128, 64, 32 that divides a row of `columns` elements,
// else 0.
int64_t SwizzleSpan(int64_t columns, DType dtype);

// The last two dimensions are rows and columns of a matrix; it lies in blocks of SwizzleSpan bytes of columns, each
// with all rows, one block after another. Leading dimensions are outermost. Canonical text; empty when a row has no
// span.
std::string MatrixLayout(const std::vector<int64_t>& shape, DType dtype);

// How the matrix unit finds an operand in shared memory. Elements lie in atoms of 8 rows of `swizzle` bytes: row r of
// an atom starts r * swizzle bytes after its first, and the 16-byte chunks are XORed by address / 128. With b the byte
// of k:
//
//   k innermost:     element (r, k) at   r % 8 * swizzle + r / 8 * stride + b
//   rows innermost:  element (r, k) at   r / w * leading + k % 8 * swizzle + k / 8 * stride + r % w, w elements a span
//
// Source: PTX ISA, "Asynchronous warpgroup level matrix shared memory layout" and "Matrix descriptor format".
struct MatrixDescriptor {
  int64_t leading = 0;  // Bytes
  int64_t stride = 0;   // Bytes
  int64_t swizzle = 0;  // Bytes: 32, 64 or 128
};

// Of an operand whose first dimension (k innermost) or last one (rows innermost) is m or n. Nullopt and a reason in
// `why` when it does not lie so that a descriptor fits.
std::optional<MatrixDescriptor> DescriptorOf(const Operand& operand, bool rows_innermost, const Facts& facts,
                                             std::string* why);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_MATRIX_LAYOUT_H_
