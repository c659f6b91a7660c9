#include "compiler/layout/access.h"

#include <gtest/gtest.h>

#include "compiler/layout/fragments.h"
#include "compiler/layout/parse.h"
#include "compiler/layout/shared_tiles.h"

namespace kiln::layout {
namespace {

Layout Text(const char* text) { return Parse(text).value(); }
TileLayout TileText(const char* text) { return ParseTile(text).value(); }

TEST(MaxVector, IsBoundedByEveryStrideOffsetAndAlignment) {
  EXPECT_EQ(MaxVector(Text("S[(128,64):(64,1)]"), 64), 64);
  EXPECT_EQ(MaxVector(Text("S[(128,64):(72,1)]"), 64), 8);
  EXPECT_EQ(MaxVector(Text("S[(128,64):(72,1)] + 4"), 64), 4);
  EXPECT_EQ(MaxVector(Text("S[(128,64):(72,1)]"), 2), 2);
  EXPECT_EQ(MaxVector(Text("S[(128,64):(1,128)]"), 64), 1);
  EXPECT_EQ(MaxVector(Text("swizzle[3,3,3] o S[512:1]"), 64), 8);
  EXPECT_EQ(MaxVector(Text("S[(8,4,2):(4@laneid,1@laneid,1)]"), 16), 2);
  EXPECT_EQ(MaxVector(Text("S[(N,8*K):(8*K,1)]"), 32), 8);
  EXPECT_EQ(MaxVector(Text("S[(64,64):(N,1)]"), 32), 1);
}

TEST(AccessOf, TakesTheFirstAddressOfEachLane) {
  const WarpAccess access =
      AccessOf(Text("S[(16,8):(8,1)]"), MmaFragment(MmaOperand::kC, 16, 16).value(), 0, 2, 32).value();
  ASSERT_EQ(access.addresses.size(), 32U);
  EXPECT_EQ(access.bytes, 8);
  EXPECT_EQ(access.addresses[0], 0);
  EXPECT_EQ(access.addresses[1], 8);
  EXPECT_EQ(access.addresses[4], 32);
  EXPECT_EQ(access.addresses[31], 31 * 8);
  EXPECT_EQ(AccessOf(Text("S[128:1]"), MmaFragment(MmaOperand::kC, 16, 16).value(), 9, 2, 32).status().message(),
            "layout: access: no lane of warp 0 holds slot 9 of S[(2,8,4,2):(2,4@laneid,1@laneid,1)]");
}

TEST(BankConflicts, CountsCycles) {
  // 16 bytes a lane down a column of 128-byte rows: every quarter warp meets in four banks.
  const TileLayout rows = TileText("S[(32,64):(1@laneid,1)]");
  const BankUse plain = BankConflicts(AccessOf(Text("S[(32,64):(64,1)]"), rows, 0, 8, 16).value());
  EXPECT_EQ(plain.transactions, 32);
  EXPECT_EQ(plain.ideal, 4);
  EXPECT_FALSE(plain.conflict_free());
  const Layout swizzled = SharedOperandTile({32, 64}, 16, 128).value();
  const BankUse spread = BankConflicts(AccessOf(swizzled, rows, 0, 8, 16).value());
  EXPECT_EQ(spread.transactions, 4);
  EXPECT_TRUE(spread.conflict_free());
  // One word read by all lanes is one cycle.
  EXPECT_EQ(BankConflicts({std::vector<int64_t>(32, 128), 4}).transactions, 1);
}

TEST(CoalescedBytes, CountsSectors) {
  WarpAccess strided;
  for (int64_t lane = 0; lane < 32; ++lane) strided.addresses.push_back(lane * 64);
  const Coalescing wasted = CoalescedBytes(strided);
  EXPECT_EQ(wasted.used_bytes, 128);
  EXPECT_EQ(wasted.moved_bytes, 1024);
  EXPECT_EQ(wasted.sectors, 32);
  WarpAccess dense;
  dense.bytes = 16;
  for (int64_t lane = 0; lane < 32; ++lane) dense.addresses.push_back(lane * 16);
  EXPECT_EQ(CoalescedBytes(dense).moved_bytes, 512);
  EXPECT_EQ(CoalescedBytes(dense).used_bytes, 512);
}

}  // namespace
}  // namespace kiln::layout
