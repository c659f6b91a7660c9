#include "compiler/layout/canonicalize.h"

#include <gtest/gtest.h>

#include "compiler/layout/parse.h"
#include "compiler/layout/scope.h"

namespace kiln::layout {
namespace {

std::string Canonical(const char* text, const AxisTable& axes = AxisTable::None()) {
  return ToString(Canonicalize(Parse(text).value(), axes).value());
}

TEST(Canonicalize, FusesNeighboursAndDropsUnits) {
  EXPECT_EQ(Canonical("S[(8,1,4,2):(8,160,2,1)] + 0"), "S[64:1]");
  EXPECT_EQ(Canonical("S[(8,8):(4,1)]"), "S[(8,8):(4,1)]");
  EXPECT_EQ(Canonical("S[(4,4):(0,0)]"), "S[16:0]");
  EXPECT_EQ(Canonical("S[(1,1):(7@laneid,9)]"), "S[1:1@laneid]");
  EXPECT_EQ(Canonical("S[2:1] + R[(8,4):(4@laneid,1@laneid)]"), "S[2:1] + R[(4,8):(1@laneid,4@laneid)]");
}

TEST(Canonicalize, FusesAroundASymbol) {
  EXPECT_EQ(Canonical("S[(N,192):(192,1)]"), "S[192*N:1]");
  EXPECT_EQ(Canonical("S[(4,N,K):(N*K,K,1)]"), "S[4*K*N:1]");
  EXPECT_EQ(Canonical("S[(N,192):(200,1)]"), "S[(N,192):(200,1)]");
}

TEST(Canonicalize, FusesThreadAxesOnlyThroughTheTableGiven) {
  const char* const kWarps = "S[(2,8,2,4):(2@warpid,4@laneid,1@warpid,1@laneid)] + R[2:4@warpid] + 5@warpid";
  EXPECT_EQ(Canonical(kWarps), kWarps);
  EXPECT_EQ(Canonical(kWarps, AxisTable::Cuda()), "S[(2,8,2,4):(64@tid,4@tid,32@tid,1@tid)] + R[2:128@tid] + 160@tid");
  EXPECT_EQ(Canonical("S[(2,4):(1@wgid,1@wid_in_wg)]", AxisTable::Cuda()), "S[8:1@warpid]");
  EXPECT_EQ(Canonical("S[(2,128):(1@wgid,1@tid_in_wg)]", AxisTable::Cuda()), "S[256:1@tid]");
  EXPECT_EQ(Canonical("S[(4,32):(1@wid_in_wg,1@laneid)]", AxisTable::Cuda()), "S[128:1@tid_in_wg]");
  // A gap in the chain, or a scope past the table, leaves the axes as they are.
  EXPECT_EQ(Canonical("S[(2,32):(1@wgid,1@laneid)]", AxisTable::Cuda()), "S[(2,32):(1@wgid,1@laneid)]");
  EXPECT_EQ(Canonical("S[(2,4,32):(1@cbx,1@warpid,1@laneid)]", AxisTable::Cuda()),
            "S[(2,4,32):(1@cbx,1@warpid,1@laneid)]");
}

TEST(Canonicalize, KeepsTheXor) {
  EXPECT_EQ(Canonical("swizzle[3,3,3] o S[(8,64):(64,1)]"), "swizzle[3,3,3] o S[512:1]");
}

TEST(SplitAxes, UndoesTheFusionAtAScope) {
  const TileLayout fused = ParseTile("S[(2,8,2,4):(64@tid,4@tid,32@tid,1@tid)] + 33@tid").value();
  EXPECT_EQ(SplitAxes(fused, Scope::kWarp, AxisTable::Cuda()).value(), std::nullopt);  // 31 + 1 carries into the warp.
  const TileLayout even = ParseTile("S[(2,8,2,4):(64@tid,4@tid,32@tid,1@tid)] + 64@tid").value();
  EXPECT_EQ(ToString(SplitAxes(even, Scope::kWarp, AxisTable::Cuda()).value().value()),
            "S[(2,8,2,4):(2@warpid,4@laneid,1@warpid,1@laneid)] + 0@laneid + 2@warpid");
  EXPECT_EQ(
      ToString(SplitAxes(ParseTile("S[256:1@tid]").value(), Scope::kWarpgroup, AxisTable::Cuda()).value().value()),
      "S[(2,128):(1@wgid,1@tid_in_wg)]");
  EXPECT_EQ(SplitAxes(ParseTile("S[48:1@tid]").value(), Scope::kWarp, AxisTable::Cuda()).value(), std::nullopt);
}

TEST(GetScope, ReachesFromTheInnermostUnitOut) {
  EXPECT_EQ(GetScope(ParseTile("S[(4,32):(1@wid_in_wg,1@laneid)]").value()).value(),
            (ScopeRange{Scope::kThread, Scope::kWarpgroup}));
  EXPECT_EQ(GetScope(ParseTile("S[2:1@laneid] + 3@warpid").value()).value(), (ScopeRange{Scope::kThread, Scope::kCta}));
  EXPECT_EQ(GetScope(ParseTile("S[4:1@bx]").value()).value(), (ScopeRange{Scope::kCta, Scope::kGrid}));
  EXPECT_EQ(GetScope(ParseTile("S[4:1]").value()).value(), std::nullopt);
}

TEST(GetScope, RefusesGapsAndConflicts) {
  EXPECT_EQ(VerifyWellFormed(Parse("S[(2,32):(1@wgid,1@laneid)]").value()).message(),
            "layout: scope: disconnected thread scopes: laneid reaches a warp and wgid counts warpgroups: "
            "S[(2,32):(1@wgid,1@laneid)]");
  EXPECT_EQ(VerifyWellFormed(Parse("S[(2,32):(1@tid,1@laneid)]").value()).message(),
            "layout: scope: conflicting thread scopes: laneid counts threads in a warp, tid in a cta: "
            "S[(2,32):(1@tid,1@laneid)]");
}

}  // namespace
}  // namespace kiln::layout
