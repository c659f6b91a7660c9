#include "compiler/ir/parse.h"

#include <filesystem>
#include <string>

#include "compiler/ir/limits.h"
#include "compiler/ir/print.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/compiler/ir/case_file.h"

namespace kiln::ir {
namespace {

using ::testing::HasSubstr;

std::string Reprint(const std::string& text) {
  auto module = Parse(text, "t.kiln");
  return module.ok() ? Print(*module) : std::string(module.status().message());
}

std::string ExprText(const std::string& text) {
  auto e = ParseExpr(text, "condition");
  return e.ok() ? Print(*e) : std::string(e.status().message());
}

// The error of `text`, or nothing.
std::string Error(const std::string& text) {
  auto module = Parse(text, "t.kiln");
  return module.ok() ? "" : std::string(module.status().message());
}

std::string InKernel(const std::string& statements) {
  return "kernel k(x: tensor<f32>[M]) launch grid(1) {\n" + statements + "\n}\n";
}

TEST(Parse, LibraryKernelsRoundTrip) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("api/kernels")) {
    if (entry.path().extension() != ".kiln") continue;
    ++files;
    auto module = Parse(ReadFile(entry.path()), entry.path().filename().string());
    ASSERT_TRUE(module.ok()) << module.status().message();
    std::string text = Print(*module);
    EXPECT_EQ(Reprint(text), text);
  }
  EXPECT_GE(files, 2);
}

TEST(Parse, MalformedTexts) {
  CheckCases("malformed.txt", 60, [](const std::string& text) { return Error(text); });
}

TEST(Parse, CanonicalTexts) { CheckCases("canonical.txt", 10, Reprint); }

