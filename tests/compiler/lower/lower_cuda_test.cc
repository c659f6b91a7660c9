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

absl::StatusOr<ir::Kernel> LowerText(const std::string& text, const std::string& name, const Bindings& bindings, const std::string& target_name) {
  auto module = ir::Parse(text, "test.kiln");
  if (!module.ok()) return module.status();
  auto target = FindTarget(target_name);
  if (!target.ok()) return target.status();
  auto kernel = Specialize(*module, name, bindings, *target);
  if (!kernel.ok()) return kernel.status();
  std::vector<std::string> notes;
  auto ringed = PipelineLoops(*kernel, *target, &notes);
  if (!ringed.ok()) return ringed.status();
  auto inferred = InferLayouts(*ringed, *target, &notes);
  if (!inferred.ok()) return inferred.status();
  auto plan = MakePlan(*inferred, *target, CudaRules());
  if (!plan.ok()) return plan.status();
  if (getenv("SHOW")) { for (auto& n : notes) printf("%s\n", n.c_str()); printf("%s\n", plan->Explain().c_str()); }
  return LowerCuda(*inferred, *plan, *target);
}

TEST(LowerCuda, Rmsnorm) {
  Bindings bindings;
  bindings.ints = {{"N", 4096}, {"ROWS", 4}, {"THREADS", 256}};
  bindings.dtypes = {{"T", DType::kBF16}};
  auto kernel = LowerText(ReadFile("api/kernels/rmsnorm.kiln"), "rmsnorm", bindings, "sm_90a");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  printf("%s\n", ir::Print(*kernel).c_str());
}
TEST(LowerCuda, Gemm) {
  Bindings bindings;
  bindings.ints = {{"N", 4096}, {"K", 4096}, {"BM", 128}, {"BN", 128}, {"BK", 64}, {"STAGES", 3}};
  bindings.dtypes = {{"T", DType::kBF16}};
  auto kernel = LowerText(ReadFile("api/kernels/gemm.kiln"), "gemm", bindings, "sm_90a");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  printf("%s\n", ir::Print(*kernel).c_str());
}

}  // namespace
}  // namespace kiln
