#include "compiler/layout/extent.h"

#include <gtest/gtest.h>

namespace kiln::layout {
namespace {

const Extent kN = Extent::Symbol("N");
const Extent kK = Extent::Symbol("K");

TEST(Extent, PrintsGreatestTermFirst) {
  EXPECT_EQ((kN * 192).ToString(), "192*N");
  EXPECT_EQ((kN * kK * 2 - 3).ToString(), "2*K*N - 3");
  EXPECT_EQ((Extent(0) - kN).ToString(), "-N");
  EXPECT_EQ((kN + 1).ToFactorString(), "(N + 1)");
  EXPECT_EQ((kN - kN).ToString(), "0");
}

TEST(Extent, DividesExactlyOrNotAtAll) {
  EXPECT_EQ((kN * 192).DividedBy(16), kN * 12);
  EXPECT_EQ((kN * 192).DividedBy(kN), Extent(192));
  EXPECT_EQ((kN * 192).DividedBy(7), std::nullopt);
  EXPECT_EQ((kN * 192).DividedBy(kK), std::nullopt);
  EXPECT_EQ(((kN + 1) * (kN - 1)).DividedBy(kN + 1), kN - 1);
  EXPECT_EQ(((kN + 2) * (kK + 3) * (kN + kK)).DividedBy(kN + kK), (kN + 2) * (kK + 3));
  EXPECT_EQ((kN * kN + 1).DividedBy(kN + 1), std::nullopt);
  EXPECT_EQ(Extent(12).DividedBy(4), Extent(3));
  EXPECT_EQ(Extent(12).DividedBy(0), std::nullopt);
  EXPECT_EQ(Extent(0).DividedBy(kN), Extent(0));
}

TEST(Extent, OrdersOnlyWhatHoldsForEverySymbol) {
  EXPECT_TRUE((kN * 16).ProvablyAtLeast(16));
  EXPECT_FALSE((kN * 16).ProvablyAtLeast(17));
  EXPECT_TRUE((kN * kK).ProvablyAtLeast(1));
  EXPECT_FALSE(kN.ProvablyAtLeast(kK));
  EXPECT_FALSE(Extent(100).ProvablyAtLeast(kN));
}

TEST(Extent, OverflowStays) {
  const Extent big = int64_t{1} << 62;
  EXPECT_TRUE((big * 2).overflowed());
  EXPECT_TRUE((big * 2 - big).overflowed());
  EXPECT_TRUE((big * kN * 4).overflowed());
  EXPECT_FALSE((big * 2).is_constant());
  EXPECT_EQ((big * 2).DividedBy(2), std::nullopt);
  Extent power = kN;
  for (int i = 0; i < 20; ++i) power *= kN;
  EXPECT_TRUE(power.overflowed());
}

TEST(Extent, SubstitutesAndFindsItsContent) {
  EXPECT_EQ((kN * 16 + kK * 24).Content(), 8);
  EXPECT_EQ((kN * kK + 3).Substitute({{"N", 5}}), kK * 5 + 3);
  EXPECT_EQ((kN * kK + 3).Substitute({{"N", 5}, {"K", 2}}), Extent(13));
}

}  // namespace
}  // namespace kiln::layout
