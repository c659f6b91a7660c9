// A tile of one row over a CTA with threads to spare for more rows: those threads hold pad. The row's dimension, of
// extent 1, was taken for a broadcast one, and the tile for held by threads that do not own it.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/infer/infer.h"
#include "compiler/interp/interpreter.h"
#include "compiler/ir/parse.h"
#include "compiler/lower/cuda/lower.h"
#include "compiler/plan/plan.h"
#include "compiler/rules/rule.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"

namespace kiln {
namespace {

TEST(Regression, OneRowOverManyThreads) {
  const ir::Module module = ir::Parse(
                                "kernel k(x: tensor<f32>[1, 7], y: out tensor<f32>[1, 7]) launch grid(1) block(64) {\n"
                                "  alloc t: f32[1, 7] in local\n"
                                "  cta.copy(t, x)\n"
                                "  let total = cta.sum(t, axis = 1)\n"
                                "  cta.copy(y, t + total[:, _])\n"
                                "}\n",
                                "k.kiln")
                                .value();
  const Target target = FindTarget("sm_80").value();
  const ir::Kernel kernel = Specialize(module, "k", {}, target).value();
  std::vector<std::string> notes;
  const ir::Kernel inferred = InferLayouts(kernel, target, &notes).value();
  const Plan plan = MakePlan(inferred, target, CudaRules()).value();
  const absl::StatusOr<ir::Kernel> native = LowerCuda(inferred, plan, target);
  ASSERT_TRUE(native.ok()) << native.status();
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7}, y(7);
  const interp::Argument args[] = {interp::Tensor{DType::kF32, {1, 7}, {}, x.data()},
                                   interp::Tensor{DType::kF32, {1, 7}, {}, y.data()}};
  const absl::Status status = interp::Run(*native, args);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(y, (std::vector<float>{29, 30, 31, 32, 33, 34, 35}));
}

}  // namespace
}  // namespace kiln
