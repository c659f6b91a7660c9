// How the matrix unit (wgmma) finds an operand in shared memory, as the intrinsic carries it: three byte counts and a
// flag, all constants, beside the operand's first element.
//
// Elements are in atoms of 8 rows of `swizzle` bytes (16 when there is none): row r of an atom starts r * swizzle bytes
// after its first, and the 16-byte chunks of an atom are XORed by the row: chunk ^= address / 128 % (swizzle / 16).
// The operand is R rows (m of a, n of b) by 32 bytes of k.
//
//   k innermost: element (r, k), b = its byte along k   r % 8 * pitch + r / 8 * stride + b          (swizzled)
//                                                       r % 8 * 16 + r / 8 * stride + b / 16 * leading + b % 16  (none)
//   rows innermost, w = swizzle / element bytes:        r / w * leading + k % 8 * swizzle + k / 8 * stride + r % w
//
// Source: PTX ISA, "Asynchronous warpgroup level matrix shared memory layout" and "Matrix descriptor format".
#ifndef KILN_COMPILER_LOWER_CUDA_MATRIX_DESCRIPTOR_H_
#define KILN_COMPILER_LOWER_CUDA_MATRIX_DESCRIPTOR_H_

#include <cstdint>

namespace kiln {

struct MatrixDescriptor {
  int64_t leading = 0;          // Bytes
  int64_t stride = 0;           // Bytes
  int64_t swizzle = 0;          // Bytes: 0, 32, 64 or 128
  bool rows_innermost = false;  // 16-bit elements alone
};

}  // namespace kiln

#endif  // KILN_COMPILER_LOWER_CUDA_MATRIX_DESCRIPTOR_H_
