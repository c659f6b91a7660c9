#include "compiler/ir/format.h"

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>

#include "compiler/ir/encode.h"
#include "compiler/ir/lex.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/print.h"
#include "gtest/gtest.h"
#include "tests/compiler/ir/case_file.h"
#include "tests/compiler/ir/random_module.h"

namespace kiln::ir {
namespace {

std::string Formatted(const std::string& text) {
  auto result = Format(text, "t.kiln");
  return result.ok() ? *result : std::string(result.status().message());
}

std::string Bytes(const std::string& text) {
  auto module = Parse(text, "t.kiln");
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? Encode(*module, {.positions = false}) : "";
}

size_t Comments(const std::string& text) {
  Diagnostics diagnostics(text, "t.kiln");
  return Lex(text, diagnostics).comments.size();
}

// What holds of every text that parses.
void CheckFormat(const std::string& text) {
  std::string once = Formatted(text);
  EXPECT_EQ(Formatted(once), once) << text;
  EXPECT_EQ(Comments(once), Comments(text)) << text;
  EXPECT_TRUE(Bytes(once) == Bytes(text)) << text << "\nformatted:\n" << once;
}

Pick Chance(uint64_t seed) {
  return [engine = std::mt19937_64(seed)](uint64_t limit) mutable { return engine() % limit; };
}

TEST(Format, Cases) {
  CheckCases("format.txt", 9, [](const std::string& text) {
    if (Parse(text, "t.kiln").ok()) CheckFormat(text);
    return Formatted(text);
  });
}

TEST(Format, LibraryKernelsAreFormatted) {
  for (const auto& entry : std::filesystem::directory_iterator("api/kernels")) {
    if (entry.path().extension() != ".kiln") continue;
    std::string text = ReadFile(entry.path());
    CheckFormat(text);
    EXPECT_EQ(Formatted(text), text) << entry.path();
  }
}

TEST(Format, PrintedTextIsFormatted) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::string text = Print(RandomModule(Chance(seed)));
    EXPECT_EQ(Formatted(text), text);
  }
}

// Comments, line ends and blanks put between the tokens of random modules wherever they leave the text legal.
TEST(Format, AnyTextKeepsItsMeaningAndItsComments) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::string printed = Print(RandomModule(Chance(seed)));
    Diagnostics diagnostics(printed, "t.kiln");
    Parser parser(printed, diagnostics);
    parser.ParseModule();
    Pick pick = Chance(seed + 1000);
    std::string text;
    int brackets = 0;
    for (const Token& token : parser.lexed().tokens) {
      const bool free_break = (token.first_on_line || brackets > 0) && token.role != TokenRole::kInLayout;
      if (free_break && pick(6) == 0) text += " // note\n";
      if (token.first_on_line) text += pick(2) == 0 ? "\n\n\n" : "\n";
      if (free_break && pick(6) == 0) text += "\n  //own\n";
      text += pick(2) == 0 ? " " : "   ";
      text += token.text;
      if (token.text == "(" || token.text == "[") ++brackets;
      if (token.text == ")" || token.text == "]") --brackets;
    }
    auto parsed = Parse(text, "t.kiln");
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    CheckFormat(text);
  }
}

}  // namespace
}  // namespace kiln::ir
