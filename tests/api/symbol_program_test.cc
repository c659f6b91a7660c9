#include "api/symbol_program.h"

#include <gtest/gtest.h>

#include "compiler/ir/parse.h"

namespace kiln::api {
namespace {

std::optional<int64_t> Value(const char* text, int64_t m, int64_t n) {
  const int64_t symbols[] = {m, n};
  const absl::StatusOr<SymbolProgram> program = SymbolProgram::Compile(ir::ParseExpr(text, "test").value(), {"M", "N"});
  EXPECT_TRUE(program.ok()) << program.status();
  return program->Evaluate(symbols);
}

TEST(SymbolProgram, Arithmetic) {
  EXPECT_EQ(Value("2 * M + N", 3, 4), 10);
  EXPECT_EQ(Value("ceildiv(M, N)", 7, 4), 2);
  EXPECT_EQ(Value("M / N", -7, 4), -2);
  EXPECT_EQ(Value("M % N", -7, 4), 1);
  EXPECT_EQ(Value("ceildiv(M, N)", INT64_MIN, 3), INT64_MIN / 3);
  EXPECT_EQ(Value("min(M, N) - max(M, N)", 7, 4), -3);
  EXPECT_EQ(Value("M >= 4 and not (N == 3)", 4, 3), 0);
  EXPECT_EQ(Value("M >= 4 or N == 3", 1, 3), 1);
  EXPECT_EQ(Value("-M", 5, 0), -5);
}

TEST(SymbolProgram, NoticesWhatHasNoValue) {
  EXPECT_EQ(Value("M / N", 1, 0), std::nullopt);
  EXPECT_EQ(Value("M % N", 1, 0), std::nullopt);
  EXPECT_EQ(Value("M * N", INT64_MAX, 2), std::nullopt);
  EXPECT_EQ(Value("M / N", INT64_MIN, -1), std::nullopt);
  EXPECT_EQ(Value("-M", INT64_MIN, 0), std::nullopt);
}

TEST(SymbolProgram, RefusesOtherNamesAndOtherOperations) {
  const auto refusal = [](const char* text) {
    return std::string(SymbolProgram::Compile(ir::ParseExpr(text, "test").value(), {"M", "N"}).status().message());
  };
  EXPECT_EQ(refusal("M + K"), "\"K\" is not known when arguments are checked");
  EXPECT_EQ(refusal("exp(M)"), "only integer arithmetic over symbols can be evaluated when arguments are checked");
  std::string deep = "M";
  for (int i = 0; i < 16; ++i) deep = "M + (" + deep + ")";
  EXPECT_EQ(refusal(deep.c_str()), "an expression over symbols is more than 16 deep");
}

}  // namespace
}  // namespace kiln::api
