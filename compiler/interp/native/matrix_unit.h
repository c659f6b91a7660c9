// The matrix unit (wgmma): where its operands are in shared memory, and what a product gives.
#ifndef KILN_COMPILER_INTERP_NATIVE_MATRIX_UNIT_H_
#define KILN_COMPILER_INTERP_NATIVE_MATRIX_UNIT_H_

#include <cstdint>
#include <vector>

#include "kiln/internal/dtype.h"

namespace kiln::interp {

inline constexpr int64_t kProductRows = 64;
inline constexpr int64_t kProductBytes = 32;  // Of k
inline constexpr int64_t kGroupThreads = 128;

// An operand of `rows` (m of a, n of b) by 32 bytes of k, its layout as the intrinsic gives it; bytes.
struct SharedOperand {
  int64_t leading = 0;
  int64_t stride = 0;
  int64_t swizzle = 0;
  bool rows_innermost = false;
  DType dtype = DType::kNone;
  int64_t rows = 0;

  int64_t Depth() const { return kProductBytes * 8 / Bits(dtype); }
  // Address of element (row, k) of the operand that starts at `start`.
  int64_t AddressOf(int64_t start, int64_t row, int64_t k) const;
  // Addresses of all its pieces of 16 bytes.
  std::vector<int64_t> Chunks(int64_t start) const;
};

// Operands as numbers: integers in `i`, floats in `f`, elements of [rows][depth].
struct Operand {
  int64_t rows = 0, depth = 0;
  std::vector<double> f;
  std::vector<int32_t> i;
};

// REQUIRES: every chunk lies in `shared`.
Operand ReadShared(const SharedOperand& layout, const uint8_t* shared, int64_t start);
// One element of a row, `pattern` as stored.
void SetElement(Operand& operand, DType dtype, int64_t row, int64_t k, const uint8_t* pattern);
Operand EmptyOperand(DType dtype, int64_t rows);

// acc[64][n] += a * b^T, each sum rounded once to f32, or modulo 2^32. `acc` holds the words of f32 or i32.
void MultiplyAdd(const Operand& a, const Operand& b, bool is_float, uint32_t* acc);

// Element of the accumulator that thread `thread` of the warpgroup holds in `slot`.
struct ProductCell {
  int64_t row, column;
};
inline ProductCell CellOfProduct(int64_t thread, int64_t slot) {
  const int64_t lane = thread % 32;
  return {thread / 32 * 16 + lane / 4 + slot / 2 % 2 * 8, slot / 4 * 8 + lane % 4 * 2 + slot % 2};
}

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_MATRIX_UNIT_H_
