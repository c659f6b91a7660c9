#include "compiler/ir/parse.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "compiler/ir/print.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::ir {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Parse, LibraryKernelsRoundTrip) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("api/kernels")) {
    if (entry.path().extension() != ".kiln") continue;
    ++files;
    auto module = Parse(ReadFile(entry.path()), entry.path().filename().string());
    ASSERT_TRUE(module.ok()) << module.status().message();
    std::string text = Print(*module);
    auto again = Parse(text, "printed");
    ASSERT_TRUE(again.ok()) << again.status().message() << "\n" << text;
    EXPECT_EQ(Print(*again), text);
  }
  EXPECT_GE(files, 2);
}

}  // namespace
}  // namespace kiln::ir
