#include "compiler/layout/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/layout/coordinates.h"
#include "compiler/layout/parse.h"

namespace kiln::layout {
namespace {

using ::testing::ElementsAre;

TileLayout Text(const char* text) { return ParseTile(text).value(); }
const Extent kN = Extent::Symbol("N");

TEST(Group, GivesEachDimensionARun) {
  const Grouped grouped = Group(Text("S[64:1]"), {8, 8}).value();
  EXPECT_EQ(ToString(grouped.layout), "S[(8,8):(8,1)]");
  EXPECT_THAT(grouped.separators, ElementsAre(0, 1, 2));
  EXPECT_THAT(grouped.Run(1), ElementsAre(Iter{8, 1, Axis::kM}));
}

TEST(Group, ADimensionOfOneOwnsAUnit) {
  const Grouped grouped = Group(Text("S[(2,3):(3,1)]"), {1, 6, 1}).value();
  EXPECT_EQ(ToString(grouped.layout), "S[(1,2,3,1):(6,3,1,1)]");
  EXPECT_THAT(grouped.separators, ElementsAre(0, 1, 3, 4));
}

TEST(Group, CancelsSymbols) {
  EXPECT_EQ(ToString(Group(Text("S[192*N:1]"), {kN, 16, 12}).value().layout), "S[(N,16,12):(192,12,1)]");
  EXPECT_FALSE(TryGroup(Text("S[192*N:1]"), {Extent::Symbol("K"), 192}).value().has_value());
}

TEST(Group, SaysWhyNot) {
  EXPECT_EQ(
      Group(Text("S[(6,4):(4,1)]"), {4, 6}).status().message(),
      "layout: group: S[(6,4):(4,1)] is not groupable by (4, 6): a boundary of the shape cuts an iter indivisibly");
  EXPECT_EQ(Group(Text("S[(6,4):(4,1)]"), {6, 5}).status().message(),
            "layout: group: S[(6,4):(4,1)] is not groupable by (6, 5): the layout has 24 elements, the shape 30");
}

TEST(GroupMany, RefinesAllBoundaries) {
  const GroupedMany grouped = GroupMany(Text("S[30:1]"), {{1, 6, 1, 5, 1}, {2, 1, 3, 5}}).value();
  EXPECT_EQ(ToString(grouped.layout), "S[(1,2,1,3,1,5,1):(30,15,15,5,5,1,1)]");
  EXPECT_THAT(grouped.separators, ElementsAre(ElementsAre(0, 1, 4, 5, 6, 7), ElementsAre(0, 2, 3, 4, 7)));
}

TEST(GroupMany, RefusesBoundariesThatDoNotNest) {
  EXPECT_EQ(
      GroupMany(Text("S[12:1]"), {{3, 4}, {2, 6}}).status().message(),
      "layout: group_many: the boundaries of (2, 6) and another of the 2 shapes are incompatible: neither 2 nor 3 "
      "divides the other");
  EXPECT_EQ(GroupMany(Text("S[12:1]"), {{3, 4}, {2, 5}}).status().message(),
            "layout: group_many: the shapes (3, 4) and (2, 5) differ in size: 12 and 10");
  EXPECT_EQ(GroupMany(Text("S[12:1]"), {}).status().message(), "layout: group_many: at least one shape is needed");
}

TEST(CheckAdmits, WantsOneSizeAndUniformSymbolicStrides) {
  EXPECT_TRUE(CheckAdmits(Text("S[(4,8):(8*N,N)]"), {32}).ok());
  EXPECT_EQ(CheckAdmits(Text("S[(4,8):(N,3)]"), {32}).message(),
            "layout: admit: dimension 0 of (32) has a symbolic stride that is not uniform in S[(4,8):(N,3)]");
  EXPECT_TRUE(CheckAdmits(Text("S[(4,8):(N,3)]"), {4, 8}).ok());
  EXPECT_EQ(CheckAdmits(Text("S[(N,8):(8,1)]"), {8, 8}).message(),
            "layout: admit: S[(N,8):(8,1)] does not admit the shape (8, 8): it has 8*N elements, the shape 64");
}

TEST(Components, ListsWeightsInTheDimension) {
  const auto dims = Components(Text("S[(2,8,2,4,2):(2,4@laneid,4,1@laneid,1)]"), {16, 16}).value();
  EXPECT_THAT(dims[0], ElementsAre(Component{2, 8, 2, Axis::kM}, Component{8, 1, 4, Axis::kLaneId}));
  EXPECT_THAT(dims[1], ElementsAre(Component{2, 8, 4, Axis::kM}, Component{4, 2, 1, Axis::kLaneId},
                                   Component{2, 1, 1, Axis::kM}));
}

TEST(CoordinateDigits, ReadsCoordinatesOffPlaces) {
  const auto digits =
      CoordinateDigits(Text("S[(2,8,4,2):(2,4@laneid,1@laneid,1)] + 8@laneid"), {16, 8}).value().value();
  // row = slot / 2 * 8 + (lane - 8) / 4; column = (lane - 8) % 4 * 2 + slot % 2.
  ASSERT_EQ(digits[0].size(), 2U);
  EXPECT_FALSE(digits[0][0].wraps);
  EXPECT_FALSE(digits[0][1].wraps);
  EXPECT_EQ(digits[0][1].offset, Extent(8));
  ASSERT_EQ(digits[1].size(), 2U);
  EXPECT_TRUE(digits[1][0].wraps);
  EXPECT_TRUE(digits[1][1].wraps);
}

TEST(CoordinateDigits, ReplicasWrapToo) {
  const auto digits = CoordinateDigits(Text("S[2:1@warpid] + R[2:2@warpid]"), {2}).value().value();
  EXPECT_TRUE(digits[0][0].wraps);
}

TEST(CoordinateDigits, NoneWhereItersOverlap) {
  EXPECT_EQ(CoordinateDigits(Text("S[(4,4):(2,1)]"), {4, 4}).value(), std::nullopt);
  EXPECT_EQ(CoordinateDigits(Text("S[(4,4):(0,1)]"), {4, 4}).value(), std::nullopt);
}

}  // namespace
}  // namespace kiln::layout
