#include "compiler/layout/fragments.h"

#include <gtest/gtest.h>

#include "compiler/layout/evaluate.h"
#include "compiler/layout/injective.h"
#include "compiler/layout/shared_tiles.h"

namespace kiln::layout {
namespace {

Point At(const TileLayout& layout, int64_t row, int64_t col, const std::vector<int64_t>& shape) {
  return Apply(layout, {row, col}, shape).value().front();
}

Point LaneSlot(int64_t lane, int64_t slot) { return {{Axis::kM, slot}, {Axis::kLaneId, lane}}; }

TEST(MmaFragment, SixteenBitOperandsLieAsTheInstructionHasThem) {
  const TileLayout a = MmaFragment(MmaOperand::kA, 16, 16).value();
  const TileLayout b = MmaFragment(MmaOperand::kB, 16, 16).value();
  const TileLayout c = MmaFragment(MmaOperand::kC, 16, 16).value();
  for (int64_t lane = 0; lane < 32; ++lane) {
    const int64_t group = lane / 4;
    const int64_t in_group = lane % 4;
    for (int64_t i = 0; i < 8; ++i) {
      const int64_t row = group + (i % 4 < 2 ? 0 : 8);
      const int64_t col = in_group * 2 + i % 2 + (i < 4 ? 0 : 8);
      EXPECT_EQ(At(a, row, col, {16, 16}), LaneSlot(lane, i));
    }
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(At(b, in_group * 2 + i % 2 + (i < 2 ? 0 : 8), group, {16, 8}), LaneSlot(lane, i));
      EXPECT_EQ(At(c, group + (i < 2 ? 0 : 8), in_group * 2 + i % 2, {16, 8}), LaneSlot(lane, i));
    }
  }
}

TEST(MmaFragment, OtherWidthsAndHalves) {
  EXPECT_EQ(ToString(MmaFragment(MmaOperand::kA, 8, 16).value()), "S[(2,8,4,2):(2,4@laneid,1@laneid,1)]");
  EXPECT_EQ(ToString(MmaFragment(MmaOperand::kB, 8, 16).value()), "S[(4,2,8):(1@laneid,1,4@laneid)]");
  EXPECT_EQ(ToString(MmaFragment(MmaOperand::kA, 8, 32).value()), "S[(2,8,2,4):(1,4@laneid,2,1@laneid)]");
  EXPECT_EQ(ToString(MmaFragment(MmaOperand::kB, 8, 32).value()), "S[(2,4,8):(1,1@laneid,4@laneid)]");
  EXPECT_EQ(ToString(MmaFragment(MmaOperand::kA, 32, 8).value()), "S[(2,8,2,4,4):(4,4@laneid,8,1@laneid,1)]");
  EXPECT_EQ(ToString(MmaFragment(MmaOperand::kB, 32, 8).value()), "S[(2,4,4,8):(4,1@laneid,1,4@laneid)]");
  EXPECT_EQ(MmaFragment(MmaOperand::kA, 12, 16).status().message(),
            "layout: mma fragment: expected k of 8 or 16 for 16-bit elements, got 12");
  EXPECT_EQ(MmaFragment(MmaOperand::kA, 16, 64).status().message(),
            "layout: mma fragment: expected elements of 8, 16 or 32 bits, got 64");
}

// Case GEMM-4 V, GEMM-5 V
TEST(TileOverWarps, BlocksForOwnersAndCopiesForTheRest) {
  // 2 x 4 warps over a 128 x 128 x 32 step.
  const TileLayout c =
      TileOverWarps(MmaFragment(MmaOperand::kC, 16, 16).value(), {16, 8}, MmaOperand::kC, {128, 128}, 2, 4).value();
  EXPECT_EQ(At(c, 64 + 17, 32 + 9, {128, 128}),
            (Point{{Axis::kM, (1 * 4 + 1) * 4 + 1}, {Axis::kLaneId, 4}, {Axis::kWarpId, 5}}));
  EXPECT_EQ(IsInjective(c), Decision::kYes);
  const TileLayout a =
      TileOverWarps(MmaFragment(MmaOperand::kA, 16, 16).value(), {16, 16}, MmaOperand::kA, {128, 32}, 2, 4).value();
  const std::vector<Point> copies = Apply(a, {64, 0}, {128, 32}).value();
  ASSERT_EQ(copies.size(), 4U);
  for (int64_t warp = 0; warp < 4; ++warp) {
    EXPECT_EQ(copies[static_cast<size_t>(warp)], (Point{{Axis::kM, 0}, {Axis::kLaneId, 0}, {Axis::kWarpId, 4 + warp}}));
  }
  const TileLayout b =
      TileOverWarps(MmaFragment(MmaOperand::kB, 16, 16).value(), {16, 8}, MmaOperand::kB, {32, 128}, 2, 4).value();
  EXPECT_EQ(Apply(b, {0, 32}, {32, 128}).value(),
            (std::vector<Point>{{{Axis::kM, 0}, {Axis::kLaneId, 0}, {Axis::kWarpId, 1}},
                                {{Axis::kM, 0}, {Axis::kLaneId, 0}, {Axis::kWarpId, 5}}}));
  EXPECT_FALSE(TileOverWarps(c, {16, 8}, MmaOperand::kC, {24, 8}, 2, 1).ok());
}

TEST(LdmatrixFragment, IsAnOperandOfMma) {
  EXPECT_EQ(ToString(LdmatrixFragment(4, false).value()), "S[(4,8,4,2):(2,4@laneid,1@laneid,1)]");
  EXPECT_EQ(LdmatrixFragment(2, true).value(), MmaFragment(MmaOperand::kB, 16, 16).value());
  EXPECT_FALSE(LdmatrixFragment(3, false).ok());
}

TEST(Wgmma, AccumulatorFollowsItsClosedForm) {
  const TileLayout layout = WgmmaAccumulator(64).value();
  for (int64_t row = 0; row < 64; ++row) {
    for (int64_t col = 0; col < 64; ++col) {
      const int64_t lane = row % 8 * 4 + col % 8 / 2;
      const int64_t slot = 4 * (col / 8) + 2 * (row % 16 / 8) + col % 2;
      EXPECT_EQ(At(layout, row, col, {64, 64}),
                (Point{{Axis::kM, slot}, {Axis::kLaneId, lane}, {Axis::kWidInWg, row / 16}}));
    }
  }
  EXPECT_FALSE(WgmmaAccumulator(260).ok());
  // For 16-bit elements A in registers is an accumulator of 16 columns.
  EXPECT_EQ(WgmmaOperandA(16).value(), WgmmaAccumulator(16).value());
}

TEST(SharedOperandTile, RefusesShapesThatCutAtoms) {
  EXPECT_EQ(ToString(SharedOperandTile({64, 256}, 16, 128).value()), "swizzle[3,3,3] o S[(64,4,64):(64,4096,1)]");
  EXPECT_EQ(SharedOperandTile({128, 32}, 16, 128).status().message(),
            "layout: operand tile: a row of 32 elements of 16 bits is not a multiple of the swizzle's 128 bytes");
  EXPECT_EQ(SharedOperandTile({12, 64}, 16, 128).status().message(),
            "layout: operand tile: rows must be a multiple of 8, got 12 of (12, 64)");
  EXPECT_EQ(SharedOperandTile({8, 64}, 16, 96).status().message(),
            "layout: operand tile: expected a swizzle of 32, 64 or 128 bytes, got 96");
  EXPECT_EQ(SharedOperandTile({8, 64}, 12, 128).status().message(),
            "layout: operand tile: expected element bits that are a power of two up to 128, got 12");
}

}  // namespace
}  // namespace kiln::layout
