#include "compiler/lower/cuda/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "compiler/infer/infer.h"
#include "compiler/infer/pipeline_loops.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/rules/rule.h"
#include "compiler/specialize/default_config.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"

namespace kiln {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

absl::StatusOr<ir::Kernel> LowerText(const std::string& text, const std::string& name, Bindings bindings,
                                     const std::string& target_name) {
  auto module = ir::Parse(text, "test.kiln");
  if (!module.ok()) return module.status();
  auto target = FindTarget(target_name);
  if (!target.ok()) return target.status();
  auto config = DefaultConfig(*module, name, bindings, *target);
  if (!config.ok()) return config.status();
  bindings.ints = *config;
  auto kernel = Specialize(*module, name, bindings, *target);
  if (!kernel.ok()) return kernel.status();
  std::vector<std::string> notes;
  auto ringed = PipelineLoops(*kernel, *target, &notes);
  if (!ringed.ok()) return ringed.status();
  auto inferred = InferLayouts(*ringed, *target, &notes);
  if (!inferred.ok()) return inferred.status();
  auto plan = MakePlan(*inferred, *target, CudaRules());
  if (!plan.ok()) return plan.status();
  if (getenv("SHOW")) {
    for (auto& n : notes) printf("%s\n", n.c_str());
    printf("%s\n", plan->Explain().c_str());
  }
  return LowerCuda(*inferred, *plan, *target);
}

struct Case {
  const char* file;
  const char* kernel;
  std::map<std::string, int64_t> ints;
};
class LowerCuda : public testing::TestWithParam<Case> {};
TEST_P(LowerCuda, Kernel) {
  for (DType dtype : {DType::kBF16, DType::kF32}) {
    Bindings bindings;
    bindings.ints = GetParam().ints;
    bindings.dtypes = {{"T", dtype}};
    auto kernel =
        LowerText(ReadFile(std::string("api/kernels/") + GetParam().file), GetParam().kernel, bindings, "sm_90a");
    EXPECT_TRUE(kernel.ok()) << kernel.status() << Name(dtype);
    if (kernel.ok() && getenv("SHOW")) printf("%s\n", ir::Print(*kernel).c_str());
  }
}
INSTANTIATE_TEST_SUITE_P(K, LowerCuda,
                         testing::Values(Case{"add.kiln", "add", {}}, Case{"silu_mul.kiln", "silu_mul", {}},
                                         Case{"gelu.kiln", "gelu", {}}, Case{"rmsnorm.kiln", "rmsnorm", {{"N", 4096}}},
                                         Case{"add_rmsnorm.kiln", "add_rmsnorm", {{"N", 4096}}},
                                         Case{"layernorm.kiln", "layernorm", {{"N", 384}}},
                                         Case{"softmax.kiln", "softmax", {{"N", 4096}}},
                                         Case{"softmax.kiln", "softmax_masked", {{"N", 1000}}},
                                         Case{"embedding.kiln", "embedding", {{"N", 384}}},
                                         Case{"embedding.kiln", "embedding_sum", {{"N", 384}}},
                                         Case{"rotary.kiln", "rotary", {{"HALF", 64}}},
                                         Case{"gemm.kiln", "gemm", {{"N", 4096}, {"K", 4096}}},
                                         Case{"gemm.kiln", "gemm_nn", {{"N", 4096}, {"K", 4096}}},
                                         Case{"gemm.kiln", "linear", {{"N", 1536}, {"K", 384}, {"ACT", 1}}},
                                         Case{"gemm.kiln", "linear_residual", {{"N", 384}, {"K", 1536}}},
                                         Case{"gemm.kiln", "gemm_batched", {{"N", 100}, {"K", 72}}},
                                         Case{"attention.kiln", "attention", {{"D", 128}, {"CAUSAL", 1}}},
                                         Case{"mean_pool.kiln", "mean_pool", {{"N", 384}}}),
                         [](const auto& info) { return std::string(info.param.kernel); });

}  // namespace
}  // namespace kiln
