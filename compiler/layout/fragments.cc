#include "compiler/layout/fragments.h"

#include <utility>
#include <vector>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/error.h"
#include "compiler/layout/tile.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// Units dropped; the iters of a fragment stay as the instruction's description has them.
absl::StatusOr<TileLayout> FromIters(const std::vector<Iter>& iters) {
  std::vector<Iter> shard;
  for (const Iter& iter : iters) {
    if (!iter.extent.Is(1)) shard.push_back(iter);
  }
  return TileLayout::Make(std::move(shard));
}

}  // namespace

absl::StatusOr<TileLayout> MmaFragment(MmaOperand operand, int64_t k, int64_t element_bits) {
  if (operand == MmaOperand::kC) {
    return FromIters({{2, 2, Axis::kM}, {8, 4, Axis::kLaneId}, {4, 1, Axis::kLaneId}, {2, 1, Axis::kM}});
  }
  if (element_bits != 8 && element_bits != 16 && element_bits != 32) {
    return Error("mma fragment", "expected elements of 8, 16 or 32 bits, got ", element_bits);
  }
  // A lane holds `packed` neighbours along k in a register; four lanes make a group of 128 bits.
  const int64_t packed = 32 / element_bits;
  const int64_t groups = k / (4 * packed);
  if (k % (4 * packed) != 0 || groups < 1 || groups > 2) {
    return Error("mma fragment", "expected k of ", 4 * packed, " or ", 8 * packed, " for ", element_bits,
                 "-bit elements, got ", k);
  }
  if (operand == MmaOperand::kA) {
    return FromIters({{2, packed, Axis::kM},
                      {8, 4, Axis::kLaneId},
                      {groups, 2 * packed, Axis::kM},
                      {4, 1, Axis::kLaneId},
                      {packed, 1, Axis::kM}});
  }
  return FromIters({{groups, packed, Axis::kM}, {4, 1, Axis::kLaneId}, {packed, 1, Axis::kM}, {8, 4, Axis::kLaneId}});
}

Shape MmaFragmentShape(MmaOperand operand, int64_t k) {
  if (operand == MmaOperand::kA) return {16, k};
  if (operand == MmaOperand::kB) return {k, 8};
  return {16, 8};
}

absl::StatusOr<TileLayout> TileOverWarps(const TileLayout& fragment, const Shape& fragment_shape, MmaOperand operand,
                                         const Shape& tile, int64_t warps_m, int64_t warps_n) {
  if (fragment_shape.size() != 2 || tile.size() != 2 || warps_m < 1 || warps_n < 1) {
    return Error("mma tile", "expected two dimensions and at least one warp each way, got the fragment ",
                 ToString(fragment_shape), ", the tile ", ToString(tile), " and ", warps_m, " x ", warps_n, " warps");
  }
  const Iter along_m = {warps_m, warps_n, Axis::kWarpId};
  const Iter along_n = {warps_n, 1, Axis::kWarpId};
  Shape warps = {1, 1};
  std::vector<Iter> shard;
  std::vector<Iter> copies;
  if (operand == MmaOperand::kB) {
    copies.push_back(along_m);
  } else {
    warps[0] = warps_m;
    shard.push_back(along_m);
  }
  if (operand == MmaOperand::kA) {
    copies.push_back(along_n);
  } else {
    warps[1] = warps_n;
    shard.push_back(along_n);
  }
  std::erase_if(copies, [](const Iter& iter) { return iter.extent.Is(1); });
  KILN_ASSIGN_OR_RETURN(const TileLayout outer, TileLayout::Make(std::move(shard), std::move(copies)));
  Shape per_warp;
  for (size_t dim = 0; dim < 2; ++dim) {
    const std::optional<Extent> size = tile[dim].DividedBy(warps[dim]);
    if (!size.has_value()) {
      return Error("mma tile", "dimension ", dim, " of ", ToString(tile), " is not a multiple of its ",
                   warps[dim].ToString(), " warps");
    }
    per_warp.push_back(*size);
  }
  KILN_ASSIGN_OR_RETURN(const Layout repeated, TileTo(fragment, per_warp, fragment_shape, AxisTable::None()));
  KILN_ASSIGN_OR_RETURN(const Layout tiled, Tile(repeated, outer, warps, per_warp, AxisTable::None()));
  return *tiled.tile_if();
}

absl::StatusOr<TileLayout> LdmatrixFragment(int64_t count, bool transposed) {
  if (count != 1 && count != 2 && count != 4) return Error("ldmatrix", "expected 1, 2 or 4 matrices, got ", count);
  if (transposed) {
    return FromIters({{count, 2, Axis::kM}, {4, 1, Axis::kLaneId}, {2, 1, Axis::kM}, {8, 4, Axis::kLaneId}});
  }
  return FromIters({{count, 2, Axis::kM}, {8, 4, Axis::kLaneId}, {4, 1, Axis::kLaneId}, {2, 1, Axis::kM}});
}

absl::StatusOr<TileLayout> WgmmaAccumulator(int64_t n) {
  if (n < 8 || n > 256 || n % 8 != 0) return Error("wgmma", "expected n of 8 to 256 by 8, got ", n);
  return FromIters({{4, 1, Axis::kWidInWg},
                    {2, 2, Axis::kM},
                    {8, 4, Axis::kLaneId},
                    {n / 8, 4, Axis::kM},
                    {4, 1, Axis::kLaneId},
                    {2, 1, Axis::kM}});
}

absl::StatusOr<TileLayout> WgmmaOperandA(int64_t element_bits) {
  if (element_bits != 8 && element_bits != 16 && element_bits != 32) {
    return Error("wgmma", "expected elements of 8, 16 or 32 bits, got ", element_bits);
  }
  const int64_t packed = 32 / element_bits;
  return FromIters({{4, 1, Axis::kWidInWg},
                    {2, packed, Axis::kM},
                    {8, 4, Axis::kLaneId},
                    {2, 2 * packed, Axis::kM},
                    {4, 1, Axis::kLaneId},
                    {packed, 1, Axis::kM}});
}

absl::StatusOr<TileLayout> WarpgroupRows(int64_t rows, int64_t cols) {
  return TileLayout::Make({{rows, 1, Axis::kTidInWg}, {cols, 1, Axis::kM}});
}

}  // namespace kiln::layout
