#include "compiler/layout/axis.h"

#include <gtest/gtest.h>

namespace kiln::layout {
namespace {

TEST(Axis, AliasesResolveToOneAxis) {
  EXPECT_EQ(ParseAxis("tx").value(), Axis::kTid);
  EXPECT_EQ(ParseAxis("reg").value(), Axis::kM);
  EXPECT_EQ(ParseAxis("lane").value(), Axis::kLaneId);
  EXPECT_EQ(ParseAxis("warp").value(), Axis::kWarpId);
  EXPECT_EQ(ParseAxis("Lane").value(), Axis::kTLane);
  EXPECT_EQ(ParseAxis("Col").value(), Axis::kTCol);
  EXPECT_EQ(Name(Axis::kTid), "tid");
}

TEST(Axis, TheTableIsInEnumOrderWithUniqueNames) {
  for (size_t i = 0; i < kAxisCount; ++i) {
    const AxisInfo& row = AxisTableRows()[i];
    EXPECT_EQ(static_cast<size_t>(row.axis), i);
    EXPECT_EQ(FindAxis(row.name), row.axis);
    if (!row.alias.empty()) {
      EXPECT_EQ(FindAxis(row.alias), row.axis);
    }
  }
}

TEST(Axis, AnUnknownNameNamesTheNearest) {
  EXPECT_EQ(ParseAxis("warp_id").status().message(),
            "layout: axis: unknown axis \"warp_id\"; the nearest known one is \"warpid\"");
  EXPECT_EQ(ParseAxis("LaneID").status().message(),
            "layout: axis: unknown axis \"LaneID\"; the nearest known one is \"laneid\"");
  EXPECT_EQ(ParseAxis("tid_in_wrap").status().message(),
            "layout: axis: unknown axis \"tid_in_wrap\"; the nearest known one is \"tid_in_wg\"");
  EXPECT_FALSE(ParseAxis("").ok());
}

TEST(AxisTable, CudaFusesWhereUnitAndScopeAreKnown) {
  const AxisTable cuda = AxisTable::Cuda();
  EXPECT_EQ(cuda.Fused(Scope::kThread, Scope::kWarpgroup), Axis::kTidInWg);
  EXPECT_EQ(cuda.Fused(Scope::kThread, Scope::kCta), Axis::kTid);
  EXPECT_EQ(cuda.Fused(Scope::kWarp, Scope::kCta), Axis::kWarpId);
  EXPECT_EQ(cuda.Fused(Scope::kThread, Scope::kCluster), std::nullopt);
  EXPECT_EQ(cuda.UnitsPer(Scope::kWarp, Scope::kThread), 32);
  EXPECT_EQ(cuda.UnitsPer(Scope::kWarpgroup, Scope::kThread), 128);
  EXPECT_EQ(cuda.UnitsPer(Scope::kWarpgroup, Scope::kWarp), 4);
  EXPECT_EQ(cuda.UnitsPer(Scope::kCta, Scope::kThread), std::nullopt);
  EXPECT_EQ(AxisTable::None().Fused(Scope::kThread, Scope::kCta), std::nullopt);
}

}  // namespace
}  // namespace kiln::layout
