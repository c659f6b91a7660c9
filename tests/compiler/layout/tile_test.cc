#include "compiler/layout/tile.h"

#include <gtest/gtest.h>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/direct_sum.h"
#include "compiler/layout/parse.h"

namespace kiln::layout {
namespace {

Layout Text(const char* text) { return Parse(text).value(); }
TileLayout TileText(const char* text) { return ParseTile(text).value(); }
const AxisTable kNone = AxisTable::None();

TEST(Tile, ScalesOuterStridesByTheInnerSpan) {
  EXPECT_EQ(ToString(Tile(Text("S[(2,4):(2,3)]"), TileText("S[(4,2):(2,1)]"), {4, 2}, {2, 4}, kNone).value()),
            "S[(4,2,8):(24,2,3)]");
  EXPECT_EQ(ToString(Tile(Text("S[(32,2):(1@laneid,1)]"), TileText("S[(2,2):(2@warpid,1@warpid)] + R[2:4@warpid]"),
                          {2, 2}, {8, 8}, kNone)
                         .value()),
            "S[(2,8,2,4,2):(2@warpid,4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid]");
  EXPECT_EQ(
      ToString(Tile(Text("swizzle[3,3,3] o S[512:1]"), TileText("S[(8,4):(1,8)]"), {8, 4}, {8, 64}, kNone).value()),
      "swizzle[3,3,3] o S[(64,4,64):(64,4096,1)]");
}

TEST(Tile, WantsOperandsOfOneRank) {
  EXPECT_EQ(Tile(Text("S[(2,4):(1,2)]"), TileText("S[8:1]"), {8}, {2, 4}, kNone).status().message(),
            "layout: tile: rank of tile operands: outer (8) and inner (2, 4) have different ranks");
}

TEST(TileTo, RepeatsInSlots) {
  EXPECT_EQ(ToString(TileTo(Text("S[(8,8):(8,1)]"), {64, 64}, {8, 8}, kNone).value()), "S[(8,8,8,8):(512,8,64,1)]");
  EXPECT_EQ(TileTo(Text("S[(8,8):(8,1)]"), {60, 64}, {8, 8}, kNone).status().message(),
            "layout: tile_to: dimension 0 is indivisible: 60 by 8, of the shapes (60, 64) and (8, 8)");
}

TEST(IsTileInner, FindsTheOuterOrNone) {
  const Layout tiled = Text("S[(2,8,2,4,2):(64@tid,4@tid,32@tid,1@tid,1)]");
  const auto outer =
      IsTileInner(Text("S[(8,4,2):(4@laneid,1@laneid,1)]"), tiled, {16, 16}, {8, 8}, AxisTable::Cuda()).value();
  ASSERT_TRUE(outer.has_value());
  EXPECT_EQ(ToString(Canonicalize(*outer, kNone).value()), "S[4:1@warpid]");
  // Without the table tid stays whole, and no lane is in it.
  EXPECT_EQ(IsTileInner(Text("S[(8,4,2):(4@laneid,1@laneid,1)]"), tiled, {16, 16}, {8, 8}, kNone).value(),
            std::nullopt);
  EXPECT_EQ(IsTileInner(Text("S[64:1]"), Text("swizzle[3,3,3] o S[512:1]"), {512}, {64}, kNone).value(), std::nullopt);
  EXPECT_FALSE(IsTileInner(Text("S[8:1]"), Text("S[64:1]"), {64}, {8, 8}, kNone).ok());
  EXPECT_FALSE(IsTileInner(Text("S[6:1]"), Text("S[64:1]"), {64}, {6}, kNone).ok());
}

TEST(IsTileOuter, SplitsTheTiledThreads) {
  const auto inner =
      IsTileOuter(Text("S[(2,2):(2@warpid,1@warpid)]"), Text("S[(2,8,2,4,2):(64@tid,4@tid,32@tid,1@tid,1)]"), {16, 16},
                  {2, 2}, AxisTable::Cuda())
          .value();
  ASSERT_TRUE(inner.has_value());
  EXPECT_EQ(ToString(Canonicalize(*inner, kNone).value()), "S[(32,2):(1@laneid,1)]");
}

TEST(IsTile, ReplicasOfTheFactorMustBeThere) {
  const Layout tiled = Text("S[(2,8192):(2@warpid,1)] + R[2:1@warpid]");
  const auto outer = IsTileInner(Text("S[8192:1]"), tiled, {128, 128}, {64, 128}, kNone).value();
  ASSERT_TRUE(outer.has_value());
  EXPECT_EQ(ToString(Canonicalize(*outer, kNone).value()), "S[2:2@warpid] + R[2:1@warpid]");
  EXPECT_EQ(IsTileInner(Text("S[8192:1] + R[4:1@laneid]"), tiled, {128, 128}, {64, 128}, kNone).value(), std::nullopt);
}

TEST(DirectSum, AddsWithoutScaling) {
  const Layout right = Text("S[(2,2):(4,1)]");
  const TileLayout left = TileText("S[(2,2):(8,2)]");
  const Layout sum = DirectSum(left, right, {2, 2}, {2, 2}, kNone).value();
  EXPECT_EQ(ToString(sum), "S[16:1]");
  EXPECT_EQ(*IsDirectSumRight(right, sum, {2, 2, 2, 2}, {2, 2}, kNone).value(), left);
  EXPECT_EQ(*IsDirectSumLeft(left, sum, {2, 2, 2, 2}, {2, 2}, kNone).value(), right);
  EXPECT_EQ(IsDirectSumLeft(right, sum, {2, 2, 2, 2}, {2, 2}, kNone).value(), std::nullopt);
  EXPECT_EQ(IsDirectSumLeft(left, sum, {2, 2, 2}, {2, 2}, kNone).status().message(),
            "layout: is_direct_sum_left: rank: the interleaved shape (2, 2, 2) must have twice the rank of (2, 2)");
}

}  // namespace
}  // namespace kiln::layout
