#include "compiler/layout/rearrange.h"

#include <gtest/gtest.h>

#include "compiler/layout/pack.h"
#include "compiler/layout/parse.h"

namespace kiln::layout {
namespace {

Layout Text(const char* text) { return Parse(text).value(); }

std::string Shown(const absl::StatusOr<Layout>& layout) {
  return layout.ok() ? ToString(*layout) : std::string(layout.status().message());
}

TEST(Measure, SizesAndSpans) {
  const TileLayout tensor = ParseTile("S[(8,8,8):(64@F,1@P,1@F)] + R[2:1000@F] + 3@P").value();
  EXPECT_EQ(Size(tensor), Extent(512));
  EXPECT_EQ(Size(tensor, Axis::kF), Extent(64));
  EXPECT_EQ(Size(tensor, Axis::kM), Extent(1));
  EXPECT_EQ(Span(tensor, Axis::kF), Extent(1456));
  EXPECT_EQ(Span(tensor, Axis::kP), Extent(11));
  EXPECT_EQ(Span(tensor), Extent(1466));
  EXPECT_EQ(Span(ParseTile("S[(N,16):(16,1)]").value(), Axis::kM), Extent::Symbol("N") * 16);
  EXPECT_EQ(Span(Text("swizzle[3,3,3] o S[512:1]"), Axis::kM).status().message(),
            "layout: span: a swizzled layout has no span on one axis (m): swizzle[3,3,3] o S[512:1]");
}

TEST(Measure, AllocationCoversTheXor) {
  EXPECT_EQ(AllocationExtent(Text("S[(8,6):(8,1)]")).value(), Extent(62));
  EXPECT_EQ(AllocationExtent(Text("swizzle[3,3,3] o S[(8,8):(64,1)]")).value(), Extent(512));
  EXPECT_EQ(AllocationExtent(Text("swizzle[3,3,3] o S[(N,512):(512,1)]")).value(), Extent::Symbol("N") * 512);
  EXPECT_FALSE(AllocationExtent(Text("swizzle[3,3,3] o S[(N,64):(64,1)]")).ok());
}

TEST(Substitute, BindsSymbols) {
  const TileLayout layout = ParseTile("S[(N,16):(16*K,K)] + N@laneid").value();
  EXPECT_EQ(ToString(Substitute(layout, {{"N", 4}, {"K", 2}}).value()), "S[(4,16):(32,2)] + 4@laneid");
  EXPECT_EQ(Substitute(layout, {{"N", 0}}).status().message(),
            "layout: construct: an extent must be at least 1, got 0 (stride 16*K@m)");
}

TEST(Storage, KeepsWhatAThreadHolds) {
  EXPECT_EQ(Shown(Storage(Text("S[(2,8,4,2):(2,4@laneid,1@laneid,1)] + R[2:4@warpid] + 5@warpid + 7"))),
            "S[(2,2):(2,1)] + 7");
}

TEST(Broadcast, InsertsAStrideOfZero) {
  EXPECT_EQ(Shown(Broadcast(Text("S[(4,8):(8,1)]"), 4)), "S[(4,8,4):(8,1,0)]");
  EXPECT_EQ(Shown(Broadcast(Text("S[(4,8):(8,1)]"), 4, 0)), "S[(4,4,8):(0,8,1)]");
  EXPECT_EQ(Shown(Broadcast(Text("S[(4,8):(8,1)]"), 4, -2, Axis::kTid)), "S[(4,4,8):(8,0@tid,1)]");
  EXPECT_EQ(Shown(Broadcast(Text("S[(4,8):(8,1)]"), 4, 3)),
            "layout: broadcast: expected a position from -3 to 2, got 3");
}

TEST(Permute, ReordersItersAndRuns) {
  EXPECT_EQ(Shown(PermuteDims(Text("S[2,3,4]"), {2, 0, 1})), "S[(4,2,3):(1,12,4)]");
  EXPECT_EQ(Shown(PermuteDims(Text("S[2,3,4]"), {0, 1})),
            "layout: permute_dims: (0, 1) does not permute the 3 shard iters of S[(2,3,4):(12,4,1)]");
  EXPECT_EQ(Shown(PermuteByGroups(Text("S[2,3,4]"), {0, 2, 3}, {1, 0})), "S[(4,2,3):(1,12,4)]");
  EXPECT_EQ(Shown(PermuteByGroups(Text("S[2,3,4]"), {0, 2, 3}, {0, 0})),
            "layout: permute_by_groups: (0, 0) does not permute the 2 groups");
  EXPECT_EQ(Shown(PermuteByGroups(Text("S[2,3,4]"), {0, 2}, {0})),
            "layout: permute_by_groups: the separators (0, 2) do not cut the 3 shard iters of S[(2,3,4):(12,4,1)] into "
            "runs");
}

TEST(Pack, DividesStridesOffsetsAndTheXor) {
  EXPECT_EQ(Shown(Pack(Text("S[(8,16):(16,1)] + 32 + 3@laneid"), 2)), "S[(8,8):(8,1)] + 16 + 3@laneid");
  EXPECT_EQ(Shown(Pack(Text("S[(32,4):(1@laneid,1)]"), 2)), "S[(32,2):(1@laneid,1)]");
  EXPECT_EQ(Shown(Pack(Text("swizzle[4,3,3] o S[1024:1]"), 2)), "swizzle[3,3,3] o S[512:1]");
  EXPECT_EQ(Shown(Pack(Text("S[(8,7):(7,1)]"), 2)),
            "layout: pack: S[(8,7):(7,1)] is not packable by 2: the innermost extent is not a multiple");
  EXPECT_EQ(Shown(Pack(Text("S[(8,8):(1,8)]"), 2)),
            "layout: pack: S[(8,8):(1,8)] is not packable by 2: the innermost iter is not memory of stride 1");
  EXPECT_EQ(Shown(Pack(Text("S[(8,8):(9,1)]"), 2)),
            "layout: pack: S[(8,8):(9,1)] is not packable by 2: a stride is not a multiple");
  EXPECT_EQ(Shown(Pack(Text("S[8:1] + 1"), 2)),
            "layout: pack: S[8:1] + 1 is not packable by 2: the offset is not a multiple");
  EXPECT_EQ(Shown(Pack(Text("swizzle[0,3,3] o S[64:1]"), 2)),
            "layout: pack: swizzle[0,3,3] o S[64:1] is not packable by 2: expected a power of two up to 2^0");
}

TEST(Unpack, MultipliesMemoryAlone) {
  EXPECT_EQ(Shown(Unpack(Text("S[(32,2):(1@laneid,1)] + 3"), 2)), "S[(32,2,2):(1@laneid,2,1)] + 6");
  EXPECT_EQ(Shown(Unpack(Text("S[(128,8):(1@TLane,1@TCol)]"), 2)), "S[(128,8,2):(1@TLane,2@TCol,1@TCol)]");
  EXPECT_EQ(Shown(Unpack(Text("swizzle[3,3,3] o S[512:1]"), 3)),
            "layout: unpack: swizzle[3,3,3] o S[512:1]: an XOR takes a power of two, got 3");
}

}  // namespace
}  // namespace kiln::layout
