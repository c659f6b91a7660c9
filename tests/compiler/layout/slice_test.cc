#include "compiler/layout/slice.h"

#include <gtest/gtest.h>

#include "compiler/layout/canonicalize.h"
#include "compiler/layout/parse.h"

namespace kiln::layout {
namespace {

const Extent kN = Extent::Symbol("N");

std::string Sliced(const char* text, const Shape& shape, const Region& region) {
  const auto slice = Slice(Parse(text).value(), shape, region, AxisTable::None());
  if (!slice.ok()) return std::string(slice.status().message());
  if (!slice->has_value()) return "none";
  return ToString(Canonicalize(**slice, AxisTable::None()).value());
}

TEST(Slice, TheOffsetAbsorbsTheBegin) {
  EXPECT_EQ(Sliced("S[(8,8):(8,1)]", {64}, {{5, 8}}), "S[3:1] + 5");
  EXPECT_EQ(Sliced("S[(2,128):(8192,64)]", {256}, {{96, 128}}), "S[32:64] + 6144");
  EXPECT_EQ(Sliced("S[(4,64):(64,1)] + 448", {4, 64}, {{2, 4}, {0, 64}}), "S[128:1] + 576");
  EXPECT_EQ(Sliced("swizzle[3,3,3] o S[512:1]", {512}, {{64, 128}}), "swizzle[3,3,3] o S[64:1] + 64");
  EXPECT_EQ(Sliced("S[(8,4,2):(4@laneid,1@laneid,1)]", {8, 8}, {{2, 3}, {4, 8}}), "S[(2,2):(1@laneid,1)] + 10@laneid");
}

TEST(Slice, FindsStridesAcrossBlocks) {
  EXPECT_EQ(Sliced("S[(4,4,4,4):(64,4,16,1)]", {16, 16}, {{2, 3}, {6, 10}}), "S[(2,2):(14,1)] + 26");
  EXPECT_EQ(Sliced("S[(128,2,64):(64,8192,1)]", {128, 128}, {{0, 128}, {32, 96}}), "S[(128,2,32):(64,8160,1)] + 32");
  // Half blocks in turn: 1, 8, 9, 16, 17, 24.
  EXPECT_EQ(Sliced("S[(4,2):(8,1)]", {8}, {{1, 7}}), "S[(3,2):(8,7)] + 1");
  // Linear across a carry of three iters.
  EXPECT_EQ(Sliced("S[(2,2,2):(5,3,1)]", {8}, {{3, 5}}), "S[2:1] + 4");
}

TEST(Slice, SymbolsPassWhereTheyAreWhole) {
  EXPECT_EQ(Sliced("S[(N,192):(192,1)]", {kN, 192}, {{0, kN}, {16, 32}}), "S[(N,16):(192,1)] + 16");
  EXPECT_EQ(Sliced("S[(N,192):(192,1)]", {kN, 192}, {{3, 4}, {0, 192}}), "S[192:1] + 576");
  EXPECT_EQ(Sliced("S[(64,K):(K,1)]", {64, Extent::Symbol("K")}, {{8, 16}, {0, Extent::Symbol("K")}}),
            "S[8*K:1] + 8*K");
}

TEST(Slice, NoneWhereNothingIsStrided) {
  EXPECT_EQ(Sliced("S[(4,3,5):(1,4,12)]", {60}, {{3, 8}}), "none");
  EXPECT_EQ(Sliced("S[(4,4):(1,4)]", {16}, {{2, 7}}), "none");
  // The step from one block to the next moves two axes at once.
  EXPECT_EQ(Sliced("S[(8,4):(1@laneid,1)]", {32}, {{2, 6}}), "none");
}

TEST(Slice, RefusesWrongRegions) {
  EXPECT_EQ(Sliced("S[64:1]", {64}, {{8, 8}}), "layout: slice: dimension 0: the range 8..8 is empty or outside 0..64");
  EXPECT_EQ(Sliced("S[64:1]", {64}, {{8, 65}}),
            "layout: slice: dimension 0: the range 8..65 is empty or outside 0..64");
  EXPECT_EQ(Sliced("S[64:1]", {64}, {{-1, 8}}),
            "layout: slice: dimension 0: the range -1..8 is empty or outside 0..64");
  EXPECT_EQ(Sliced("S[64:1]", {8, 8}, {{0, 8}}),
            "layout: slice: rank: the shape (8, 8) has 2 dimensions, the region 1");
}

}  // namespace
}  // namespace kiln::layout
