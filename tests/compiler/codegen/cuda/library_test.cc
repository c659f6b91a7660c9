// Library kernels, from their text to a cubin: NVRTC takes what the printer gives, without spills or stack, on an
// architecture with the older instructions and on Hopper. SHOW=1 prints the sources.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/infer/infer.h"
#include "compiler/infer/pipeline_loops.h"
#include "compiler/ir/parse.h"
#include "compiler/lower/cuda/lower.h"
#include "compiler/plan/plan.h"
#include "compiler/rules/rule.h"
#include "compiler/specialize/default_config.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"
#include "compiler/toolchain/nvrtc.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

absl::StatusOr<Source> SourceOf(const std::string& file, const std::string& name, Bindings bindings,
                                const Target& target) {
  std::ifstream in("api/kernels/" + file);
  std::stringstream text;
  text << in.rdbuf();
  KILN_ASSIGN_OR_RETURN(ir::Module module, ir::Parse(text.str(), file));
  KILN_ASSIGN_OR_RETURN(bindings.ints, DefaultConfig(module, name, bindings, target));
  KILN_ASSIGN_OR_RETURN(ir::Kernel kernel, Specialize(module, name, bindings, target));
  std::vector<std::string> notes;
  KILN_ASSIGN_OR_RETURN(kernel, PipelineLoops(kernel, target, &notes));
  KILN_ASSIGN_OR_RETURN(kernel, InferLayouts(kernel, target, &notes));
  KILN_ASSIGN_OR_RETURN(Plan plan, MakePlan(kernel, target, CudaRules()));
  KILN_ASSIGN_OR_RETURN(kernel, LowerCuda(kernel, plan, target));
  return EmitCuda(kernel, target);
}

struct Case {
  const char* file;
  const char* kernel;
  std::map<std::string, int64_t> ints;
};

class LibraryKernel : public testing::TestWithParam<Case> {};

TEST_P(LibraryKernel, CompilesWithoutSpills) {
  absl::StatusOr<std::unique_ptr<NvrtcToolchain>> nvrtc = NvrtcToolchain::Open();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  for (const char* arch : {"sm_80", "sm_90a"})
    for (DType dtype : {DType::kBF16, DType::kF32}) {
      Bindings bindings;
      bindings.ints = GetParam().ints;
      bindings.dtypes = {{"T", dtype}};
      absl::StatusOr<Source> source = SourceOf(GetParam().file, GetParam().kernel, bindings, FindTarget(arch).value());
      ASSERT_TRUE(source.ok()) << arch << " " << Name(dtype) << ": " << source.status();
      if (std::getenv("SHOW")) std::printf("// %s\n%s\n", arch, source->text.c_str());
      CompileOptions options;
      options.arch = arch;
      absl::StatusOr<Compiled> compiled = (*nvrtc)->Compile(*source, options);
      ASSERT_TRUE(compiled.ok()) << arch << " " << Name(dtype) << ": " << compiled.status();
      if (std::getenv("SHOW")) std::printf("%s\n", compiled->log.c_str());
      EXPECT_EQ(compiled->resources.stack_bytes, 0) << arch << " " << Name(dtype);
    }
}

INSTANTIATE_TEST_SUITE_P(Library, LibraryKernel,
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
                                         Case{"gemm.kiln", "linear_residual", {{"N", 384}, {"K", 1536}}},
                                         Case{"gemm.kiln", "gemm_batched", {{"N", 100}, {"K", 72}}},
                                         Case{"attention.kiln", "attention", {{"D", 128}, {"CAUSAL", 1}}},
                                         Case{"mean_pool.kiln", "mean_pool", {{"N", 384}}}),
                         [](const auto& info) { return std::string(info.param.kernel); });

}  // namespace
}  // namespace kiln
