// One statement a case: how index arithmetic comes out, by its ranges.
#include <gtest/gtest.h>

#include <string>

#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/targets/targets.h"
#include "tests/compiler/codegen/cuda/native_kernel.h"

namespace kiln {
namespace {

// The last line of the body of a kernel with symbols M (an int), B (a long long) and K (at most 1024).
std::string LastLine(ir::Block body) {
  NativeKernel native("k");
  native.Tensor("x", DType::kF32).Out("y", DType::kF32).Tensor("n", DType::kI32).Tensor("l", DType::kI64);
  native.Symbol("M").Symbol("B", int64_t{1} << 40).Symbol("K", 1024).Scalar("i", DType::kI32);
  native.Body(std::move(body));
  absl::StatusOr<Source> source = EmitCuda(native.kernel, FindTarget("sm_90a").value());
  if (!source.ok()) return source.status().ToString();
  std::string text = source->text.substr(0, source->text.rfind("\n}"));
  return text.substr(text.rfind("\n") + 3);
}

std::string Let(Expr value) { return LastLine({ir::Let("v", std::move(value))}); }

TEST(Integers, NarrowWhereRangesAllow) {
  EXPECT_EQ(Let(V("thread_id") * Int(8) + V("K")), "const int v = thread_id * 8 + K;");
  EXPECT_EQ(Let(V("M") - V("K")), "const int v = M - K;");
  EXPECT_EQ(Let(V("M") + Int(-1)), "const int v = M - 1;");
}

// Case IDX-1 V
TEST(Integers, FirstFactorIsWidened) {
  EXPECT_EQ(Let(V("M") * V("K")), "const long long v = (long long)M * K;");
  EXPECT_EQ(Let(V("M") * Int(8192) + V("thread_id")), "const long long v = (long long)M * 8192 + thread_id;");
  EXPECT_EQ(Let(V("M") + V("M")), "const long long v = (long long)M + M;");
  EXPECT_EQ(Let(V("B") + V("thread_id")), "const long long v = B + thread_id;");
  EXPECT_EQ(Let((V("K") * V("K")) * V("K")), "const int v = K * K * K;");
  EXPECT_EQ(Let((V("K") * V("K")) * V("M")), "const long long v = (long long)(K * K) * M;");
}

TEST(Integers, UnknownRangesWrap) {
  Expr loaded = Load(V("l"), Int(0));
  EXPECT_EQ(Let(loaded * V("K")), "const long long v = wrap_mul<long long>(l[0], K);");
  EXPECT_EQ(Let(loaded), "const long long v = l[0];");
  EXPECT_EQ(Let(V("i") + Int(1, DType::kI32)), "const int v = wrap_add<int>(i, 1);");
  EXPECT_EQ(Let(Unary(Op::kNeg, V("i"))), "const int v = wrap_sub<int>(0, i);");
}

TEST(Integers, DivisionFloors) {
  EXPECT_EQ(Let(FloorDiv(V("thread_id"), Int(32))), "const int v = thread_id / 32;");
  EXPECT_EQ(Let(Mod(V("M"), Int(3))), "const int v = M % 3;");
  EXPECT_EQ(Let(FloorDiv(V("M") - V("K"), Int(8))), "const int v = M - K >> 3;");
  EXPECT_EQ(Let(Mod(V("M") - V("K"), Int(8))), "const int v = M - K & 7;");
  EXPECT_EQ(Let(FloorDiv(V("M") - V("K"), Int(3))), "const int v = floor_div<int>(M - K, 3);");
  EXPECT_EQ(Let(Mod(V("M") - V("B"), Int(3))), "const int v = floor_mod<long long>(M - B, 3);");
  EXPECT_EQ(Let(CeilDiv(V("K"), Int(64))), "const int v = (K + 63) / 64;");
  EXPECT_EQ(Let(CeilDiv(V("M"), Int(64))), "const int v = ((long long)M + 63) / 64;");
  EXPECT_EQ(Let(CeilDiv(V("M"), V("K"))), "const int v = ceil_div<int>(M, K);");
}

TEST(Integers, MinimaOfMixedWidths) {
  EXPECT_EQ(Let(Min(Int(8), V("M") - V("K"))), "const int v = min(8, M - K);");
  EXPECT_EQ(Let(Max(V("B"), Int(3))), "const long long v = max(B, 3ll);");
  EXPECT_EQ(Let(Min(V("B"), V("M"))), "const int v = min(B, (long long)M);");
}

TEST(Integers, FewestParentheses) {
  Expr t = V("thread_id"), k = V("K");
  EXPECT_EQ(Let((t + k) * Int(2)), "const int v = (thread_id + K) * 2;");
  EXPECT_EQ(Let(k - (t - Int(1))), "const int v = K - (thread_id - 1);");
  EXPECT_EQ(Let(k - t - Int(1)), "const int v = K - thread_id - 1;");
  EXPECT_EQ(Let(FloorDiv(t * Int(4), Int(3)) * Int(3)), "const int v = thread_id * 4 / 3 * 3;");
  EXPECT_EQ(Let(Int(3) * FloorDiv(t, Int(3))), "const int v = 3 * (thread_id / 3);");
  EXPECT_EQ(Let(Binary(Op::kBitXor, t, Binary(Op::kBitAnd, k, Int(7)))), "const int v = thread_id ^ (K & 7);");
  EXPECT_EQ(Let(Select(And(Lt(t, k), Lt(k, Int(9))), t, k)), "const int v = thread_id < K && K < 9 ? thread_id : K;");
}

TEST(Integers, LoopVariableIsAsWideAsItsBounds) {
  Expr first = Load(V("l"), Int(0));
  ir::Block store = {ir::Store(V("y"), V("j"), Float(1))};
  auto loop = [&](Expr begin, Expr end) {
    std::string text = LastLine({ir::For("j", begin, end, store), ir::Store(V("y"), Int(0), Float(0))});
    return text;
  };
  EXPECT_EQ(loop(Int(0), V("M")), "y[0] = 0.0f;");
  NativeKernel native("k");
  native.Out("y", DType::kF32).Tensor("l", DType::kI64).Symbol("M");
  native.Body({ir::For("j", first, first + Int(3), store),
               ir::For("m", Int(0), V("M"), {ir::Store(V("y"), V("m"), Float(1))}),
               ir::For("s", Int(0), V("M"), {ir::Store(V("y"), V("s"), Float(1))}, ir::LoopKind::kSerial, Int(128))});
  std::string text = EmitCuda(native.kernel, FindTarget("sm_80").value())->text;
  EXPECT_NE(text.find("for (long long j = l[0]; j < wrap_add<long long>(l[0], 3); ++j) {"), std::string::npos) << text;
  EXPECT_NE(text.find("for (int m = 0; m < M; ++m) {"), std::string::npos) << text;
  // M is up to 2^31 - 1, so that a step of 128 passes the last int.
  EXPECT_NE(text.find("for (long long s = 0; s < M; s += 128) {"), std::string::npos) << text;
}

TEST(Integers, UnsignedAndSignedMeetAsTheCommonType) {
  Expr u = Typed(DType::kU32, "u");
  NativeKernel native("k");
  native.Out("y", DType::kF32).Scalar("u", DType::kU32).Symbol("M");
  native.Body({ir::If(Lt(u, V("M")), {ir::Store(V("y"), Int(0), Float(1))})});
  std::string text = EmitCuda(native.kernel, FindTarget("sm_80").value())->text;
  EXPECT_NE(text.find("if ((long long)u < M) {"), std::string::npos) << text;
}

}  // namespace
}  // namespace kiln
