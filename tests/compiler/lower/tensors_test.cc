// Where elements of tensors lie: the text of lowered accesses, and that the numbers come through.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/infer/infer.h"
#include "compiler/infer/pipeline_loops.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/lower/cuda/lower.h"
#include "compiler/plan/plan.h"
#include "compiler/rules/rule.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<ir::Kernel> Lowered(const std::string& text) {
  KILN_ASSIGN_OR_RETURN(const ir::Module module, ir::Parse(text, "f"));
  KILN_ASSIGN_OR_RETURN(const Target target, FindTarget("sm_90a"));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel kernel, Specialize(module, "f", {}, target));
  std::vector<std::string> notes;
  KILN_ASSIGN_OR_RETURN(const ir::Kernel ringed, PipelineLoops(kernel, target, &notes));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel inferred, InferLayouts(ringed, target, &notes));
  KILN_ASSIGN_OR_RETURN(const Plan plan, MakePlan(inferred, target, CudaRules()));
  return LowerCuda(inferred, plan, target);
}

std::string TextOf(const std::string& text) {
  const absl::StatusOr<ir::Kernel> kernel = Lowered(text);
  return kernel.ok() ? ir::Print(*kernel) : std::string(kernel.status().message());
}

std::string MapOf(const std::string& layout) {
  return absl::StrCat(
      "kernel f(a: tensor<f32>[4, 8], o: out tensor<f32>[4, 8]) launch grid(1) block(32) {\n",
      "  alloc b: f32[4, 8] in shared", layout,
      "\n  for i in 0 .. 4 {\n    for j in 0 .. 8 {\n      if thread_id == 0 { b[i, j] = a[i, j] + 1 }\n",
      "    }\n  }\n  cta.copy(o, b)\n}");
}

TEST(Layouts, DecideWhereAnElementIsStored) {
  const struct {
    const char* layout;
    const char* index;
  } cases[] = {{" layout S[(4,8):(8,1)]", "i * 8 + j"},
               {" layout S[(4,8):(1,4)]", "i + j * 4"},
               {" layout S[(4,8):(8,1)] + 64@m", "i * 8 + j + 64"},
               {" layout S[(4,8):(16,1)]", "i * 16 + j"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.layout);
    EXPECT_THAT(TextOf(MapOf(c.layout)), HasSubstr(absl::StrCat("store(b, ", c.index, ", load(a, i * 8 + j) + 1.0)")));
    const absl::StatusOr<ir::Kernel> kernel = Lowered(MapOf(c.layout));
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    std::vector<float> a(32), o(32), want(32);
    for (int i = 0; i < 32; ++i) a[i] = static_cast<float>(i), want[i] = static_cast<float>(i + 1);
    const interp::Argument args[] = {interp::Tensor{DType::kF32, {4, 8}, {}, a.data()},
                                     interp::Tensor{DType::kF32, {4, 8}, {}, o.data()}};
    ASSERT_EQ(interp::Run(*kernel, args), absl::OkStatus());
    EXPECT_EQ(o, want);
  }
}

TEST(Layouts, AreRefusedWhereTheyDoNotFit) {
  EXPECT_THAT(TextOf(MapOf(" layout S[(4,4):(4,1)]")), HasSubstr("plan: kernel \"f\": 2:3: tensor b: "));
}

// Case LAYOUT-5 V
TEST(Layouts, AreRefusedWhereTwoElementsMeet) {
  EXPECT_EQ(TextOf(MapOf(" layout S[(4,8):(0,1)]")),
            "plan: kernel \"f\": 2:3: tensor b: S[(4,8):(0,1)] puts elements (0, 0) and (1, 0) in one place");
}

TEST(Facts, OfALetWidenAVectorAndOfAVariableDoNot) {
  auto copy = [](const std::string& start) {
    return TextOf(
        absl::StrCat("kernel f(x: tensor<f32>[4096], n: i32, o: out tensor<f32>[128]) launch grid(1) block(32) {\n",
                     "  ", start, "\n  alloc t: f32[128] in local\n  cta.copy(t, x[at +: 128])\n  cta.copy(o, t)\n}"));
  };
  EXPECT_THAT(copy("let at = i64(n) * 8"), HasSubstr("load(x, at + thread_id * 4, 4)"));
  EXPECT_THAT(copy("var at: i64 = i64(n) * 8"), Not(HasSubstr("load(x, at + thread_id * 4, 4)")));
}

TEST(Views, ChangeIndexArithmeticAlone) {
  const std::string text = TextOf(
      "kernel f(x: tensor<f32>[64, 4], o: out tensor<f32>[4, 64]) launch grid(1) block(32) {\n"
      "  let turned = x.permute(1, 0)\n"
      "  for i in 0 .. 4 {\n    for j in 0 .. 64 {\n      if thread_id == 0 { o[i, j] = turned[i, j] }\n    }\n  }\n}");
  EXPECT_THAT(text, HasSubstr("store(o, i * 64 + j, load(x, j * 4 + i))"));
  EXPECT_THAT(text, Not(HasSubstr("alloc")));
}

}  // namespace
}  // namespace kiln
