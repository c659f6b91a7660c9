#include "compiler/layout/conversion.h"

#include <gtest/gtest.h>

#include "compiler/layout/fragments.h"
#include "compiler/layout/parse.h"

namespace kiln::layout {
namespace {

ConversionPlan Cost(const char* from, const char* to) {
  return ConversionCost(ParseTile(from).value(), ParseTile(to).value()).value();
}

TEST(ConversionCost, TheSamePlacesCostNothing) {
  EXPECT_EQ(Cost("S[(4,32):(1@warpid,1@laneid)]", "S[128:1@tid]").kind, Conversion::kSameSlots);
  // Every copy that is wanted is held.
  EXPECT_EQ(Cost("S[(32,2):(1@laneid,1)] + R[4:1@warpid]", "S[(32,2):(1@laneid,1)] + R[2:1@warpid]").kind,
            Conversion::kSameSlots);
}

TEST(ConversionCost, TheAccumulatorIsTheNextOperand) {
  // An m16n8 accumulator pair as the A operand of the next mma: only slots are renamed.
  const TileLayout c =
      TileOverWarps(MmaFragment(MmaOperand::kC, 16, 16).value(), {16, 8}, MmaOperand::kC, {16, 16}, 1, 1).value();
  const TileLayout a = MmaFragment(MmaOperand::kA, 16, 16).value();
  EXPECT_EQ(ConversionCost(c, a).value().kind, Conversion::kSameSlots);
  EXPECT_EQ(Cost("S[(32,4):(1@laneid,1)]", "S[(32,2,2):(1@laneid,1,2)]").kind, Conversion::kRename);
}

TEST(ConversionCost, ShufflesInsideAWarpAndSharesBeyond) {
  const ConversionPlan transposed = Cost("S[(8,4):(4@laneid,1@laneid)]", "S[(8,4):(1@laneid,8@laneid)]");
  EXPECT_EQ(transposed.kind, Conversion::kShuffle);
  EXPECT_EQ(transposed.shuffles, 1);
  const ConversionPlan spread = Cost("S[(32,2):(1@laneid,1)]", "S[(2,32):(1,1@laneid)]");
  EXPECT_EQ(spread.kind, Conversion::kShuffle);
  EXPECT_EQ(spread.shuffles, 4);
  EXPECT_EQ(Cost("S[(4,32):(1@warpid,1@laneid)]", "S[(32,4):(1@laneid,1@warpid)]").kind, Conversion::kShared);
  EXPECT_EQ(Cost("S[(32,2):(1@laneid,1)]", "S[64:1@tid]").kind, Conversion::kShared);
}

TEST(ConversionCost, RefusesWhatIsNotRegisters) {
  EXPECT_EQ(ConversionCost(ParseTile("S[32:1@laneid]").value(), ParseTile("S[64:1@laneid]").value()).status().message(),
            "layout: conversion: the sizes differ: S[32:1@laneid] has 32 elements, S[64:1@laneid] 64");
  EXPECT_EQ(ConversionCost(ParseTile("S[32:1@TLane]").value(), ParseTile("S[32:1@laneid]").value()).status().message(),
            "layout: threads: expected registers of threads in a CTA, got S[32:1@TLane]");
}

}  // namespace
}  // namespace kiln::layout
