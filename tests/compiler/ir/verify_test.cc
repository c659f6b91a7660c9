#include "compiler/ir/verify.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "compiler/ir/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/compiler/ir/case_file.h"

namespace kiln::ir {
namespace {

using ::testing::ElementsAre;

std::string Problems(const std::string& text) {
  auto module = Parse(text, "t.kiln");
  if (!module.ok()) return std::string(module.status().message());
  return std::string(ToStatus(Verify(*module), "t.kiln").message());
}

std::vector<std::string> Rendered(const Module& module) {
  std::vector<std::string> lines;
  for (const Problem& problem : Verify(module)) lines.push_back(Render(problem, "built"));
  return lines;
}

Kernel Named(std::string name) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.launch.grid = {Int(1)};
  return kernel;
}

TEST(Verify, Cases) { CheckCases("verify.txt", 26, Problems); }

TEST(Verify, LibraryKernelsHaveNoProblems) {
  for (const auto& entry : std::filesystem::directory_iterator("api/kernels"))
    if (entry.path().extension() == ".kiln") {
      EXPECT_EQ(Problems(ReadFile(entry.path())), "") << entry.path();
    }
}

TEST(Verify, EveryCodeIsDocumented) {
  const std::string page = ReadFile("docs/checks.md");
  std::set<std::string> used;
  for (const char* file : {"verify.cc", "verify_body.cc", "verify_expr.cc", "verify_header.cc"}) {
    std::string source = ReadFile(std::string("compiler/ir/") + file);
    for (size_t at = source.find("\"K0"); at != std::string::npos; at = source.find("\"K0", at + 1)) {
      used.insert(source.substr(at + 1, 5));
    }
  }
  EXPECT_EQ(used.size(), 36u);
  for (const std::string& code : used) EXPECT_NE(page.find("| " + code + " |"), std::string::npos) << code;
}

// What the parser refuses itself, in modules that were built.

TEST(Verify, NamesOfBuiltModules) {
  Kernel kernel = Named("k");
  kernel.body = {Let("a", Var("b")), Let("a", Int(1)), Let("thread_id", Var("x.stride0")), Let("c", Var("cta_id.x"))};
  kernel.required = {Var("Q")};
  Module module;
  module.kernels = {kernel};
  EXPECT_THAT(Rendered(module), ElementsAre("built: error K0003: kernel 'k': unknown name 'Q'",
                                            "built: error K0003: kernel 'k': unknown name 'b'",
                                            "built: error K0002: kernel 'k': 'a' is declared twice",
                                            "built: error K0003: kernel 'k': unknown name 'x.stride0'",
                                            "built: error K0002: kernel 'k': 'thread_id' is declared twice"));
}

TEST(Verify, StridesOfDimensionsThatExist) {
  Kernel kernel = Named("k");
  Param x;
  x.name = "x";
  x.dtype.dtype = DType::kF32;
  x.shape = {Var("M"), Int(4)};
  kernel.params = {x};
  kernel.body = {Let("a", Var("x.stride1")), Let("b", Var("x.stride2"))};
  Module module;
  module.kernels = {kernel};
  EXPECT_THAT(Rendered(module), ElementsAre("built: error K0003: kernel 'k': unknown name 'x.stride2'"));
}

TEST(Verify, FunctionsAndDTypesOfBuiltModules) {
  Kernel kernel = Named("k");
  TensorDecl tensor;
  tensor.name = "t";
  tensor.dtype.param = "T";
  tensor.shape = {Int(4)};
  kernel.body = {Eval(Call("barier", {})), Alloc(tensor), Let("a", Cast({DType::kNone, "U"}, Int(1)))};
  Module module;
  module.kernels = {kernel};
  EXPECT_THAT(Rendered(module), ElementsAre("built: error K0011: kernel 'k': unknown function 'barier'",
                                            "built: error K0029: kernel 'k': there is no dtype parameter 'T'",
                                            "built: error K0029: kernel 'k': there is no dtype parameter 'U'"));
}

}  // namespace
}  // namespace kiln::ir
