// Hand-built native kernels, printed, compiled and run on this machine.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "tests/compiler/codegen/llvm/host_kernel.h"

namespace kiln {
namespace {

__extension__ typedef __int128 Wide;  // No standard C++ has it, as -Wpedantic would say

using testing::HostKernel;
using testing::Pointer;

ir::Kernel Native(std::string name, std::vector<ir::NativeParam> params, ir::Block body) {
  ir::Kernel kernel;
  kernel.name = std::move(name);
  kernel.native = true;
  kernel.native_params = std::move(params);
  kernel.body = std::move(body);
  return kernel;
}

ir::NativeParam TensorParam(std::string name, DType dtype) {
  return {ir::NativeParam::Kind::kPointer, std::move(name), dtype};
}
ir::NativeParam SymbolParam(std::string name) { return {ir::NativeParam::Kind::kSymbol, std::move(name), DType::kI64}; }

HostKernel Build(const ir::Kernel& kernel) {
  absl::StatusOr<HostKernel> built = HostKernel::Build(kernel);
  EXPECT_TRUE(built.ok()) << built.status();
  return std::move(built).value();
}

// y[i] = x[i] * s + cta_id.x over n elements, eight at a time, then one at a time.
TEST(Execute, VectorLoopWithTail) {
  Expr i = Var("i");
  auto body = [&](int lanes) {
    return ir::Block{
        ir::Store(Var("y"), i, Load(Var("x"), i, lanes) * Var("s") + Cast({DType::kF32, ""}, Var("cta_id.x")))};
  };
  Expr whole = FloorDiv(Var("n"), Int(8)) * Int(8);
  ir::Kernel kernel = Native(
      "axpb",
      {TensorParam("x", DType::kF32),
       TensorParam("y", DType::kF32),
       SymbolParam("n"),
       {ir::NativeParam::Kind::kScalar, "s", DType::kF32}},
      {ir::For("i", Int(0), whole, body(8), ir::LoopKind::kSerial, Int(8)), ir::For("i", whole, Var("n"), body(1))});
  HostKernel built = Build(kernel);
  std::vector<float> x(21), y(22, -1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  float s = 0.5f;
  uint32_t bits;
  std::memcpy(&bits, &s, 4);
  built.Run({Pointer(x.data()), Pointer(y.data()), 21, bits}, 3);
  for (int k = 0; k < 21; ++k) EXPECT_EQ(y[k], x[k] * 0.5f + 3.0f) << k;
  EXPECT_EQ(y[21], -1.0f);
}

// Case IDX-4 C
TEST(Execute, FloorDivisionAndRemainderOfEverySign) {
  std::vector<std::pair<int64_t, int64_t>> cases = {{7, 2},  {-7, 2},  {7, -2},         {-7, -2},
                                                    {6, -3}, {-6, -3}, {INT64_MIN, -1}, {0, 5}};
  Expr a = Load(Var("in"), Int(0)), b = Load(Var("in"), Int(1));
  ir::Kernel kernel = Native("divide", {TensorParam("in", DType::kI64), TensorParam("out", DType::kI64)},
                             {ir::Store(Var("out"), Int(0), FloorDiv(a, b)), ir::Store(Var("out"), Int(1), Mod(a, b)),
                              ir::Store(Var("out"), Int(2), CeilDiv(a, b))});
  HostKernel built = Build(kernel);
  auto floor_div = [](Wide x, Wide y) {
    Wide q = x / y;
    return static_cast<int64_t>(q - (x % y != 0 && (x % y < 0) != (y < 0)));
  };
  for (auto [x, y] : cases) {
    int64_t in[2] = {x, y}, out[3];
    built.Run({Pointer(in), Pointer(out)});
    EXPECT_EQ(out[0], floor_div(x, y)) << x << " / " << y;
    EXPECT_EQ(out[1], static_cast<int64_t>(static_cast<Wide>(x) - static_cast<Wide>(floor_div(x, y)) * y))
        << x << " % " << y;
    EXPECT_EQ(out[2], static_cast<int64_t>(-static_cast<Wide>(floor_div(-static_cast<Wide>(x), y)))) << x << ", " << y;
  }
}

TEST(Execute, MutableVectorsAndReductions) {
  // Two accumulators of four lanes over 32 elements.
  Expr i = Var("i");
  Expr zero = Broadcast(Float(0), 4);
  ir::Kernel kernel = Native("total", {TensorParam("x", DType::kF32), TensorParam("out", DType::kF32)},
                             {ir::Mutable("a", DType::kF32, zero), ir::Mutable("b", DType::kF32, zero),
                              ir::For("i", Int(0), Int(32),
                                      {ir::Assign(Var("a"), Var("a") + Load(Var("x"), i, 4)),
                                       ir::Assign(Var("b"), Max(Var("b"), Load(Var("x"), i + Int(4), 4)))},
                                      ir::LoopKind::kUnroll, Int(8)),
                              ir::Store(Var("out"), Int(0), Call("reduce_add", {Var("a")})),
                              ir::Store(Var("out"), Int(1), Call("reduce_max", {Var("b")}))});
  std::vector<float> x(32), out(2);
  std::iota(x.begin(), x.end(), 1.0f);
  Build(kernel).Run({Pointer(x.data()), Pointer(out.data())});
  float expected = 0;
  for (int k = 0; k < 32; ++k) expected += k % 8 < 4 ? x[k] : 0;
  EXPECT_EQ(out[0], expected);
  EXPECT_EQ(out[1], 32.0f);
}

TEST(Execute, ControlFlow) {
  // Sums odd numbers below n until the sum passes 20, through while, continue and break.
  Expr i = Var("i"), sum = Var("sum");
  ir::StmtNode loop;
  loop.kind = ir::StmtKind::kWhile;
  loop.value = Bool(true);
  ir::StmtNode brk, cont;
  brk.kind = ir::StmtKind::kBreak;
  cont.kind = ir::StmtKind::kContinue;
  loop.body = {ir::Assign(i, i + Int(1)), ir::If(Lt(Var("n"), i), {ir::MakeStmt(brk)}),
               ir::If(Binary(Op::kEq, Mod(i, Int(2)), Int(0)), {ir::MakeStmt(cont)}), ir::Assign(sum, sum + i),
               ir::If(Lt(Int(20), sum), {ir::MakeStmt(brk)}, {ir::Store(Var("out"), Int(1), sum)})};
  ir::Kernel kernel = Native("walk", {TensorParam("out", DType::kI64), SymbolParam("n")},
                             {ir::Mutable("i", DType::kI64, Int(0)), ir::Mutable("sum", DType::kI64, Int(0)),
                              ir::MakeStmt(loop), ir::Store(Var("out"), Int(0), sum)});
  HostKernel built = Build(kernel);
  int64_t out[2] = {-1, -1};
  built.Run({Pointer(out), 100});
  EXPECT_EQ(out[0], 25);
  EXPECT_EQ(out[1], 16);
  built.Run({Pointer(out), 4});
  EXPECT_EQ(out[0], 4);
}

TEST(Execute, ScratchTensorsGathersAndZips) {
  ir::TensorDecl tile;
  tile.name = "t";
  tile.dtype.dtype = DType::kF32;
  tile.shape = {Int(16)};
  tile.offset = 64;
  Expr four = Ramp(Int(0), 4);
  ir::Kernel kernel =
      Native("shuffle", {TensorParam("x", DType::kF32), TensorParam("y", DType::kF32)},
             {ir::Alloc(tile), ir::Store(Var("t"), four * Int(3), Load(Var("x"), Int(0), 4)),
              ir::Store(Var("y"), Int(0), Load(Var("t"), Ramp(Int(0), 4) * Int(3))),
              ir::Store(Var("y"), Int(4), Call("zip_low", {Load(Var("x"), Int(0), 4), Load(Var("x"), Int(4), 4)})),
              ir::Store(Var("y"), Int(8), Call("zip_high", {Load(Var("x"), Int(0), 4), Load(Var("x"), Int(4), 4)}))});
  kernel.scratch_bytes = 128;
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8}, y(12);
  Build(kernel).Run({Pointer(x.data()), Pointer(y.data())});
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 4, 1, 5, 2, 6, 3, 7, 4, 8}));
}

