#include "compiler/layout/inverse.h"

#include <gtest/gtest.h>

#include "compiler/layout/parse.h"

namespace kiln::layout {
namespace {

std::string Inverted(const char* text, const std::vector<Axis>& axes = {}) {
  const auto inverse = Inverse(ParseTile(text).value(), axes);
  if (!inverse.ok()) return std::string(inverse.status().message());
  return inverse->has_value() ? ToString(**inverse) : "none";
}

std::string Composed(const char* outer, const char* inner) {
  const auto composed = Compose(Parse(outer).value(), ParseTile(inner).value());
  if (!composed.ok()) return std::string(composed.status().message());
  return composed->has_value() ? ToString(**composed) : "none";
}

TEST(Inverse, SwapsStridesAndWeights) {
  EXPECT_EQ(Inverted("S[(4,8):(1,4)]"), "S[(8,4):(1,8)]");
  EXPECT_EQ(Inverted("S[(2,8,4,2):(2,4@laneid,1@laneid,1)]"), "S[(8,4,2,2):(8,2,64,1)]");
  EXPECT_EQ(Inverted("S[(2,8,4,2):(2,4@laneid,1@laneid,1)]", {Axis::kM, Axis::kLaneId}), "S[(2,2,8,4):(64,1,8,2)]");
  EXPECT_EQ(Inverted("S[32:1@laneid] + R[4:1@warpid]"), "S[(32,4):(1,0)]");
}

TEST(Inverse, SymbolsAreNoObstacle) {
  EXPECT_EQ(Inverted("S[(N,16):(16,1)]"), "S[(N,16):(16,1)]");
  EXPECT_EQ(Inverted("S[(N,16):(1,N)]"), "S[(16,N):(1,16)]");
}

TEST(Inverse, NoneForGapsOverlapsAndOffsets) {
  EXPECT_EQ(Inverted("S[(4,8):(9,1)]"), "none");
  EXPECT_EQ(Inverted("S[(4,8):(4,1)]"), "none");
  EXPECT_EQ(Inverted("S[8:1] + 8"), "none");
  EXPECT_EQ(Inverted("S[8:0]"), "none");
  EXPECT_EQ(Inverted("S[(32,2):(1@laneid,1)]", {Axis::kM}),
            "layout: inverse: S[(32,2):(1@laneid,1)] uses laneid, which is not among the axes");
}

TEST(Compose, FollowsOneLayoutByAnother) {
  EXPECT_EQ(Composed("S[(4,8):(1,4)]", "S[(8,4):(1,8)]"), "S[(8,4):(4,1)]");
  EXPECT_EQ(Composed("S[(8,4,2):(4@laneid,1@laneid,1)]", "S[(8,4):(8,2)]"), "S[(8,4):(4@laneid,1@laneid)]");
  EXPECT_EQ(Composed("S[10:1]", "S[4:2]"), "S[4:2]");
  EXPECT_EQ(Composed("S[16:3]", "S[(2,2):(1,8)] + 4"), "S[(2,2):(3,24)] + 12");
  EXPECT_EQ(Composed("swizzle[3,3,3] o S[512:1]", "S[(8,8):(8,64)]"), "swizzle[3,3,3] o S[(8,8):(8,64)]");
  EXPECT_EQ(Composed("S[(N,16):(16,1)]", "S[(N,16):(16,1)]"), "S[(N,16):(16,1)]");
  EXPECT_EQ(Composed("S[(4,8):(100,1)]", "S[3:0]"), "S[3:0]");
}

TEST(Compose, NoneWhereStridesDoNotMeet) {
  EXPECT_EQ(Composed("S[(4,6):(10,1)]", "S[6:4]"), "none");
  EXPECT_EQ(Composed("S[(4,6):(10,1)]", "S[(4,4):(2,1)]"), "none");
  EXPECT_EQ(Composed("S[8:1]", "S[8:2]"),
            "layout: compose: indices up to 14 of S[8:2] lie outside S[8:1], which has 8");
  EXPECT_EQ(Composed("S[8:1]", "S[8:1@laneid]"),
            "layout: compose: the inner layout must map to m alone, got S[8:1@laneid]");
}

}  // namespace
}  // namespace kiln::layout
