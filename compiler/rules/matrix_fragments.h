// A register tile seen as the 8 x 8 matrices of 16-bit elements that ldmatrix brings from shared memory (PTX ISA,
// "Warp-level matrix load instruction"): lane 4 r + c holds elements 2 c and 2 c + 1 of row r of each; transposed, of
// column r.
#ifndef KILN_COMPILER_RULES_MATRIX_FRAGMENTS_H_
#define KILN_COMPILER_RULES_MATRIX_FRAGMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/rules/distribution.h"

namespace kiln {

// A digit along a dimension of the tile.
struct PlacedDigit {
  size_t dim = 0;
  Digit digit;
};

struct MatrixFragments {
  bool transposed = false;
  int64_t count = 1;                  // Matrices an instruction brings: 1, 2 or 4
  std::vector<PlacedDigit> matrices;  // Which of an instruction's matrices, fastest first
  std::vector<PlacedDigit> loops;     // From one instruction to the next; strides are slots
  std::vector<PlacedDigit> threads;   // Warps
};

// As many matrices an instruction as the order of slots allows. Nothing, and why in words, for any other distribution.
std::optional<MatrixFragments> MatrixFragmentsOf(const Distribution& distribution, std::string* why);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_MATRIX_FRAGMENTS_H_
