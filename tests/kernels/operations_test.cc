// Tile operations by themselves, as written and as lowered for NVIDIA GPUs, in the interpreter: which rule wins, and
// what it computes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "compiler/infer/infer.h"
#include "compiler/infer/pipeline_loops.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/parse.h"
#include "compiler/plan/plan.h"
#include "compiler/targets/targets.h"
#include "tests/kernels/cuda_line.h"
#include "tests/kernels/operation_cases.h"

namespace kiln::testing {
namespace {

absl::Status RunOn(const ir::Kernel& kernel, std::vector<interp::Array>& args) {
  std::vector<interp::Argument> tensors;
  for (interp::Array& arg : args) tensors.push_back(arg.tensor());
  return interp::RunKernel(kernel, tensors);
}

class Operation : public ::testing::TestWithParam<OperationCase> {};

TEST_P(Operation, AsWritten) {
  const absl::StatusOr<ir::Kernel> kernel = SpecializeFor(GetParam(), FindTarget("reference").value());
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::vector<interp::Array> args = GetParam().args;
  ASSERT_EQ(RunOn(*kernel, args), absl::OkStatus());
  ExpectResults(GetParam(), args);
}

TEST_P(Operation, AsLowered) {
  for (const char* name : {"sm_80", "sm_90a"}) {
    SCOPED_TRACE(name);
    const Target target = FindTarget(name).value();
    const absl::StatusOr<ir::Kernel> kernel = SpecializeFor(GetParam(), target);
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    std::vector<std::string> notes;
    const ir::Kernel inferred = InferLayouts(PipelineLoops(*kernel, target, &notes).value(), target, &notes).value();
    const absl::StatusOr<Plan> plan = MakePlan(inferred, target, CudaRules());
    ASSERT_TRUE(plan.ok()) << plan.status();
    if (!GetParam().rules.empty()) {
      EXPECT_EQ(plan->Rules(), GetParam().rules);
    }
    const absl::StatusOr<ir::Kernel> native = LowerForCuda(*kernel, target);
    ASSERT_TRUE(native.ok()) << native.status();
    std::vector<interp::Array> args = GetParam().args;
    ASSERT_EQ(RunOn(*native, args), absl::OkStatus());
    ExpectResults(GetParam(), args);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Operation, ::testing::ValuesIn(OperationCases()),
                         [](const auto& info) { return info.param.name; });

std::string RefusalOf(const std::string& text) {
  OperationCase c;
  c.text = text;
  const Target target = FindTarget("sm_90a").value();
  const absl::StatusOr<ir::Kernel> kernel = SpecializeFor(c, target);
  if (!kernel.ok()) return std::string(kernel.status().message());
  return std::string(LowerForCuda(*kernel, target).status().message());
}

TEST(TeamOperation, UnderABranchNamesTheMissingThreads) {
  EXPECT_EQ(RefusalOf("kernel f(a: inout tensor<i32>[32]) launch grid(1) block(64) {\n"
                      "  alloc warp.v: i32[64] in local layout S[(32,2):(1@laneid,1)]\n"
                      "  v = index(v, 0) + 1\n"
                      "  if lane_id == 0 { a[lane_id] = warp.sum(v) }\n}"),
            "plan: kernel \"f\": 4:34: warp.sum needs all 32 lanes of warp 0; 31 are missing: lanes 1..31; they do not "
            "take the branch at 4:3");
  EXPECT_EQ(
      RefusalOf("kernel f(a: inout tensor<i32>[32]) launch grid(1) block(64) {\n"
                "  let mine = thread_id / 2\n"
                "  if mine % 4 != 1 or a[0] > 3 and mine < 8 {\n"
                "    if warp_id == 1 { cta.sync() }\n  }\n}"),
      "plan: kernel \"f\": 4:23: cta.sync needs all 64 threads of the CTA; 40 are missing: threads 0..31, 34, 35, 42, "
      "43, 50, 51, 58, 59; they "
      "do not take the branch at 4:5");
  EXPECT_EQ(RefusalOf("kernel f(a: inout tensor<i32>[32]) launch grid(1) block(64) {\n"
                      "  if lane_id < 8 or lane_id >= 30 { return } else { warp.sync() }\n}"),
            "plan: kernel \"f\": 2:53: warp.sync needs all 32 lanes of warp 0; 10 are missing: lanes 0..7, 30, 31; "
            "they do not take the branch at 2:3");
}

TEST(TeamOperation, IsNotRefusedWhereAllMayCome) {
  // Whole warps; a condition that the ids do not decide, and on which all threads agree.
  EXPECT_EQ(RefusalOf("kernel f(a: inout tensor<i32>[64]) launch grid(1) block(64) {\n"
                      "  alloc warp.v: i32[64] in local layout S[(32,2):(1@laneid,1)]\n"
                      "  v = index(v, 0) + 1\n"
                      "  if warp_id == 1 { a[thread_id] = warp.sum(v) }\n"
                      "  if cta_id.x < 40 or a[0] == 1 { cta.sync() }\n}"),
            "");
}

TEST(CopyAsync, ReadBeforeItsGroupIsWaitedForIsFound) {
  OperationCase c = OperationNamed("copy_async_by_hand");
  c.text.replace(c.text.find("pending = 1"), 11, "pending = 2");
  std::vector<interp::Array> args = c.args;
  EXPECT_EQ(std::string(RunOn(SpecializeFor(c, FindTarget("reference").value()).value(), args).message()),
            "interp: kernel \"f\": 7:25: \"a\" is read while an asynchronous copy into it is in flight (cta 0, 0, 0)");
  const Target target = FindTarget("sm_80").value();
  EXPECT_EQ(
      std::string(RunOn(LowerForCuda(SpecializeFor(c, target).value(), target).value(), args).message()),
      "interp: kernel \"f\": 3:3: \"a\" byte 0 is read while an asynchronous copy into it is in flight (thread 0) "
      "(cta 0, 0, 0)");
}

// Case LAYOUT-2 V
TEST(LdMatrix, SaysWhyNot) {
  EXPECT_EQ(RefusalOf("kernel f(x: tensor<f16>[16, 16], y: out tensor<f16>[16, 16]) launch grid(1) block(32) {\n"
                      "  alloc s: f16[16, 16] in shared\n  alloc f: f16[16, 16] in local\n"
                      "  cta.copy(s, x)\n  cta.copy(f, s) via ldmatrix\n  cta.copy(y, f)\n}"),
            "plan: 5:3: cta.copy `cta.copy(f, s) via ldmatrix`: no rule of sm_90a accepts it; ldmatrix: the register "
            "tile is not made of 8 x 8 fragments");
  EXPECT_EQ(RefusalOf("kernel f(x: tensor<f32>[8, 8], y: out tensor<f32>[8, 8]) launch grid(1) block(32) {\n"
                      "  alloc s: f32[8, 8] in shared\n"
                      "  alloc f: f32[8, 8] in local layout S[(8,4,2):(4@laneid,1@laneid,1)]\n"
                      "  cta.copy(s, x)\n  cta.copy(f, s) via ldmatrix\n  cta.copy(y, f)\n}"),
            "plan: 5:3: cta.copy `cta.copy(f, s) via ldmatrix`: no rule of sm_90a accepts it; ldmatrix: ldmatrix moves "
            "elements of 16 bits, found f32");
}

}  // namespace
}  // namespace kiln::testing
