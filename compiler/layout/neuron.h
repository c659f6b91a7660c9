// Neuron layouts: partitions, the free axis, PSUM banks.
#ifndef KILN_COMPILER_LAYOUT_NEURON_H_
#define KILN_COMPILER_LAYOUT_NEURON_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

inline constexpr int64_t kNeuronPartitions = 128;
inline constexpr int64_t kPsumBankElements = 512;  // 32-bit elements of a partition in one bank.

// One letter a dimension, P or F. P dimensions are row-major on P: one of up to 128, or a multiple of 128 whose excess
// becomes the slowest part of F; or several of at most 128 together. F dimensions are row-major on F. Errors: another
// letter, a length other than the rank, partitions that do not fit.
absl::StatusOr<TileLayout> NeuronTensor(std::string_view annotation, const std::vector<int64_t>& shape, bool psum);

// F strides that are multiples of 512 go to Bank; smaller ones split at 512. Errors: an iter that straddles a bank,
// symbols.
absl::StatusOr<TileLayout> ToPsum(const TileLayout& layout);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_NEURON_H_