TEST(Parse, Precedence) {
  EXPECT_EQ(ExprText("((a + b)) * c"), "(a + b) * c");
  EXPECT_EQ(ExprText("a + (b * c)"), "a + b * c");
  EXPECT_EQ(ExprText("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(ExprText("(a - b) - c"), "a - b - c");
  EXPECT_EQ(ExprText("(not a) and (b or c)"), "not a and (b or c)");
  EXPECT_EQ(ExprText("not (a and b)"), "not (a and b)");
  EXPECT_EQ(ExprText("(a < b) == (c < d)"), "(a < b) == (c < d)");
  EXPECT_EQ(ExprText("a | b ^ c & d << e"), "a | b ^ c & d << e");
  EXPECT_EQ(ExprText("(a | b) & c"), "(a | b) & c");
  EXPECT_EQ(ExprText("-(a + b)[0]"), "-(a + b)[0]");
  EXPECT_EQ(ExprText("(-a)[0]"), "(-a)[0]");
  EXPECT_EQ(ExprText("~-a"), "~-a");
}

TEST(Parse, Numbers) {
  EXPECT_EQ(ExprText("0x1f"), "31");
  EXPECT_EQ(ExprText("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(ExprText("18446744073709551615u64"), "18446744073709551615u64");
  EXPECT_EQ(ExprText("-5i32"), "-5i32");
  EXPECT_EQ(ExprText("-(5)"), "-(5)");
  EXPECT_EQ(ExprText("1f16"), "1.0f16");
  EXPECT_EQ(ExprText("1e-6"), "1e-06");
  EXPECT_EQ(ExprText("0.1"), "0.1");
  EXPECT_EQ(ExprText("-0.0"), "-0.0");
  EXPECT_EQ(ExprText("-inf"), "-inf");
  EXPECT_EQ(ExprText("-f32.inf"), "-f32.inf");
  EXPECT_EQ(ExprText("f16.nan"), "f16.nan");
  EXPECT_EQ(ExprText("2.302585092994046 * log2e"), "2.302585092994046 * log2e");
  EXPECT_EQ(ExprText("5e-324"), "5e-324");
}

TEST(Parse, ConditionsTakeAnyName) {
  EXPECT_EQ(ExprText("M >= 128 and N % 8 == 0"), "M >= 128 and N % 8 == 0");
  EXPECT_EQ(ExprText("M >="),
            "condition:1:5: error: expected an expression, found the end of the text\n  M >=\n      ^");
  EXPECT_EQ(ExprText("M N"), "condition:1:3: error: expected the end of the expression, found 'N'\n  M N\n    ^");
  EXPECT_EQ(ExprText(""), "condition:1:1: error: expected an expression, found the end of the text");
}

TEST(Parse, LineEndsEndStatementsOutsideOfBrackets) {
  EXPECT_EQ(Error(InKernel("let a = 1 +\n  2\nlet b = max(1\n  , 2)")), "");
  EXPECT_THAT(Error(InKernel("let a = 1\n  + 2")), HasSubstr("expected a statement, found '+'"));
}

TEST(Parse, DepthIsBounded) {
  auto nested = [](int depth) {
    return InKernel("let a = " + std::string(static_cast<size_t>(depth), '(') + "1" +
                    std::string(static_cast<size_t>(depth), ')'));
  };
  EXPECT_EQ(Error(nested(kMaxHeight - 1)), "");
  EXPECT_THAT(Error(nested(kMaxHeight)), HasSubstr("expression nested more than 256 deep"));
  EXPECT_THAT(Error(nested(1000000)), HasSubstr("expression nested more than 256 deep"));
  std::string sum = "let a = 1";
  for (int i = 0; i < kMaxHeight; ++i) sum += " + 1";
  EXPECT_THAT(Error(InKernel(sum)), HasSubstr("expression nested more than 256 deep"));
  EXPECT_THAT(Error(InKernel("let a = " + std::string(1000, '-') + "M")), HasSubstr("expression nested more than"));
  std::string blocks, ladder = "if true { }";
  for (int i = 0; i < 100; ++i) blocks += "if true {\n";
  for (int i = 0; i < 100; ++i) ladder += " else if true { }";
  EXPECT_THAT(Error(InKernel(blocks)), HasSubstr("blocks nested more than 64 deep"));
  EXPECT_THAT(Error(InKernel(ladder)), HasSubstr("blocks nested more than 64 deep"));
}

TEST(Parse, SizeIsBounded) {
  EXPECT_EQ(Error(std::string(kMaxTextBytes, ' ')), "");
  EXPECT_EQ(
      Error(std::string(kMaxTextBytes + 1, ' ')),
      "t.kiln:1:1: error: text of 16777217 bytes: expected at most 16777216\n  " + std::string(160, ' ') + "\n  ^");
  std::string many;
  for (int i = 0; i < 70000; ++i) many += "cta.sync()\n";
  EXPECT_THAT(Error(InKernel(many)), HasSubstr("too many statements: expected at most 65536 in a text"));
  std::string arguments = "cta.sync(1";
  for (int i = 0; i < 5000; ++i) arguments += ", 1";
  EXPECT_THAT(Error(InKernel(arguments + ")")), HasSubstr("too many arguments: expected at most 4096"));
  EXPECT_THAT(Error(InKernel("let " + std::string(129, 'a') + " = 1")),
              HasSubstr("name of 129 characters: expected at most 128"));
}

TEST(Parse, ErrorsAreCutOff) {
  std::string lines;
  for (int i = 0; i < 50; ++i) lines += "let = 1\n";
  std::string error = Error(InKernel(lines));
  EXPECT_THAT(error, HasSubstr("t.kiln:21:5: error: expected a name, found '='"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("t.kiln:22:5")));
  EXPECT_THAT(error, HasSubstr("\nt.kiln: error: too many errors, the rest is not shown"));
}

TEST(Parse, PlacesAreThoseOfTheText) {
  auto module = Parse("// c\nkernel k(x: tensor<f32>[M]) launch grid(1) {\n  let a = x[0] + 1\n}\n", "t");
  ASSERT_TRUE(module.ok());
  const Kernel& kernel = module->kernels[0];
  EXPECT_EQ(kernel.at.line, 2);
  EXPECT_EQ(kernel.at.column, 8);
  const StmtNode& let = *kernel.body[0];
  EXPECT_EQ(let.at.line, 3);
  EXPECT_EQ(let.at.column, 3);
  EXPECT_EQ(let.value->at.column, 16);           // The operator
  EXPECT_EQ(let.value->args[0]->at.column, 11);  // The tensor
}

}  // namespace
}  // namespace kiln::ir