TEST(Execute, RightOperandOfAndIsReadOnlyWhenTheLeftHolds) {
  // x is null where n is 0.
  Expr guarded = And(Lt(Int(0), Var("n")), Binary(Op::kGt, Load(Var("x"), Int(0)), Float(0)));
  ir::Kernel kernel =
      Native("guarded", {TensorParam("x", DType::kF32), TensorParam("out", DType::kI32), SymbolParam("n")},
             {ir::Store(Var("out"), Int(0), Select(guarded, Int(1), Int(0))),
              ir::Store(Var("out"), Int(1), Select(Lt(Int(0), Var("n")), Load(Var("x"), Int(0)), Float(7)))});
  HostKernel built = Build(kernel);
  int32_t out[2];
  built.Run({0, Pointer(out), 0});
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 7);
  float x = 2;
  built.Run({Pointer(&x), Pointer(out), 1});
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2);
}

TEST(Execute, AKernelMayBeNamedLikeALibraryFunction) {
  Expr i = Var("i");
  ir::Kernel kernel = Native("memset", {TensorParam("y", DType::kI32), SymbolParam("n")},
                             {ir::For("i", Int(0), Var("n"), {ir::Store(Var("y"), i, Int(0))})});
  std::vector<int32_t> y(100, 7);
  Build(kernel).Run({Pointer(y.data()), 100});
  EXPECT_EQ(y, std::vector<int32_t>(100, 0));
}

TEST(Execute, WhatHasNoCpuFormIsRefused) {
  ir::Kernel kernel = Native("k", {TensorParam("x", DType::kF32)}, {ir::Eval(Call("cp_async_commit", {}))});
  EXPECT_EQ(HostKernel::Build(kernel).status(),
            absl::UnimplementedError(
                "codegen: intrinsic \"cp_async_commit\" needs cp_async (sm_80, sm_86, sm_89, sm_90a, sm_100a, "
                "sm_120a), which cpu has not; target `reference` interprets it"));
}

}  // namespace
}  // namespace kiln
