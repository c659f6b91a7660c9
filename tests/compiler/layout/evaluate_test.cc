#include "compiler/layout/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/layout/parse.h"

namespace kiln::layout {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Layout Text(const char* text) { return Parse(text).value(); }

TEST(Apply, GivesEveryReplicaOfACoordinate) {
  const Layout layout = Text("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid");
  EXPECT_THAT(Apply(layout, {3, 9}, {8, 16}).value(),
              ElementsAre(Point{{Axis::kM, 1}, {Axis::kLaneId, 12}, {Axis::kWarpId, 6}},
                          Point{{Axis::kM, 1}, {Axis::kLaneId, 12}, {Axis::kWarpId, 10}}));
}

TEST(Apply, ReachesTheEndOfTensorMemoryColumns) {
  const Layout layout = Text("S[(2,128,112):(112@TCol,1@TLane,1@TCol)]");
  EXPECT_THAT(Apply(layout, {1, 127, 111}, {2, 128, 112}).value(),
              ElementsAre(Point{{Axis::kTLane, 127}, {Axis::kTCol, 223}}));
}

TEST(Apply, XorsTheAddress) {
  // Row 5, 16-byte chunk 2 of a 128-byte swizzle of 16-bit elements: chunk 2 ^ 5 = 7.
  const Layout layout = Text("swizzle[3,3,3] o S[512:1]");
  EXPECT_THAT(Apply(layout, {5, 16}, {8, 64}).value(), ElementsAre(Point{{Axis::kM, 5 * 64 + 7 * 8}}));
}

TEST(Apply, ListsAReplicatedPlaceOnce) {
  EXPECT_THAT(Apply(Text("S[2:1] + R[4:0@laneid]"), {1}, {2}).value(),
              ElementsAre(Point{{Axis::kM, 1}, {Axis::kLaneId, 0}}));
}

TEST(Apply, WithoutAShapeTakesAnIndexOrOneNumberAnIter) {
  const Layout layout = Text("S[(8,8):(8,1)]");
  EXPECT_THAT(Apply(layout, {10}).value(), ElementsAre(Point{{Axis::kM, 10}}));
  EXPECT_THAT(Apply(layout, {1, 2}).value(), ElementsAre(Point{{Axis::kM, 10}}));
  EXPECT_EQ(Apply(layout, {1, 1, 1}).status().message(),
            "layout: apply: arity: without a shape a coordinate is one index or one number for each of the 2 shard "
            "iters, got (1, 1, 1) for S[(8,8):(8,1)]");
}

TEST(Apply, RefusesWhatTheLayoutDoesNotAdmit) {
  const Layout layout = Text("S[(8,8):(8,1)]");
  EXPECT_EQ(Apply(layout, {0, 0}, {8, 4}).status().message(),
            "layout: admit: S[(8,8):(8,1)] does not admit the shape (8, 4): it has 64 elements, the shape 32");
  EXPECT_EQ(Apply(layout, {0, 8}, {8, 8}).status().message(),
            "layout: apply: the coordinate (0, 8) lies outside the shape (8, 8)");
  EXPECT_EQ(Apply(layout, {-1, 0}, {8, 8}).status().message(),
            "layout: apply: the coordinate (-1, 0) lies outside the shape (8, 8)");
  EXPECT_EQ(Apply(layout, {0}, {8, 8}).status().message(),
            "layout: apply: rank: the coordinate (0) has 1 numbers, the shape (8, 8) 2");
  EXPECT_EQ(Apply(Text("S[(N,8):(8,1)]"), {0}).status().message(),
            "layout: apply: expected a layout without symbols, got S[(N,8):(8,1)]");
  EXPECT_THAT(std::string(Apply(Text("S[1:1] + R[1048577:1]"), {0}).status().message()),
              HasSubstr("more than 1048576 replicas"));
}

TEST(ApplyLinear, LeavesTheOutermostComponentUnbounded) {
  EXPECT_EQ(ApplyLinear(Text("swizzle[3,3,3] o S[512:1]"), 1000).value(), (Point{{Axis::kM, 976}}));
  EXPECT_EQ(ApplyLinear(Text("S[(4,8):(16,1)]"), 40).value(), (Point{{Axis::kM, 80}}));
  EXPECT_EQ(ApplyLinear(Text("S[4:1]"), -1).status().message(), "layout: apply: expected an index from 0 up, got -1");
  EXPECT_EQ(ApplyLinear(Text("S[2:4611686018427387904]"), 4).status().message(),
            "layout: apply: index 4 leaves 63 bits on m in S[2:4611686018427387904]");
}

TEST(ApplyLinear, RefusesToXorANegativeAddress) {
  EXPECT_EQ(ApplyLinear(Text("swizzle[3,3,3] o S[512:1] - 8"), 0).status().message(),
            "layout: apply: a swizzle takes addresses from 0 up, got -8 from swizzle[3,3,3] o S[512:1] - 8");
}

TEST(ApplyToShape, SplitsEachDimensionByItsIters) {
  EXPECT_THAT(ApplyToShape(Text("S[(16,4,4):(16,4,1)]"), {5, 7}, {16, 16}).value(), ElementsAre(5, 1, 3));
}

TEST(Evaluator, AgreesWithApply) {
  const Layout layout = Text("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid");
  const Evaluator evaluator = Evaluator::Make(layout).value();
  ASSERT_EQ(evaluator.size(), 128);
  ASSERT_EQ(evaluator.replicas(), 2);
  for (int64_t index = 0; index < 128; ++index) {
    const std::vector<Point> points = Apply(layout, {index}).value();
    for (int64_t replica = 0; replica < 2; ++replica) {
      Evaluator::Values values;
      evaluator.Evaluate(index, replica, values);
      for (const auto& [axis, value] : points[static_cast<size_t>(replica)]) {
        EXPECT_EQ(values[static_cast<size_t>(axis)], value) << index;
      }
    }
  }
}

}  // namespace
}  // namespace kiln::layout
