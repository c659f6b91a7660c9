#include "compiler/specialize/specialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

Target Reference() {
  Target target;
  target.kind = TargetKind::kReference;
  target.name = "reference";
  return target;
}

absl::StatusOr<ir::Kernel> FromText(const std::string& text, const std::string& kernel, const Bindings& bindings) {
  auto module = ir::Parse(text, "test.kiln");
  if (!module.ok()) return module.status();
  return Specialize(*module, kernel, bindings, Reference());
}

std::string ErrorOf(const std::string& text, const Bindings& bindings = {}) {
  auto kernel = FromText(text, "k", bindings);
  return kernel.ok() ? "no error" : std::string(kernel.status().message());
}

TEST(Specialize, BindsRmsnorm) {
  Bindings bindings;
  bindings.ints = {{"N", 4096}, {"ROWS", 4}, {"THREADS", 256}};
  bindings.dtypes = {{"T", DType::kBF16}};
  auto kernel = FromText(ReadFile("api/kernels/rmsnorm.kiln"), "rmsnorm", bindings);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::string text = ir::Print(*kernel);
  EXPECT_THAT(text, HasSubstr("alloc xs: f32[4, 4096] in local"));
  EXPECT_THAT(text, HasSubstr("sum0 = cta.sum(xs * xs, axis = 1)"));
  EXPECT_THAT(text, HasSubstr("inv = rsqrt(sum0 / 4096"));
  // Its canonical text is a kernel again, the same one.
  auto again = ir::Parse(text, "again.kiln");
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
  EXPECT_EQ(ir::Print(again->kernels[0]), text);
}

TEST(Specialize, NamesWhatIsUnbound) {
  const std::string text =
      "kernel k<T: dtype(f16, f32), B: tune(1, 2)>(x: out tensor<T>[M, N]) where N: static launch grid(M) { x[0, 0] = "
      "1 }";
  EXPECT_THAT(ErrorOf(text, {.ints = {{"N", 8}}, .dtypes = {{"T", DType::kF32}}}),
              HasSubstr("meta-parameter B is unbound: give it a value, one of 1, 2"));
  EXPECT_THAT(ErrorOf(text, {.ints = {{"B", 1}}, .dtypes = {{"T", DType::kF32}}}),
              HasSubstr("static symbol N is unbound"));
  EXPECT_THAT(ErrorOf(text, {.ints = {{"B", 1}, {"N", 8}}}),
              HasSubstr("dtype T is unbound: give it a value, one of f16, f32"));
  EXPECT_THAT(ErrorOf(text, {.ints = {{"B", 3}, {"N", 8}}, .dtypes = {{"T", DType::kF32}}}),
              HasSubstr("meta-parameter B: expected one of 1, 2, got 3"));
  EXPECT_THAT(ErrorOf(text, {.ints = {{"B", 1}, {"N", 8}}, .dtypes = {{"T", DType::kI8}}}),
              HasSubstr("dtype T: expected one of f16, f32, got i8"));
}

TEST(Specialize, RefusesBareAssignmentAcrossSpaces) {
  std::string error = ErrorOf(
      "kernel k(g: tensor<f32>[64], o: out tensor<f32>[64]) launch grid(1) {\n"
      "  alloc t: f32[64] in shared\n"
      "  t = g\n"
      "  cta.copy(o, t)\n"
      "}\n");
  EXPECT_THAT(error, HasSubstr("3:3"));
  EXPECT_THAT(error,
              HasSubstr("bare assignment from global to shared memory: expected a copy operation, `cta.copy(t, g)`"));
}

TEST(Specialize, RefusesShapesThatDoNotAgree) {
  EXPECT_THAT(ErrorOf("kernel k(o: out tensor<f32>[64]) launch grid(1) {\n  alloc a: f32[64] in local = 0\n  alloc b: "
                      "f32[32] in local = 0\n  cta.copy(o, a + b)\n}\n"),
              HasSubstr("axis 0: expected equal extents"));
  EXPECT_THAT(ErrorOf("kernel k(o: out tensor<f32>[64, 4]) launch grid(1) {\n  alloc a: f32[64] in local = 0\n  "
                      "cta.copy(o, a)\n}\n"),
              HasSubstr("expected a tile of shape f32[64, 4], found `a` of type f32[64]"));
}

TEST(Specialize, ResolvesViewsOfViews) {
  auto kernel = FromText(
      "kernel k(x: tensor<f32>[M, 64], o: out tensor<f32>[M, 64]) launch grid(M) {\n"
      "  let v = x[cta_id.x +: 4, 8 +: 16]\n"
      "  let w = v[1, 2 +: 4]\n"
      "  cta.copy(o[cta_id.x, 0 +: 4], w)\n"
      "}\n",
      "k", {});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  // The inner slice ends where the outer one does.
  ASSERT_EQ(kernel->body.size(), 1u);
  const Expr& source = kernel->body[0]->value->args[1];
  ASSERT_EQ(source->kind, ExprKind::kSubscript);
  EXPECT_EQ(ir::Print(source->args[1]), "cta_id.x + 1");
  EXPECT_EQ(ir::Print(source->args[2]->args[0]), "10");
  EXPECT_EQ(ir::Print(source->args[2]->args[2]), "24");
}

TEST(Specialize, InlinesFunctionsOverTiles) {
  auto kernel = FromText(
      "inline scale(s: f32[R] in local, c: f32) -> f32[R] in local {\n"
      "  let twice = s * 2\n"
      "  s = s + c\n"
      "  return twice\n"
      "}\n"
      "kernel k(o: out tensor<f32>[64], c: f32) launch grid(1) {\n"
      "  alloc a: f32[64] in local = 1\n"
      "  let t = scale(a, c)\n"
      "  cta.copy(o, t + a)\n"
      "}\n",
      "k", {});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::string text = ir::Print(*kernel);
  EXPECT_THAT(text, HasSubstr("twice_1 = a * 2"));
  EXPECT_THAT(text, HasSubstr("a = a + c"));
  EXPECT_THAT(text, HasSubstr("t = twice_1"));
}

TEST(Specialize, DropsFactsThatNothingReads) {
  Bindings bindings;
  bindings.symbols["M"].divisor = 8;
  auto kernel =
      FromText("kernel k(x: tensor<f32>[64], o: out tensor<f32>[64]) launch grid(1) { cta.copy(o, x) }", "k", {});
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_TRUE(kernel->symbol_facts.empty());
}

}  // namespace
}  // namespace kiln
