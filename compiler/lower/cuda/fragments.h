// The walk that ldmatrix and stmatrix share: which row each lane gives, and the registers of each instruction.
#ifndef KILN_COMPILER_LOWER_CUDA_FRAGMENTS_H_
#define KILN_COMPILER_LOWER_CUDA_FRAGMENTS_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compiler/lower/cuda/lowering.h"
#include "compiler/rules/matrix_fragments.h"

namespace kiln::cuda {

// Tile coordinates of the row whose address the running lane gives to the first instruction: row l % 8 of matrix l / 8;
// lanes past the last matrix repeat the first ones.
std::vector<Expr> LaneRow(const MatrixFragments& fragments, size_t rank, const Facts& facts);

// Calls `fn` for each instruction with its first register, counted from `first`, and the lane's row, starting at `row`.
void ForEachFragment(Lowering& lower, const MatrixFragments& fragments, const std::vector<Expr>& row, const Expr& first,
                     absl::FunctionRef<void(const Expr& slot, const std::vector<Expr>& at)> fn);

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_LOWER_CUDA_FRAGMENTS_H_
