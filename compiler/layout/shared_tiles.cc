#include "compiler/layout/shared_tiles.h"

#include <utility>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

constexpr int64_t kAtomRows = 8;
constexpr int64_t kChunkBits = 128;  // The unit that swizzle modes move.

int Log2(int64_t power) {
  int log = 0;
  while ((int64_t{1} << log) < power) ++log;
  return log;
}

absl::Status CheckBits(int64_t element_bits) {
  if (element_bits >= 1 && element_bits <= kChunkBits && (element_bits & (element_bits - 1)) == 0) {
    return absl::OkStatus();
  }
  return Error("operand tile", "expected element bits that are a power of two up to 128, got ", element_bits);
}

// (leading..., rows, columns / width, width) : (rows * columns..., width, rows * width, 1).
absl::StatusOr<TileLayout> ColumnBlocks(const std::vector<int64_t>& shape, int64_t width) {
  const Extent rows = shape[shape.size() - 2];
  const Extent columns = shape.back();
  std::vector<Iter> shard(shape.size() + 1);
  shard[shape.size()] = {width, 1, Axis::kM};
  shard[shape.size() - 1] = {columns.constant() / width, rows * width, Axis::kM};
  shard[shape.size() - 2] = {rows, width, Axis::kM};
  Extent stride = rows * columns;
  for (size_t i = shape.size() - 2; i-- > 0;) {
    shard[i] = {shape[i], stride, Axis::kM};
    stride *= shape[i];
  }
  KILN_ASSIGN_OR_RETURN(const TileLayout blocks, TileLayout::Make(std::move(shard)));
  return Canonicalize(blocks, AxisTable::None());
}

}  // namespace

absl::StatusOr<Swizzle> HardwareSwizzle(int64_t swizzle_bytes, int64_t element_bits) {
  KILN_RETURN_IF_ERROR(CheckBits(element_bits));
  if (swizzle_bytes != 32 && swizzle_bytes != 64 && swizzle_bytes != 128) {
    return Error("operand tile", "expected a swizzle of 32, 64 or 128 bytes, got ", swizzle_bytes);
  }
  Swizzle swizzle;
  swizzle.per_element = Log2(kChunkBits / element_bits);
  swizzle.swizzle_len = Log2(swizzle_bytes / 16);
  swizzle.atom_len = 3;
  return swizzle;
}

absl::Status CheckOperandShape(const std::vector<int64_t>& shape, int64_t element_bits, int64_t swizzle_bytes) {
  KILN_RETURN_IF_ERROR(CheckBits(element_bits));
  for (const int64_t dim : shape) {
    if (dim < 1) return Error("operand tile", "expected dimensions of at least 1, got ", ToString(ToShape(shape)));
  }
  if (swizzle_bytes == 0) return absl::OkStatus();
  KILN_RETURN_IF_ERROR(HardwareSwizzle(swizzle_bytes, element_bits).status());
  if (shape.size() < 2) return Error("operand tile", "expected at least 2 dimensions, got ", ToString(ToShape(shape)));
  const int64_t rows = shape[shape.size() - 2];
  if (rows % kAtomRows != 0) {
    return Error("operand tile", "rows must be a multiple of ", kAtomRows, ", got ", rows, " of ",
                 ToString(ToShape(shape)));
  }
  const Extent row_bits = Extent(shape.back()) * element_bits;
  if (!row_bits.DividedBy(swizzle_bytes * 8).has_value()) {
    return Error("operand tile", "a row of ", shape.back(), " elements of ", element_bits,
                 " bits is not a multiple of the swizzle's ", swizzle_bytes, " bytes");
  }
  return absl::OkStatus();
}

absl::StatusOr<Layout> SharedOperandTile(const std::vector<int64_t>& shape, int64_t element_bits,
                                         int64_t swizzle_bytes) {
  KILN_RETURN_IF_ERROR(CheckOperandShape(shape, element_bits, swizzle_bytes));
  if (swizzle_bytes == 0) {
    const int64_t core = kChunkBits / element_bits;
    if (shape.size() >= 2 && shape.back() % core == 0) {
      KILN_ASSIGN_OR_RETURN(TileLayout blocks, ColumnBlocks(shape, core));
      return Layout(std::move(blocks));
    }
    KILN_ASSIGN_OR_RETURN(const TileLayout row_major, TileLayout::RowMajor(ToShape(shape)));
    KILN_ASSIGN_OR_RETURN(TileLayout canonical, Canonicalize(row_major, AxisTable::None()));
    return Layout(std::move(canonical));
  }
  KILN_ASSIGN_OR_RETURN(const Swizzle swizzle, HardwareSwizzle(swizzle_bytes, element_bits));
  KILN_ASSIGN_OR_RETURN(TileLayout blocks, ColumnBlocks(shape, swizzle_bytes * 8 / element_bits));
  KILN_ASSIGN_OR_RETURN(SwizzledLayout swizzled, SwizzledLayout::Make(swizzle, std::move(blocks)));
  return Layout(std::move(swizzled));
}

}  // namespace kiln::layout
