#include "compiler/expr/expr.h"

#include <limits>

#include "compiler/expr/visit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln {
namespace {

using ::testing::ElementsAre;

TEST(Expr, EqualComparesStructureAndIgnoresPlacesAndTypes) {
  Expr a = Var("M") + Int(1);
  Expr b = At(WithType(Var("M") + Int(1), Type{.dtype = DType::kI64}), Location{3, 4});
  EXPECT_TRUE(Equal(a, b));
  EXPECT_FALSE(Equal(a, Var("M") + Int(2)));
  EXPECT_FALSE(Equal(a, Var("M") - Int(1)));
  EXPECT_FALSE(Equal(a, Var("N") + Int(1)));
  EXPECT_FALSE(Equal(a, nullptr));
}

TEST(Expr, EqualComparesFloatsBitwise) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Equal(Float(nan), Float(nan)));
  EXPECT_FALSE(Equal(Float(0.0), Float(-0.0)));
  EXPECT_FALSE(Equal(Float(1.0, DType::kF32), Float(1.0)));
}

TEST(Expr, EqualComparesTileOperations) {
  auto gemm = [](std::string via, Expr flag) {
    return TileOperation({TileOpKind::kGemm, Team::kCta, std::move(via), {}}, {Var("c"), Var("a"), Var("b")},
                         {{"trans_b", std::move(flag)}});
  };
  EXPECT_TRUE(Equal(gemm("mma", Bool(true)), gemm("mma", Bool(true))));
  EXPECT_FALSE(Equal(gemm("mma", Bool(true)), gemm("fma", Bool(true))));
  EXPECT_FALSE(Equal(gemm("mma", Bool(true)), gemm("mma", Bool(false))));
}

TEST(Expr, IsConstGivesTheValueOfAnIntegerLiteralAlone) {
  int64_t value = 0;
  EXPECT_TRUE(IsConst(Int(7), &value));
  EXPECT_EQ(value, 7);
  EXPECT_FALSE(IsConst(Float(7)));
  EXPECT_FALSE(IsConst(Bool(true), int64_t{1}));
  EXPECT_FALSE(IsConst(nullptr));
}

TEST(Visit, RewriteIsBottomUpAndReachesNamedArguments) {
  Expr op = TileOperation({TileOpKind::kCopy, Team::kCta, "vector", {{"width", Var("x")}}},
                          {Var("d"), Subscript(Var("s"), {Var("x")})}, {{"fill", Var("x") + Int(1)}});
  Expr bound = Rewrite(op, [](const Expr& e) { return e->kind == ExprKind::kVar && e->name == "x" ? Int(4) : e; });
  Expr expected = TileOperation({TileOpKind::kCopy, Team::kCta, "vector", {{"width", Int(4)}}},
                                {Var("d"), Subscript(Var("s"), {Int(4)})}, {{"fill", Int(4) + Int(1)}});
  EXPECT_TRUE(Equal(bound, expected));
  // Folding needs the children first: (1 + 2) + 3 is one step only from the leaves up.
  Expr folded = Rewrite((Int(1) + Int(2)) + Int(3), [](const Expr& e) {
    int64_t a = 0, b = 0;
    return e->kind == ExprKind::kBinary && IsConst(e->args[0], &a) && IsConst(e->args[1], &b) ? Int(a + b) : e;
  });
  EXPECT_TRUE(IsConst(folded, 6));
}

TEST(Visit, RewriteSharesWhatDidNotChange) {
  Expr left = Var("a") * Var("b");
  Expr sum = left + Var("c");
  EXPECT_EQ(Rewrite(sum, [](const Expr& e) { return e; }), sum);
  Expr changed = Rewrite(sum, [](const Expr& e) { return e->name == "c" ? Int(1) : e; });
  EXPECT_EQ(changed->args[0], left);
}

TEST(Visit, SubstituteReachesTypesAndDoesNotSearchValues) {
  Expr tile = Var("t", Type{.dtype = DType::kF32, .tile = true, .shape = {Var("N")}});
  Expr result = Substitute(tile + Var("N"), {{"N", Var("N") * Int(2)}});
  EXPECT_TRUE(Equal(result, Var("t") + Var("N") * Int(2)));
  EXPECT_TRUE(Equal(result->args[0]->type.shape[0], Var("N") * Int(2)));
}

TEST(Visit, NamesSizesAndHeights) {
  Expr shared = Var("a") + Int(1);
  Expr tree = Select(Lt(shared, Var("n")), shared, Var("b"));
  std::set<std::string> names;
  CollectNames(tree, names);
  EXPECT_THAT(names, ElementsAre("a", "b", "n"));
  EXPECT_TRUE(Uses(tree, "n"));
  EXPECT_FALSE(Uses(tree, "m"));
  EXPECT_EQ(TreeSize(tree), 10);
  EXPECT_EQ(TreeHeight(tree), 4);
  EXPECT_EQ(TreeHeight(nullptr), 0);
}

}  // namespace
}  // namespace kiln
