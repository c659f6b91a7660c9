#include "compiler/layout/tmem.h"

#include <gtest/gtest.h>

#include "compiler/layout/evaluate.h"
#include "compiler/layout/neuron.h"

namespace kiln::layout {
namespace {

Point At(const TileLayout& layout, int64_t row, int64_t col, const std::vector<int64_t>& shape) {
  return Apply(layout, {row, col}, shape).value().front();
}

TEST(TmemDatapath, FollowsTheClosedForms) {
  const TileLayout b = TmemDatapath('B', 64, 32).value();
  const TileLayout f = TmemDatapath('F', 64, 32, 1).value();
  const TileLayout g = TmemDatapath('G', 32, 32).value();
  for (int64_t r = 0; r < 64; ++r) {
    for (int64_t c = 0; c < 32; ++c) {
      EXPECT_EQ(At(b, r, c, {64, 32}), (Point{{Axis::kTLane, r + 64 * (c / 16)}, {Axis::kTCol, c % 16}}));
      EXPECT_EQ(At(f, r, c, {64, 32}), (Point{{Axis::kTLane, 32 * (r / 16) + 16 + r % 16}, {Axis::kTCol, c}}));
      if (r >= 32) continue;
      EXPECT_EQ(At(g, r, c, {32, 32}), (Point{{Axis::kTLane, r + 32 * (c / 8)}, {Axis::kTCol, c % 8}}));
    }
  }
}

TEST(TmemDatapath, RefusesWhatItDoesNotHave) {
  EXPECT_EQ(TmemDatapath('Z', 64, 32).status().message(), "layout: tmem datapath: expected a datapath A to G, got 'Z'");
  EXPECT_EQ(TmemDatapath('B', 128, 32).status().message(), "layout: tmem datapath: B has 64 rows, got 128");
  EXPECT_EQ(TmemDatapath('B', 64, 31).status().message(),
            "layout: tmem datapath: B needs columns in a multiple of 2, got 31");
  EXPECT_EQ(TmemDatapath('D', 128, 8, 1).status().message(), "layout: tmem datapath: D has no sub slabs but 0, got 1");
  EXPECT_EQ(TmemDatapath('F', 64, 8, 2).status().message(), "layout: tmem datapath: F has sub slabs 0 and 1, got 2");
}

TEST(Tcgen05Atom, FollowsTheClosedForms) {
  const TileLayout narrow = Tcgen05Atom("16x64b", 64, 8, 32).value();
  const TileLayout middle = Tcgen05Atom("16x128b", 64, 8, 32).value();
  const TileLayout wide = Tcgen05Atom("16x256b", 64, 16, 32).value();
  for (int64_t r = 0; r < 64; ++r) {
    const int64_t half = r % 16 / 8;
    for (int64_t c = 0; c < 16; ++c) {
      EXPECT_EQ(At(wide, r, c, {64, 16}), (Point{{Axis::kM, c % 2 + 2 * half + 4 * (c / 8)},
                                                 {Axis::kLaneId, 4 * (r % 8) + c % 8 / 2},
                                                 {Axis::kWidInWg, r / 16}}));
      if (c >= 8) continue;
      EXPECT_EQ(
          At(narrow, r, c, {64, 8}),
          (Point{{Axis::kM, c / 2}, {Axis::kLaneId, 4 * (r % 8) + 2 * (c % 2) + half}, {Axis::kWidInWg, r / 16}}));
      EXPECT_EQ(
          At(middle, r, c, {64, 8}),
          (Point{{Axis::kM, half + 2 * (c / 4)}, {Axis::kLaneId, 4 * (r % 8) + c % 4}, {Axis::kWidInWg, r / 16}}));
    }
  }
  EXPECT_EQ(ToString(Tcgen05Atom("16x256b", 128, 32, 16).value()),
            "S[(4,2,2,8,2,4,2,2):(1@wid_in_wg,16,4,4@laneid,8,1@laneid,2,1)]");
}

TEST(Tcgen05Atom, RefusesWhatTheInstructionDoesNotHave) {
  EXPECT_EQ(Tcgen05Atom("16x64b", 64, 6, 32).status().message(),
            "layout: tcgen05 atom: 16x64b takes columns in 2 times a power of two up to 128, got 6");
  EXPECT_EQ(Tcgen05Atom("32x32b", 64, 32, 16).status().message(),
            "layout: tcgen05 atom: 32x32b with 64 rows takes 32-bit elements, got 16 bits");
  EXPECT_EQ(Tcgen05Atom("16x32b", 64, 32, 32).status().message(),
            "layout: tcgen05 atom: expected 32x32b, 16x64b, 16x128b or 16x256b, got \"16x32b\"");
  EXPECT_EQ(Tcgen05Atom("16x64b", 32, 2, 32).status().message(),
            "layout: tcgen05 atom: 16x64b has 64 or 128 rows, got 32");
}

TEST(TmemMmaOperand, PicksTheDatapathOfTheInstruction) {
  EXPECT_EQ(ToString(TmemMmaOperand('D', {64, 512}, {64, 1, true}, {2, 2, 128}).value()),
            "S[(64,2,2,128):(1@TLane,128@TCol,64@TLane,1@TCol)]");
  EXPECT_EQ(ToString(TmemMmaOperand('A', {64, 32}, {128, 2, false}).value()),
            "S[(64,32):(1@TLane,1@TCol)] + R[2:64@TLane]");
  EXPECT_EQ(ToString(TmemMmaOperand('D', {2, 64, 32}, {128, 2, false}).value()), "S[(128,32):(1@TLane,1@TCol)]");
  EXPECT_EQ(TmemMmaOperand('A', {1, 128, 64}, {128, 1, false}).status().message(),
            "layout: tmem operand: operand A in datapath D: expected two dimensions (m, K), got (1, 128, 64)");
  EXPECT_EQ(TmemMmaOperand('D', {64, 512}, {64, 1, true}, {4, 128}).status().message(),
            "layout: tmem operand: expected a group (s, 2, n) over a shape (m, N), got (4, 128) over (64, 512)");
  EXPECT_EQ(MmaDatapath({192, 1, false}).status().message(),
            "layout: tmem operand: no datapath for M = 192 in a group of 1 CTAs; expected 128 or 64 alone, 64 or 32 "
            "weight stationary, 256 or 128 in a pair");
}

TEST(ScaleFactors, FourToACell) {
  EXPECT_EQ(ToString(ScaleFactors(128, 16, 4).value()),
            "S[(4,32,4,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]");
  EXPECT_EQ(ToString(ScaleFactors(256, 8, 1).value()), "S[(8,32,2,4):(4@TCol,1@TLane,32@TCol,1@TCol)] + R[4:32@TLane]");
  EXPECT_EQ(ScaleFactors(100, 16, 4).status().message(),
            "layout: scale factors: rows must be a multiple of 32, got 100");
}

TEST(NeuronTensor, FoldsPartitionsAndSplitsBanks) {
  EXPECT_EQ(ToString(NeuronTensor("FPF", {32, 512, 512}, false).value()), "S[(32,4,128,512):(512@F,16384@F,1@P,1@F)]");
  EXPECT_EQ(ToString(NeuronTensor("FPPF", {2, 4, 32, 512}, false).value()), "S[(2,4,32,512):(512@F,32@P,1@P,1@F)]");
  EXPECT_EQ(ToString(NeuronTensor("PF", {128, 1024}, true).value()), "S[(128,2,512):(1@P,1@Bank,1@F)]");
  EXPECT_EQ(NeuronTensor("PF", {200, 8}, false).status().message(),
            "layout: neuron tensor: partitions must be at most 128 together, or one dimension of a multiple of it, got "
            "200 in (200, 8)");
  EXPECT_EQ(NeuronTensor("PX", {8, 8}, false).status().message(),
            "layout: neuron tensor: expected one P or F for each of the 2 dimensions, got \"PX\"");
}

TEST(ToPsum, RefusesWhatStraddlesABank) {
  EXPECT_EQ(
      ToString(
          ToPsum(TileLayout::Make({{4, 512, Axis::kF}, {8, 1, Axis::kF}}, {}, {{Axis::kF, 1024}}).value()).value()),
      "S[(4,8):(1@Bank,1@F)] + 0@F + 2@Bank");
  EXPECT_EQ(ToPsum(TileLayout::Make({{3, 200, Axis::kF}}).value()).status().message(),
            "layout: psum: indivisible: F does not split into banks of 512 elements in S[3:200@F]");
  EXPECT_EQ(ToPsum(TileLayout::Make({{2, 300, Axis::kF}, {16, 16, Axis::kF}}).value()).status().message(),
            "layout: psum: indivisible: F does not split into banks of 512 elements in S[(2,16):(300@F,16@F)]");
}

}  // namespace
}  // namespace kiln::layout
