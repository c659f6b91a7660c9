// Faults that other compilers of tile kernels had, as kernels with exact answers: as written, as lowered for NVIDIA
// GPUs in the interpreter, and on this machine's CPU where it is there. docs/bug_rows.md lists them.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/parse.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"
#include "kiln/internal/status_macros.h"
#include "tests/kernels/cuda_line.h"
#include "tests/kernels/tensor.h"
#ifdef KILN_TEST_CPU
#include "tests/kernels/cpu_line.h"
#endif

namespace kiln::testing {
namespace {

using Doubles = std::vector<double>;

struct Arg {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  Doubles values;    // Repeated; none: not written before
  Doubles expected;  // None: not looked at
};

std::vector<Tensor> TensorsOf(const std::vector<Arg>& args) {
  std::vector<Tensor> out;
  for (const Arg& arg : args) {
    Tensor tensor(arg.dtype, arg.shape, Memory::kDense);
    for (int64_t i = 0; i < tensor.count() && !arg.values.empty(); ++i)
      tensor.Set(i, arg.values[i % arg.values.size()]);
    out.push_back(std::move(tensor));
  }
  return out;
}

absl::StatusOr<ir::Kernel> Specialized(const std::string& text, const std::map<std::string, int64_t>& ints,
                                       const Target& target) {
  KILN_ASSIGN_OR_RETURN(ir::Module module, ir::Parse(text, "case"));
  Bindings bindings;
  bindings.ints = ints;
  return Specialize(module, module.kernels.at(0).name, bindings, target);
}

void ExpectAnswers(const std::vector<Arg>& args, const std::vector<Tensor>& tensors) {
  for (size_t a = 0; a < args.size(); ++a) {
    EXPECT_TRUE(tensors[a].GapsIntact()) << args[a].name << ": memory around it changed";
    if (!args[a].expected.empty()) {
      EXPECT_EQ(tensors[a].Values(), args[a].expected) << args[a].name;
    }
  }
}

void Interpret(const ir::Kernel& kernel, const std::vector<Arg>& args) {
  std::vector<Tensor> tensors = TensorsOf(args);
  std::vector<interp::Argument> arguments;
  for (Tensor& tensor : tensors)
    arguments.push_back(interp::Tensor{tensor.dtype(), tensor.shape(), tensor.strides(), tensor.data()});
  const absl::Status status = interp::Run(kernel, arguments);
  ASSERT_TRUE(status.ok()) << status;
  ExpectAnswers(args, tensors);
}

// The kernel `body` with a block of `threads`, on every backend that runs here.
void Check(const std::string& body, int64_t threads, const std::vector<Arg>& args,
           const std::map<std::string, int64_t>& ints = {}, const std::string& grid = "1") {
  std::string parameters;
  for (const Arg& arg : args) {
    std::string shape;
    for (int64_t extent : arg.shape) absl::StrAppend(&shape, shape.empty() ? "" : ", ", extent);
    const char* direction = arg.expected.empty() ? "" : arg.values.empty() ? "out " : "inout ";
    absl::StrAppend(&parameters, parameters.empty() ? "" : ", ", arg.name, ": ", direction, "tensor<",
                    std::string(Name(arg.dtype)), ">[", shape, "]");
  }
  const std::string text =
      absl::StrCat("kernel f(", parameters, ") launch grid(", grid, ") block(", threads, ") {\n", body, "\n}");
  SCOPED_TRACE(text);
  for (const char* name : {"reference", "sm_80", "sm_90a"}) {
    SCOPED_TRACE(name);
    const Target target = FindTarget(name).value();
    absl::StatusOr<ir::Kernel> kernel = Specialized(text, ints, target);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    if (target.kind == TargetKind::kCuda) kernel = LowerForCuda(*kernel, target);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    Interpret(*kernel, args);
  }
#ifdef KILN_TEST_CPU
  SCOPED_TRACE("cpu");
  const absl::StatusOr<ir::Kernel> kernel = Specialized(text, ints, ThisMachine());
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  const auto loaded = LoadOnCpu(*kernel);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::vector<Tensor> tensors = TensorsOf(args);
  std::vector<runtime::Arg> launch(tensors.size());
  for (size_t i = 0; i < launch.size(); ++i)
    launch[i].tensor = {tensors[i].data(), tensors[i].shape().data(), tensors[i].strides().data(),
                        static_cast<int32_t>(tensors[i].shape().size()), tensors[i].dtype()};
  const absl::Status status = (*loaded)->Launch(nullptr, launch);
  ASSERT_TRUE(status.ok()) << status;
  ExpectAnswers(args, tensors);
#endif
}

Doubles Made(int64_t count, const std::function<double(int64_t)>& value) {
  Doubles out;
  for (int64_t i = 0; i < count; ++i) out.push_back(value(i));
  return out;
}

Doubles Counted(int64_t count) {
  return Made(count, [](int64_t i) { return static_cast<double>(i); });
}

// Case PIPE-1 C
TEST(Pipelined, ABufferReadThenRefilledKeepsWhatTheRoundBeforePut) {
  Check(
      "alloc s: f32[64] in shared = 7\nfor k in pipelined 0 .. 4 stages 2 {\n  cta.copy(o[k, :], s)\n  cta.copy(s, "
      "a[k, "
      ":])\n}",
      32, {{"a", DType::kF32, {4, 64}, Counted(256), {}}, {"o", DType::kF32, {4, 64}, {}, Made(256, [](int64_t i) {
                                                             return i < 64 ? 7.0 : static_cast<double>(i - 64);
                                                           })}});
}

// Case PIPE-2 V, PIPE-2 C
TEST(Pipelined, WhatTheLoopWritesIsNotFetchedAhead) {
  Check(
      "for k in pipelined 0 .. 8 stages 2 {\n  alloc t: i32[4] in shared\n  cta.copy(t, n)\n  cta.copy(o[k, :], t)\n"
      "  cta.atomic_add(n, index(n, 0) * 0 + 1)\n}",
      32,
      {{"n", DType::kI32, {4}, {0}, {8, 8, 8, 8}},
       {"o", DType::kI32, {8, 4}, {}, Made(32, [](int64_t i) { return static_cast<double>(i / 4); })}});
}

// Case PIPE-4 C
TEST(Pipelined, EveryNumberOfRoundsAndStages) {
  for (int64_t rounds : {0, 1, 2, 3, 4, 7})
    for (int64_t stages : {1, 2, 3, 8})
      Check(absl::StrCat("alloc sum: f32[32] in local = 0\nfor k in pipelined 0 .. ", rounds, " stages ", stages,
                         " {\n  alloc t: f32[1, 32] in shared\n  cta.copy(t, a[k +: 1, :])\n  sum = sum + t[0, :]\n}\n"
                         "cta.copy(o, sum)"),
            32, {{"a", DType::kF32, {7, 32}, Counted(224), {}}, {"o", DType::kF32, {32}, {}, Made(32, [&](int64_t i) {
                                                                   return static_cast<double>(
                                                                       rounds * i + 32 * rounds * (rounds - 1) / 2);
                                                                 })}});
}

// Case PIPE-5 C
TEST(Pipelined, ALowerBoundAndAStep) {
  Check(
      "for k in pipelined 3 .. 11 step 2 stages 3 {\n  alloc t: f32[1, 64] in shared\n  cta.copy(t, a[k +: 1, :])\n  "
      "cta.copy(o[k +: 1, :], t * 2)\n}",
      32, {{"a", DType::kF32, {11, 64}, Counted(704), {}}, {"o", DType::kF32, {11, 64}, {-1}, Made(704, [](int64_t i) {
                                                              const int64_t row = i / 64;
                                                              return row >= 3 && row % 2 == 1
                                                                         ? 2.0 * static_cast<double>(i)
                                                                         : -1;
                                                            })}});
}

// Case SYNC-5 C
TEST(Barriers, AFilledSharedTileIsReadByOtherThreads) {
  Check(
      "alloc s: f32[8, 8] in shared\ncta.fill(s, 3)\ncta.copy(o[0, :, :], s.permute(1, 0) + 0)\n"
      "cta.fill(s, 4)\ncta.copy(o[1, :, :], s.permute(1, 0) + 0)",
      32, {{"o", DType::kF32, {2, 8, 8}, {}, Made(128, [](int64_t i) { return i < 64 ? 3.0 : 4.0; })}});
}

// Case LAYOUT-3 C
TEST(Layouts, ASmallPartDoesNotCutTheTile) {
  Check("alloc f: f32[256] in shared = 1\ncta.copy(f[0 +: 100], x)\ncta.copy(o, f + 1)", 128,
        {{"x", DType::kF32, {100}, {5}, {}},
         {"o", DType::kF32, {256}, {}, Made(256, [](int64_t i) { return i < 100 ? 6.0 : 2.0; })}});
}

// Case LAYOUT-2 C
TEST(Layouts, AnOperandOfAGemmIsStoredWhole) {
  Check(
      "alloc af: f16[64, 32] in local\nalloc bs: f16[32, 32] in shared\nalloc sh: f16[64, 32] in shared\n"
      "alloc c: f32[64, 32] in local = 0\ncta.copy(af, a)\ncta.copy(bs, b)\ncta.gemm(c, af, bs)\ncta.copy(sh, af)\n"
      "cta.copy(o, sh)",
      128,
      {{"a", DType::kF16, {64, 32}, Counted(2048), {}},
       {"b", DType::kF16, {32, 32}, {1}, {}},
       {"o", DType::kF16, {64, 32}, {}, Counted(2048)}});
}

// Case RED-1 C
TEST(Reductions, ATileSmallerThanTheTeamCountsOnce) {
  for (int64_t threads : {32, 128, 512, 1024})
    Check(
        "cta.copy(y, cta.sum(x) + index(y, 0))\n"
        "cta.copy(z, cta.sum(w, axis = 0))",
        threads,
        {{"x", DType::kF32, {64}, Counted(64), {}},
         {"w", DType::kF32, {16, 2}, Counted(32), {}},
         {"y", DType::kF32, {1}, {}, {2016}},
         {"z", DType::kF32, {2}, {}, {240, 256}}});
}

// Case RED-2 C
TEST(Reductions, ASumOfASum) {
  Check(
      "let total = cta.sum(cta.sum(x, axis = 1), axis = 0)\nlet most = cta.sum(cta.max(x, axis = 1), axis = 0)\n"
      "cta.copy(y, index(y, 0) + select(index(y, 0) == 0, total, most))",
      128, {{"x", DType::kF32, {128, 128}, {0.0078125}, {}}, {"y", DType::kF32, {2}, {}, {128, 2}}});
}

// Case RED-4 C
TEST(Reductions, SeveralTogetherOverTwoValuesAThread) {
  Check(
      "alloc t: f32[2, 8, 16] in local\ncta.copy(t, x)\nlet s = cta.sum(t, axis = 1)\nlet m = cta.max(t, axis = 1)\n"
      "cta.copy(y, s)\ncta.copy(z, m)",
      128,
      {{"x", DType::kF32, {2, 8, 16}, Counted(256), {}},
       {"y", DType::kF32, {2, 16}, {}, Made(32, [](int64_t i) { return 8.0 * (128 * (i / 16) + i % 16) + 448; })},
       {"z", DType::kF32, {2, 16}, {}, Made(32, [](int64_t i) { return 128.0 * (i / 16) + i % 16 + 112; })}});
}

// Case RED-5 C
TEST(Reductions, SixtyFourBitsStayWhole) {
  const double base = 1099511627776;  // 2^40
  for (DType dtype : {DType::kI64, DType::kU64})
    Check(
        "let s = cta.sum(x)\nlet m = cta.max(x)\nlet n = cta.min(x)\ncta.copy(y, select(index(y, 0) == 0, s, "
        "select(index(y, 0) == 1, m, n)))",
        32,
        {{"x", dtype, {32}, Made(32, [&](int64_t i) { return base + static_cast<double>(i); }), {}},
         {"y", dtype, {3}, {}, {32 * base + 496, base + 31, base}}});
}

// Case RED-7 C
TEST(Reductions, ARowOfMinusInfinitiesButOne) {
  const double inf = std::numeric_limits<double>::infinity();
  Check("let m = cta.max(x)\nlet e = exp2(x - m)\ncta.copy(y, e / cta.sum(e))", 128,
        {{"x", DType::kF32, {1024}, Made(1024, [&](int64_t i) { return i == 1023 ? 2.0 : -inf; }), {}},
         {"y", DType::kF32, {1024}, {}, Made(1024, [](int64_t i) { return i == 1023 ? 1.0 : 0.0; })}});
}

// Case NUM-1 C, NUM-6 C
TEST(Numbers, IntegersBecomeOtherTypes) {
  Check("cta.copy(y, x)\ncta.copy(b, x)", 32,
        {{"x", DType::kI32, {8}, {259, -259, 33000, 16777217, 0, 256, -256, 512}, {}},
         {"y", DType::kBF16, {8}, {}, {260, -260, 33024, 16777216, 0, 256, -256, 512}},
         {"b", DType::kBool, {8}, {}, {1, 1, 1, 1, 0, 1, 1, 1}}});
}

// Case NUM-3 C, NUM-4 C
TEST(Numbers, EightBitFloatsSaturateAndRoundOnce) {
  const double inf = std::numeric_limits<double>::infinity();
  Check("cta.copy(y, x)\ncta.copy(z, x)", 32,
        {{"x", DType::kF32, {8}, {inf, -inf, 449, 465, 57345, 1.0e6, 1.0625002, 0.5}, {}},
         {"y", DType::kF8E4M3, {8}, {}, {448, -448, 448, 448, 448, 448, 1.125, 0.5}},
         {"z", DType::kF8E5M2, {8}, {}, {57344, -57344, 448, 448, 57344, 57344, 1, 0.5}}});
}

// Case NUM-4 C
TEST(Numbers, DoublesRoundToHalvesOnce) {
  Check("cta.copy(y, x)", 32,
        {{"x", DType::kF64, {2}, {1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11}, {}},
         {"y", DType::kF16, {2}, {}, {1 + 0x1p-10, 1}}});
}

// Case NUM-7 C
TEST(Numbers, AnIntegerGemmIsExactBeyondTwentyFourBits) {
  for (int64_t step : {3, 4})
    Check(absl::StrCat("alloc acc: i32[16, 16] in local = 0\nfor k in 0 .. 1200 step ", step, " {\n  alloc at: i8[16, ",
                       step, "] in shared\n  alloc bt: i8[", step, ", 16] in shared\n  cta.copy(at, a[:, k +: ", step,
                       "])\n  cta.copy(bt, b[k +: ", step, ", :])\n  cta.gemm(acc, at, bt)\n}\ncta.copy(c, acc)"),
          32,
          {{"a", DType::kI8, {16, 1200}, {127}, {}},
           {"b", DType::kI8, {1200, 16}, {127}, {}},
           {"c", DType::kI32, {16, 16}, {}, Doubles(256, 1200 * 127 * 127)}});
}

// Case GEMM-4 C
TEST(Gemms, WarpsThatDoNotDivideTheColumns) {
  Check(
      "alloc at: f16[16, 16] in shared\nalloc bt: f16[16, 104] in shared\nalloc acc: f32[16, 104] in local = 0\n"
      "cta.copy(at, a)\ncta.copy(bt, b)\ncta.gemm(acc, at, bt)\ncta.copy(c, acc)",
      384,
      {{"a", DType::kF16, {16, 16}, {1}, {}},
       {"b", DType::kF16, {16, 104}, Made(1664, [](int64_t i) { return static_cast<double>(i % 104); }), {}},
       {"c", DType::kF32, {16, 104}, {}, Made(1664, [](int64_t i) { return 16.0 * (i % 104); })}});
}

// Case GEMM-7 C
TEST(Gemms, OneAfterTheOther) {
  for (int64_t threads : {32, 256})
    Check(
        "alloc qs: f16[16, 16] in shared\nalloc ks: f16[16, 16] in shared\nalloc vs: f16[16, 16] in shared\n"
        "cta.copy(qs, q)\ncta.copy(ks, k)\ncta.copy(vs, v)\nalloc s: f32[16, 16] in local = 0\n"
        "cta.gemm(s, qs, ks, trans_b = true)\nalloc p: f16[16, 16] in local\np = s\n"
        "alloc o: f32[16, 16] in local = 0\ncta.gemm(o, p, vs)\ncta.copy(y, o)",
        threads,
        {{"q", DType::kF16, {16, 16}, {1}, {}},
         {"k", DType::kF16, {16, 16}, {1}, {}},
         {"v", DType::kF16, {16, 16}, Made(256, [](int64_t i) { return static_cast<double>(i % 16); }), {}},
         {"y", DType::kF32, {16, 16}, {}, Made(256, [](int64_t i) { return 256.0 * (i % 16); })}});
}

// Case SHAPE-4 C
TEST(Shapes, AStorePastTheEndOfAVectorIsDropped) {
  for (int64_t count : {1, 3, 5})
    for (int64_t tile : {128, 256, 512})
      Check(absl::StrCat("alloc t: f32[", tile, "] in local\nt = index(t, 0) + 1\ncta.copy(y[0 +: ", tile, "], t)"),
            128, {{"y", DType::kF32, {count}, {}, Made(count, [](int64_t i) { return static_cast<double>(i + 1); })}});
}

// Case SHAPE-7 C
TEST(Shapes, BelowZeroReadsZeroAndDropsStores) {
  Check(
      "let t = cta_id.x\ncta.copy(y[t, :], x[t - 2 +: 4])\nalloc q: f32[2] in local\nq = index(q, 0) * 0 + t\n"
      "cta.copy(z[t, t - 2 +: 2], q)",
      32,
      {{"x", DType::kF32, {8}, Counted(8), {}},
       {"y", DType::kF32, {3, 4}, {}, {0, 0, 0, 1, 0, 0, 1, 2, 0, 1, 2, 3}},
       {"z", DType::kF32, {3, 2}, {-1}, {-1, -1, 1, -1, 2, 2}}},
      {}, "3");
}

// `or` leaves its right side alone where the left one holds; an exchange among lanes there is one that some skip.
TEST(Reductions, AnyOverLanesThatDiffer) {
  Check("cta.copy(y, select(cta.any(x[0 +: 40] > 38), index(y, 0), -1))", 64,
        {{"x", DType::kF32, {40}, Counted(40), {}}, {"y", DType::kI32, {4}, {}, {0, 1, 2, 3}}});
}

// One element of a tensor beside a tile: read behind the barrier that what wrote it needs, in every branch.
TEST(Elements, OfTensorsBesideTiles) {
  Check(
      "alloc s: f32[64] in shared\ncta.copy(s, x)\ncta.copy(y, x[0 +: 4] + s[63] * x[2])\n"
      "alloc t: f32[64] in shared = 5\nif t[40] > s[1] { cta.copy(z, t[0 +: 4] + s[i[1]]) }",
      64,
      {{"x", DType::kF32, {64}, Counted(64), {}},
       {"i", DType::kI32, {2}, {3, 9}, {}},
       {"y", DType::kF32, {4}, {}, {126, 127, 128, 129}},
       {"z", DType::kF32, {4}, {}, Doubles(4, 14)}});
}

}  // namespace
}  // namespace kiln::testing
