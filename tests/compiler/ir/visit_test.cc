#include "compiler/ir/visit.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::ir {
namespace {

using ::testing::ElementsAre;

TEST(Visit, EveryStatementInProgramOrder) {
  Block block = {Let("a", Int(1)), For("i", Int(0), Int(4), {Let("b", Var("i")), If(Var("b"), {}, {Let("c", Int(2))})}),
                 Let("d", Int(3))};
  std::vector<std::string> names;
  ForEachStmt(block, [&](const Stmt& stmt) { names.push_back(DeclaredName(*stmt)); });
  EXPECT_THAT(names, ElementsAre("a", "i", "b", "", "c", "d"));
}

TEST(Visit, EveryExpressionIncludesShapesAndBounds) {
  TensorDecl tensor;
  tensor.name = "t";
  tensor.shape = {Var("R"), Var("C")};
  Block block = {Alloc(tensor, Var("init")),
                 For("i", Var("lo"), Var("hi"), {Assign(Var("x"), Var("i"))}, LoopKind::kSerial, Var("by"))};
  std::vector<std::string> names;
  ForEachExpr(block, [&](const Expr& e) { names.push_back(e->name); });
  EXPECT_THAT(names, ElementsAre("R", "C", "init", "lo", "hi", "by", "x", "i"));
}

TEST(Visit, RewriteStmtsSplicesAndDropsFromTheInsideOut) {
  Block block = {For("i", Int(0), Int(2), {Comment("gone"), Let("a", Var("i"))})};
  Block result = RewriteStmts(block, [](const Stmt& stmt) -> Block {
    if (stmt->kind == StmtKind::kComment) return {};
    if (stmt->kind == StmtKind::kFor) return {Comment("before"), stmt};
    return {stmt};
  });
  ASSERT_EQ(result.size(), 2u);
  EXPECT_EQ(result[0]->text, "before");
  ASSERT_EQ(result[1]->body.size(), 1u);
  EXPECT_EQ(result[1]->body[0]->name, "a");
  EXPECT_EQ(result[1]->body[0], block[0]->body[1]);
}

TEST(Visit, SubstituteStopsWhereTheNameIsDeclared) {
  Block block = {Assign(Var("x"), Var("n")), For("n", Var("n"), Int(9), {Assign(Var("x"), Var("n"))}),
                 Let("n", Var("n")), Assign(Var("x"), Var("n"))};
  Block result = Substitute(block, {{"n", Int(5)}});
  EXPECT_TRUE(IsConst(result[0]->value, 5));
  EXPECT_TRUE(IsConst(result[1]->begin, 5));
  EXPECT_EQ(result[1]->body[0]->value->name, "n");
  EXPECT_TRUE(IsConst(result[2]->value, 5));
  EXPECT_EQ(result[3]->value->name, "n");
}

TEST(Visit, BindDTypesReachesDeclarationsAndCasts) {
  TensorDecl tensor;
  tensor.name = "t";
  tensor.dtype.param = "T";
  Block block = {Alloc(tensor), If(Bool(true), {Let("x", Cast({DType::kNone, "T"}, Int(1)))}),
                 Let("y", Cast({DType::kNone, "U"}, Int(1)))};
  Block result = BindDTypes(block, {{"T", DType::kBF16}});
  EXPECT_EQ(result[0]->tensor.dtype, (DTypeRef{DType::kBF16, ""}));
  EXPECT_EQ(result[1]->body[0]->value->dtype, (DTypeRef{DType::kBF16, ""}));
  EXPECT_EQ(result[2], block[2]);
}

}  // namespace
}  // namespace kiln::ir
