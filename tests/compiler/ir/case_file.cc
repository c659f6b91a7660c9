#include "tests/compiler/ir/case_file.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::ir {
namespace {

struct Case {
  std::string name, input, expected;
};

std::vector<Case> ReadCases(const std::string& path) {
  std::vector<Case> cases;
  std::istringstream lines(ReadFile(path));
  std::string* part = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), "", ""});
      part = &cases.back().input;
    } else if (line == "---" && part) {
      part = &cases.back().expected;
    } else if (part) {
      *part += line + "\n";
    }
  }
  return cases;
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void CheckCases(const std::string& file, size_t least, const std::function<std::string(const std::string&)>& run) {
  const std::string path = "tests/compiler/ir/testdata/" + file;
  std::vector<Case> cases = ReadCases(path);
  EXPECT_GE(cases.size(), least);
  const char* bless = std::getenv("KILN_BLESS");
  std::string all;
  for (const Case& c : cases) {
    std::string found = run(c.input);
    if (!found.empty() && found.back() != '\n') found += '\n';
    all += "=== " + c.name + "\n" + c.input + "---\n" + found;
    if (bless) continue;
    EXPECT_EQ(found, c.expected) << path << ": " << c.name << " (KILN_BLESS=1 rewrites the file)";
  }
  if (bless) std::ofstream(path, std::ios::binary) << all;
}

}  // namespace kiln::ir
