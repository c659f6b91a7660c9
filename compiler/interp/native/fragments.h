// Which lane holds which element of the warp's matrix instructions, as the PTX ISA lays them out.
#ifndef KILN_COMPILER_INTERP_NATIVE_FRAGMENTS_H_
#define KILN_COMPILER_INTERP_NATIVE_FRAGMENTS_H_

#include <bit>
#include <cstdint>

#include "kiln/internal/dtype.h"

namespace kiln::interp {

// The tensor core reads the upper 19 bits of an f32 word.
inline double AsTF32(double value) {
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>(bits & ~uint32_t{0x1fff});
}

struct Cell {
  int row = 0;
  int column = 0;
};

// m16n8k`k`: element `i` of what lane `lane` holds. A is 16 x k, B is k x 8 (row = k), the accumulator 16 x 8.
// Registers of A and B are words that hold 32 / Bits elements, consecutive in k.
inline Cell CellOfA(DType dtype, int lane, int i) {
  int word = 32 / Bits(dtype), reg = i / word;
  return {lane / 4 + 8 * (reg % 2), lane % 4 * word + i % word + reg / 2 * 4 * word};
}
inline Cell CellOfB(DType dtype, int lane, int i) {
  int word = 32 / Bits(dtype);
  return {lane % 4 * word + i % word + i / word * 4 * word, lane / 4};
}
inline Cell CellOfAccumulator(int lane, int i) { return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2}; }

// Elements a lane holds.
inline int CountOfA(int k) { return k / 2; }
inline int CountOfB(int k) { return k / 4; }
inline constexpr int kAccumulatorCount = 4;

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_FRAGMENTS_H_
