#include "compiler/codegen/cuda/emit_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "compiler/targets/targets.h"
#include "compiler/toolchain/nvrtc.h"
#include "tests/compiler/codegen/cuda/native_kernel.h"

namespace kiln {
namespace {

using ir::Alloc;
using ir::Comment;
using ir::Eval;
using ir::For;
using ir::Let;
using ir::LoopKind;
using ir::Space;
using ir::Store;
using ::testing::HasSubstr;

constexpr const char* kArchitectures[] = {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"};

std::string Emit(const NativeKernel& native, const std::string& target = "sm_90a") {
  absl::StatusOr<Source> source = EmitCuda(native.kernel, FindTarget(target).value());
  return source.ok() ? source->text : source.status().ToString();
}

// The text equals tests/golden/cuda/NAME.cu, which KILN_BLESS=1 rewrites.
void ExpectGolden(const std::string& name, const std::string& text) {
  std::string path = "tests/golden/cuda/" + name + ".cu";
  if (std::getenv("KILN_BLESS")) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(golden.str(), text) << path << " differs; KILN_BLESS=1 rewrites it";
}

// NVRTC accepts the text for each architecture that the kernel's instructions exist on.
void ExpectCompiles(const NativeKernel& native, const std::string& first = "sm_80", bool allow_spills = false) {
  absl::StatusOr<std::unique_ptr<NvrtcToolchain>> nvrtc = NvrtcToolchain::Open();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  bool reached = false;
  for (const char* arch : kArchitectures) {
    reached = reached || arch == first;
    if (!reached) continue;
    absl::StatusOr<Source> source = EmitCuda(native.kernel, FindTarget(arch).value());
    ASSERT_TRUE(source.ok()) << source.status();
    CompileOptions options;
    options.arch = arch;
    options.allow_spills = allow_spills;
    absl::StatusOr<Compiled> compiled = (*nvrtc)->Compile(*source, options);
    ASSERT_TRUE(compiled.ok()) << arch << ": " << compiled.status() << "\n" << source->text;
    EXPECT_EQ(compiled->log.find("warning"), std::string::npos) << compiled->log;
  }
}

Expr Thread() { return V("thread_id"); }

// y = x * w over vectors of 8 bf16, a tail guarded.
NativeKernel Scale() {
  NativeKernel native("scale");
  native.Tensor("x", DType::kBF16).Tensor("w", DType::kF32).Out("y", DType::kBF16).Symbol("N", 1 << 20);
  Expr i = V("i"), k = V("k");
  ir::Block copy = {
      AllocOf("xs", DType::kBF16, 8),
      AllocOf("ws", DType::kF32, 8),
      Store(V("xs"), Int(0), Load(V("x"), i, 8)),
      Store(V("ws"), Int(0), Load(V("w"), i, 4)),
      Store(V("ws"), Int(4), Load(V("w"), i + Int(4), 4)),
      For("k", Int(0), Int(8), {Store(V("xs"), k, Load(V("xs"), k) * Load(V("ws"), k))}, LoopKind::kUnroll),
      Store(V("y"), i, Load(V("xs"), Int(0), 8)),
  };
  native.Body({Comment("cta.copy: vector"), Let("i", (V("cta_id.x") * Int(128) + Thread()) * Int(8)),
               ir::If(Binary(Op::kLe, i + Int(8), V("N")), copy)});
  return native;
}

TEST(EmitCuda, Scale) {
  NativeKernel native = Scale();
  ExpectGolden("scale", Emit(native));
  ExpectCompiles(native);
}

// A sum over the CTA: registers, shuffles, shared memory.
NativeKernel RowSum() {
  NativeKernel native("row_sum");
  native.Tensor("x", DType::kF16).Out("y", DType::kF32).Symbol("M").Scalar("eps", DType::kF32);
  native.kernel.launch.grid = {V("M")};
  Expr j = V("j"), sum = V("sum");
  auto shuffle = [&](int64_t lane) { return ir::Assign(sum, sum + Call("shfl_xor", {sum, Int(lane)})); };
  native.Body({
      Comment("cta.sum: shared"),
      AllocOf("partial", DType::kF32, 4, Space::kShared),
      ir::Mutable("sum", DType::kF32, Float(0)),
      For("j", Thread(), Int(4096),
          {ir::Assign(sum,
                      sum + Load(V("x"), V("cta_id.x") * Int(4096) + j) * Load(V("x"), V("cta_id.x") * Int(4096) + j))},
          LoopKind::kSerial, Int(128)),
      shuffle(16),
      shuffle(8),
      shuffle(4),
      shuffle(2),
      shuffle(1),
      ir::If(Binary(Op::kEq, V("lane_id"), Int(0)), {Store(V("partial"), V("warp_id"), sum)}),
      Eval(Call("barrier", {})),
      ir::Mutable("total", DType::kF32, Float(0)),
      For("i", Int(0), Int(4), {ir::Assign(V("total"), V("total") + Load(V("partial"), V("i")))}, LoopKind::kUnroll),
      ir::If(Binary(Op::kEq, Thread(), Int(0)),
             {Store(V("y"), V("cta_id.x"), Math(Op::kRsqrt, {FloorDiv(V("total"), Float(4096)) + V("eps")}))}),
  });
  return native;
}

TEST(EmitCuda, RowSum) {
  NativeKernel native = RowSum();
  ExpectGolden("row_sum", Emit(native));
  ExpectCompiles(native);
}

// One step of a gemm: cp.async into a dynamic arena, ldmatrix, mma, packed stores.
NativeKernel GemmStep() {
  NativeKernel native("gemm_step", 32);
  native.Tensor("a", DType::kBF16).Tensor("b", DType::kBF16).Out("c", DType::kBF16).Symbol("K", 1 << 16);
  native.kernel.shared_bytes = 16 * 16 * 2 + 8 * 16 * 2;
  Expr lane = V("lane_id"), k = V("k"), r = V("r");
  native.Body({
      AllocOf("at", DType::kBF16, 16 * 16, Space::kSharedDyn, 0),
      AllocOf("bt", DType::kBF16, 8 * 16, Space::kSharedDyn, 512),
      AllocOf("acc", DType::kF32, 4),
      AllocOf("af", DType::kBF16, 8),
      AllocOf("bf", DType::kBF16, 4),
      For("i", Int(0), Int(4), {Store(V("acc"), V("i"), Float(0))}, LoopKind::kUnroll),
      For("k", Int(0), V("K"),
          {Comment("cta.copy_async: cp_async"),
           Eval(Call("cp_async",
                     {V("at"), lane * Int(8), V("a"), FloorDiv(lane, Int(2)) * V("K") + k + Mod(lane, Int(2)) * Int(8),
                      Int(16), Min(Int(16), (V("K") - k) * Int(2))})),
           ir::If(Lt(lane, Int(16)),
                  {Eval(Call("cp_async",
                             {V("bt"), lane * Int(8), V("b"),
                              FloorDiv(lane, Int(2)) * V("K") + k + Mod(lane, Int(2)) * Int(8), Int(16), Int(16)}))}),
           Eval(Call("cp_async_commit", {})), Eval(Call("cp_async_wait", {Int(0)})), Eval(Call("barrier", {})),
           Comment("cta.gemm: mma"),
           Eval(Call("ldmatrix",
                     {V("af"), Int(0), V("at"), Mod(lane, Int(16)) * Int(16) + FloorDiv(lane, Int(16)) * Int(8), Int(4),
                      Bool(false)})),
           Eval(Call("ldmatrix", {V("bf"), Int(0), V("bt"),
                                  Mod(lane, Int(8)) * Int(16) + FloorDiv(Mod(lane, Int(16)), Int(8)) * Int(8), Int(2),
                                  Bool(false)})),
           Eval(Call("mma", {V("acc"), Int(0), V("af"), Int(0), V("bf"), Int(0), Int(16)})), Eval(Call("barrier", {}))},
          LoopKind::kSerial, Int(16)),
      For("r", Int(0), Int(2),
          {Store(V("c"), (FloorDiv(lane, Int(4)) + r * Int(8)) * Int(8) + Mod(lane, Int(4)) * Int(2),
                 Pack2(DType::kBF16, Load(V("acc"), r * Int(2)), Load(V("acc"), r * Int(2) + Int(1))))},
          LoopKind::kUnroll),
  });
  return native;
}

TEST(EmitCuda, GemmStep) {
  NativeKernel native = GemmStep();
  ExpectGolden("gemm_step", Emit(native));
  ExpectCompiles(native);
}

// Every conversion that docs/numerics.md lists, from registers of each dtype to each other.
NativeKernel Conversions() {
  NativeKernel native("conversions");
  const DType dtypes[] = {DType::kBool, DType::kI8,  DType::kI16,    DType::kI32,    DType::kI64,   DType::kU8,
                          DType::kU16,  DType::kU32, DType::kU64,    DType::kF16,    DType::kBF16,  DType::kTF32,
                          DType::kF32,  DType::kF64, DType::kF8E4M3, DType::kF8E5M2, DType::kF8E8M0};
  ir::Block body;
  auto name = [](const char* prefix, DType dtype) { return std::string(prefix) + std::string(Name(dtype)); };
  for (DType from : dtypes) native.Tensor(name("x_", from), from);
  for (DType to : dtypes) native.Out(name("y_", to), to);
  int64_t row = 0;
  for (DType from : dtypes) {
    body.push_back(Let(name("v_", from), Load(V(name("x_", from)), Thread())));
    for (DType to : dtypes) body.push_back(Store(V(name("y_", to)), Thread() + Int(128 * row), V(name("v_", from))));
    ++row;
  }
  native.Body(std::move(body));
  return native;
}

TEST(EmitCuda, Conversions) {
  NativeKernel native = Conversions();
  ExpectGolden("conversions", Emit(native));
  ExpectGolden("conversions_sm_80", Emit(native, "sm_80"));
  ExpectCompiles(native, "sm_80", /*allow_spills=*/true);
}

// Packed registers of 8 and 16 bits and tf32, read and written by element and by vector.
NativeKernel Packed() {
  NativeKernel native("packed");
  ir::Block body;
  for (DType dtype : {DType::kF16, DType::kI16, DType::kI8, DType::kU8, DType::kBool, DType::kF8E4M3, DType::kTF32}) {
    std::string name(Name(dtype));
    native.Tensor("x_" + name, dtype).Out("y_" + name, dtype);
    int64_t lanes = dtype == DType::kTF32 ? 4 : 8;
    Expr i = V("i"), r = V("r_" + name), at = Thread() * Int(lanes);
    body.push_back(AllocOf("r_" + name, dtype, lanes));
    body.push_back(Store(r, Int(0), Load(V("x_" + name), at, static_cast<int>(lanes))));
    Expr value = dtype == DType::kBool ? Unary(Op::kNot, Load(r, i)) : Load(r, i) + Load(r, i);
    body.push_back(For("i", Int(0), Int(lanes), {Store(r, i, value)}, LoopKind::kUnroll));
    body.push_back(Store(V("y_" + name), at, Load(r, Int(0), static_cast<int>(lanes))));
  }
  native.Body(std::move(body));
  return native;
}

TEST(EmitCuda, Packed) {
  NativeKernel native = Packed();
  ExpectGolden("packed", Emit(native));
  ExpectCompiles(native);
}

NativeKernel Functions() {
  NativeKernel native("functions");
  native.Tensor("x", DType::kF32).Tensor("d", DType::kF64).Out("y", DType::kF32).Out("e", DType::kF64);
  ir::Block body = {Let("v", Load(V("x"), Thread())), Let("w", Load(V("d"), Thread()))};
  int64_t row = 0;
  for (Op op : {Op::kExp, Op::kExp2, Op::kLog, Op::kLog2, Op::kSqrt, Op::kRsqrt, Op::kTanh, Op::kSin, Op::kCos,
                Op::kErf, Op::kAbs, Op::kFloor, Op::kCeil, Op::kRound}) {
    body.push_back(Store(V("y"), Thread() + Int(128 * row), Math(op, {V("v")})));
    body.push_back(Store(V("e"), Thread() + Int(128 * row++), Math(op, {V("w")})));
  }
  const Expr more[] = {Math(Op::kFma, {V("v"), V("v"), Float(2)}),
                       Math(Op::kPow, {V("v"), Float(0.1)}),
                       Math(Op::kIsNan, {V("v")}),
                       Binary(Op::kMod, V("v"), Float(3)),
                       Min(V("v"), Float(-std::numeric_limits<double>::infinity())),
                       Max(V("v"), Float(std::nan(""))),
                       V("v") * V("v") - V("v"),
                       Float(1) - V("v") * V("v"),
                       Select(Binary(Op::kGe, V("v"), Int(0)), V("v"), Unary(Op::kNeg, V("v"))),
                       FloorDiv(V("v"), V("v") + Float(1))};
  for (const Expr& value : more) body.push_back(Store(V("y"), Thread() + Int(128 * row++), value));
  native.Body(std::move(body));
  return native;
}

TEST(EmitCuda, Functions) {
  NativeKernel native = Functions();
  ExpectGolden("functions", Emit(native));
  ExpectCompiles(native);
}

// Every mma of the table, and every ldmatrix.
NativeKernel MatrixInstructions(bool fp8) {
  NativeKernel native("matrix");
  native.Out("y", DType::kF32).Out("z", DType::kI32);
  struct Shape {
    DType dtype;
    int64_t k;
  };
  std::vector<Shape> shapes = {{DType::kF16, 8},  {DType::kF16, 16}, {DType::kBF16, 8}, {DType::kBF16, 16},
                               {DType::kTF32, 4}, {DType::kTF32, 8}, {DType::kI8, 16},  {DType::kI8, 32},
                               {DType::kU8, 16},  {DType::kU8, 32}};
  if (fp8) shapes = {{DType::kF8E4M3, 32}, {DType::kF8E5M2, 32}};
  ir::Block body = {
      AllocOf("f", DType::kF32, 4), AllocOf("n", DType::kI32, 4), AllocOf("tile", DType::kF16, 1024, Space::kShared),
      For("i", Int(0), Int(4), {Store(V("f"), V("i"), Float(0)), Store(V("n"), V("i"), Int(0))}, LoopKind::kUnroll)};
  for (const Shape& shape : shapes) {
    std::string suffix = std::string(Name(shape.dtype)) + "_" + std::to_string(shape.k);
    Expr a = V("a_" + suffix), b = V("b_" + suffix), acc = V(IsInteger(shape.dtype) ? "n" : "f");
    body.push_back(AllocOf(a->name, shape.dtype, shape.k / 2));
    body.push_back(AllocOf(b->name, shape.dtype, shape.k / 4));
    int64_t count = shape.k * Bits(shape.dtype) == 256 ? 4 : 2;
    body.push_back(Eval(Call("ldmatrix", {a, Int(0), V("tile"), V("lane_id") * Int(8), Int(count), Bool(false)})));
    body.push_back(Eval(Call("ldmatrix", {b, Int(0), V("tile"), V("lane_id") * Int(8), Int(count / 2), Bool(true)})));
    body.push_back(Eval(Call("mma", {acc, Int(0), a, Int(0), b, Int(0), Int(shape.k)})));
  }
  body.push_back(Store(V("y"), Thread() * Int(4), Load(V("f"), Int(0), 4)));
  body.push_back(Store(V("z"), Thread() * Int(4), Load(V("n"), Int(0), 4)));
  native.Body(std::move(body));
  return native;
}

TEST(EmitCuda, MatrixInstructions) {
  NativeKernel native = MatrixInstructions(false);
  ExpectGolden("matrix", Emit(native));
  ExpectCompiles(native);
}

TEST(EmitCuda, MatrixInstructionsOfFp8) {
  NativeKernel native = MatrixInstructions(true);
  ExpectGolden("matrix_fp8", Emit(native));
  ExpectCompiles(native, "sm_89");
}

NativeKernel Statements() {
  NativeKernel native("double");
  native.Out("float", DType::kF32)
      .Tensor("n", DType::kI32)
      .Symbol("x.stride0")
      .Out("b", DType::kBF16)
      .Out("h", DType::kF16);
  native.Out("q", DType::kI64);
  Expr t = V("t"), out = V("float");
  ir::StmtNode loop;
  loop.kind = ir::StmtKind::kWhile;
  loop.value = Lt(t, V("x.stride0"));
  loop.body = {ir::Assign(t, t + Int(1)), ir::If(Binary(Op::kEq, t, Int(7)), {ir::MakeStmt({ir::StmtKind::kBreak})}),
               ir::If(Binary(Op::kEq, t, Int(5)), {ir::MakeStmt({ir::StmtKind::kContinue})})};
  ir::StmtNode assume;
  assume.kind = ir::StmtKind::kAssume;
  assume.value = Lt(Load(V("n"), Int(0)), Int(100));
  ir::StmtNode assert;
  assert.kind = ir::StmtKind::kAssert;
  assert.value = Lt(t, Int(9));
  native.Body({
      ir::Mutable("t", DType::kI32, Int(0)),
      ir::MakeStmt(assume),
      ir::MakeStmt(loop),
      ir::MakeStmt(assert),
      ir::If(Binary(Op::kEq, t, Int(1)), {Store(out, Int(0), Float(1.5))},
             {ir::If(Binary(Op::kOr, Lt(t, Int(2)), And(Lt(Int(3), t), Lt(t, Int(5)))),
                     {Store(out, Int(1), Float(1e30))}, {Store(out, Int(2), t)})}),
      Eval(Call("warp_barrier", {})),
      Eval(Call("atomic_add", {out, Int(3), Float(1)})),
      Eval(Call("atomic_add", {V("b"), Thread(), Float(1)})),
      Eval(Call("atomic_add", {V("h"), Thread(), Float(1)})),
      Eval(Call("atomic_add", {V("q"), Int(0), t})),
      Store(V("b"), Int(8), Broadcast(Float(0), 8)),
      Store(V("b"), Int(16), Broadcast(Float(1), 8)),
      Store(out, Int(4), Broadcast(Float(1), 4)),
      Store(out, Int(8), Select(Lt(t, Int(4)), Load(out, Int(12), 4), Broadcast(Float(0), 4))),
      Store(V("h"), Int(0), Call("shfl", {Load(V("h"), Int(1)), Int(3)})),
      ir::MakeStmt({ir::StmtKind::kReturn}),
  });
  return native;
}

TEST(EmitCuda, Statements) {
  NativeKernel native = Statements();
  ExpectGolden("statements", Emit(native));
  ExpectCompiles(native);
}

TEST(EmitCuda, EntryIsTheKernelsNameAsAnIdentifier) {
  const Target target = FindTarget("sm_90a").value();
  EXPECT_THAT(Emit(Statements()), HasSubstr("__launch_bounds__(128) double_("));
  EXPECT_EQ(EmitCuda(Statements().kernel, target)->entry, "double_");
  EXPECT_EQ(EmitCuda(Scale().kernel, target)->entry, "scale");
}

// Case DIAG-3 C
TEST(EmitCuda, SameTextEveryTime) { EXPECT_EQ(Emit(GemmStep()), Emit(GemmStep())); }

std::string ErrorOf(ir::Block body) {
  NativeKernel native("k");
  native.Tensor("x", DType::kF32).Out("y", DType::kF32).Out("b", DType::kBF16);
  native.Body(std::move(body));
  return Emit(native, "sm_80");
}

TEST(EmitCuda, WhatHasNoFormIsNamed) {
  EXPECT_EQ(ErrorOf({Store(V("y"), Int(0), Load(V("x"), Int(0), 4) + Load(V("x"), Int(4), 4))}),
            "UNIMPLEMENTED: codegen: kernel \"k\": a vector in arithmetic: CUDA code moves vectors and computes on "
            "scalars");
  EXPECT_EQ(ErrorOf({Store(V("y"), Int(0), Load(V("x"), Int(0), 3))}),
            "UNIMPLEMENTED: codegen: kernel \"k\": a move of 12 bytes at once: expected 2, 4, 8 or 16");
  EXPECT_EQ(ErrorOf({Store(V("b"), Int(0), Load(V("x"), Int(0), 4))}),
            "UNIMPLEMENTED: codegen: kernel \"k\": a vector of f32 where one of bf16 is expected");
  EXPECT_EQ(ErrorOf({Store(V("y"), Int(0), Call("reduce_add", {Load(V("x"), Int(0))}))}),
            "UNIMPLEMENTED: codegen: kernel \"k\": intrinsic reduce_add needs cpu, which sm_80 has not");
  EXPECT_EQ(ErrorOf({Store(V("y"), Int(0), V("z"))}),
            "UNIMPLEMENTED: codegen: kernel \"k\": an expression whose type is not known");
  EXPECT_EQ(ErrorOf({Store(V("z"), Int(0), Float(1))}),
            "UNIMPLEMENTED: codegen: kernel \"k\": expected a tensor, found \"z\"");
  EXPECT_EQ(ErrorOf({AllocOf("a", DType::kF16, 8), AllocOf("c", DType::kF32, 4),
                     Eval(Call("mma", {V("c"), Int(0), V("a"), Int(0), V("a"), Int(0), Int(32)}))}),
            "UNIMPLEMENTED: codegen: kernel \"k\": mma m16n8k32 of f16 and f16 into f32: there is no such instruction");
}

TEST(EmitCuda, InstructionsTheTargetLacksAreRefused) {
  Target target = FindTarget("sm_80").value();
  target.features.erase("cp_async");
  absl::Status status = EmitCuda(GemmStep().kernel, target).status();
  EXPECT_THAT(
      status.message(),
      HasSubstr(
          "intrinsic cp_async needs cp_async (sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a), which sm_80 has not"));
}

TEST(EmitCuda, KernelThatIsNotLowered) {
  NativeKernel native = Scale();
  native.kernel.native = false;
  EXPECT_EQ(Emit(native), "INTERNAL: codegen: kernel \"scale\" is not lowered");
}

}  // namespace
}  // namespace kiln
