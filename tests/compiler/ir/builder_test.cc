#include "compiler/ir/builder.h"

#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "gtest/gtest.h"

namespace kiln::ir {
namespace {

TEST(Builder, AnAddKernelInTenLines) {
  KernelBuilder k("add");
  Expr M = k.Symbol("M", SymbolPolicy::Kind::kDynamic);
  DTypeRef T = k.DTypeParam("T", {DType::kF16, DType::kF32});
  Expr B = k.Tune("B", {256, 1024});
  Expr a = k.In("a", T, {M}), b = k.In("b", T, {M}), c = k.Out("c", T, {M});
  k.Grid({CeilDiv(M, B)}).Block(Int(256));
  Expr i = k.Let("i", Var("cta_id.x") * B);
  auto part = [&](Expr t) { return Subscript(t, {Slice(i, B)}); };
  k.Do(Copy(Team::kCta, part(c), part(a) + part(b)));
  Module module;
  module.kernels.push_back(k.Take());
  EXPECT_EQ(Print(module),
            R"(kernel add<T: dtype(f16, f32), B: tune(256, 1024)>(a: tensor<T>[M], b: tensor<T>[M], c: out tensor<T>[M])
  where M: dynamic
  launch grid(ceildiv(M, B)) block(256)
{
  let i = cta_id.x * B
  cta.copy(c[i +: B], a[i +: B] + b[i +: B])
}
)");
  EXPECT_TRUE(Verify(module).empty());
}

TEST(Builder, BlocksNest) {
  KernelBuilder k("k");
  Expr n = k.Scalar("n", DType::kI32);
  Expr y = k.Out("y", DType::kF32, {Int(64)});
  Expr step = k.Constant("STEP", 2);
  k.Grid({Int(1)}).Target("sm_80").Requires(Lt(step, Int(8)));
  Expr acc = k.Alloc("acc", DType::kF32, {Int(64)}, Space::kLocal, Float(0));
  Expr count = k.Mutable("count", DType::kI32, Int(0));
  k.For(
      "i", Int(0), n,
      [&](Expr i) {
        k.Assign(count, count + i);
        k.If(
            Lt(i, Int(4)), [&] { k.Do(Fill(Team::kCta, acc, Int(1))); },
            [&] { k.Do(Gemm(Team::kWarp, acc, acc, acc, /*trans_b=*/true)); });
      },
      LoopKind::kUnroll, step);
  k.If(Lt(count, n), [&] { k.Assign(y, acc * Reduce(Team::kCta, TileOpKind::kSum, acc, 0)); });
  EXPECT_EQ(Print(k.Take()), R"(kernel k<STEP = 2>(n: i32, y: out tensor<f32>[64])
  requires STEP < 8
  target sm_80
  launch grid(1)
{
  alloc acc: f32[64] in local = 0.0
  var count: i32 = 0
  for i in unroll 0 .. n step STEP {
    count = count + i
    if i < 4 {
      cta.fill(acc, 1)
    } else {
      warp.gemm(acc, acc, acc, trans_b = true)
    }
  }
  if count < n {
    y = acc * cta.sum(acc, axis = 0)
  }
}
)");
  EXPECT_EQ(Print(k.Take()), "kernel ()\n{\n}\n");
}

}  // namespace
}  // namespace kiln::ir
