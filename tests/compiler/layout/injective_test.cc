#include "compiler/layout/injective.h"

#include <gtest/gtest.h>

#include "compiler/layout/parse.h"

namespace kiln::layout {
namespace {

Injectivity Check(const char* text) { return CheckInjective(Parse(text).value()); }

// Case LAYOUT-5 V
TEST(CheckInjective, NamesTwoCoordinatesAndTheirPlace) {
  const Injectivity many_to_one = Check("S[(2,64):(0,1)]");
  ASSERT_EQ(many_to_one.decision, Decision::kNo);
  EXPECT_EQ(many_to_one.collision->first, 0);
  EXPECT_EQ(many_to_one.collision->second, 64);
  EXPECT_EQ(many_to_one.collision->place, (Point{{Axis::kM, 0}}));
  EXPECT_EQ(Check("S[8:0]").decision, Decision::kNo);

  // 3 * 2 = 2 * 3.
  const Injectivity crossing = Check("S[(3,4):(3,2)] + 10");
  ASSERT_EQ(crossing.decision, Decision::kNo);
  EXPECT_EQ(crossing.collision->first, 3);
  EXPECT_EQ(crossing.collision->second, 8);
  EXPECT_EQ(crossing.collision->place, (Point{{Axis::kM, 16}}));
}

TEST(CheckInjective, SparseLayoutsAreInjective) {
  EXPECT_EQ(Check("S[(2,64):(1000,3)]").decision, Decision::kYes);
  EXPECT_EQ(Check("S[(2,3):(3,2)]").decision, Decision::kYes);  // 0 2 4 3 5 7
  EXPECT_EQ(Check("swizzle[3,3,3] o S[(8,64):(64,1)]").decision, Decision::kYes);
  EXPECT_EQ(Check("S[(1024,1024,1024):(1048576,1024,1)]").decision, Decision::kYes);
  EXPECT_EQ(Check("S[(2,4):(-1,2)]").decision, Decision::kYes);
}

TEST(CheckInjective, ReplicasCollideAcrossCoordinates) {
  EXPECT_EQ(Check("S[2:1@warpid] + R[2:2@warpid]").decision, Decision::kYes);
  EXPECT_EQ(Check("S[2:1@warpid] + R[2:1@warpid]").decision, Decision::kNo);
}

// Case LAYOUT-6 V
TEST(CheckInjective, SymbolsAreDecidedOnlyWhereTheyAllow) {
  EXPECT_EQ(Check("S[(N,16):(16,1)]").decision, Decision::kYes);
  EXPECT_EQ(Check("S[(8,16):(16*N,1)]").decision, Decision::kYes);
  // Rows of 8192 at a stride that may be smaller: left open, not refused.
  EXPECT_EQ(Check("S[(64,8192):(2*N,1)]").decision, Decision::kUnknown);
}

TEST(Overlaps, FindsACommonPlace) {
  const auto overlap = [](const char* a, const char* b) { return Overlaps(Parse(a).value(), Parse(b).value()); };
  EXPECT_EQ(overlap("S[64:2]", "S[64:2] + 1").decision, Decision::kNo);
  EXPECT_EQ(overlap("S[64:1]", "S[64:1] + 64").decision, Decision::kNo);
  const Overlap shared = overlap("S[64:2]", "S[4:3] + 121");
  ASSERT_EQ(shared.decision, Decision::kYes);
  EXPECT_EQ(shared.place, (Point{{Axis::kM, 124}}));
  EXPECT_EQ(overlap("S[(32,2):(1@laneid,1)]", "S[(32,2):(1@laneid,1)] + 2").decision, Decision::kNo);
  EXPECT_EQ(overlap("S[N:1]", "S[4:1]").decision, Decision::kUnknown);
  EXPECT_EQ(overlap("swizzle[3,3,3] o S[64:1]", "swizzle[3,3,3] o S[64:1] + 64").decision, Decision::kNo);
  // Row 1 under the XOR still lies in row 1.
  EXPECT_EQ(overlap("swizzle[3,3,3] o S[64:1] + 64", "S[64:1]").decision, Decision::kNo);
  EXPECT_EQ(overlap("swizzle[3,3,3] o S[8:1] + 64", "S[8:1] + 72").decision, Decision::kYes);
}

}  // namespace
}  // namespace kiln::layout
