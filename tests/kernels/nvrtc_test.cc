// Every kernel in every dtype that it declares becomes a cubin for every NVIDIA architecture, spills nothing and keeps
// to its registers. The shapes are those of a transformer's layers, the configurations the model's own.

#include "compiler/toolchain/nvrtc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/specialize/default_config.h"
#include "compiler/targets/targets.h"
#include "kiln/internal/status_macros.h"
#include "tests/kernels/case.h"
#include "tests/kernels/cuda_line.h"

namespace kiln::testing {
namespace {

struct Compilation {
  const char* file;
  const char* kernel;
  Config ints;
  int registers;  // A thread's, at most, in any dtype on any architecture
};
std::ostream& operator<<(std::ostream& out, const Compilation& c) { return out << c.kernel; }

// Opened once; empty where there is no NVRTC.
const absl::StatusOr<std::unique_ptr<NvrtcToolchain>>& Nvrtc() {
  static const auto* const opened = new absl::StatusOr<std::unique_ptr<NvrtcToolchain>>(NvrtcToolchain::Open());
  return *opened;
}

absl::StatusOr<Compiled> Compile(const Compilation& c, DType dtype, const Target& target) {
  KILN_ASSIGN_OR_RETURN(const ir::Module* module, ModuleOf(c.file));
  Bindings bindings;
  bindings.ints = c.ints;
  bindings.dtypes = {{"T", dtype}};
  KILN_ASSIGN_OR_RETURN(bindings.ints, DefaultConfig(*module, c.kernel, bindings, target));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel kernel, Specialize(*module, c.kernel, bindings, target));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel native, LowerForCuda(kernel, target));
  KILN_ASSIGN_OR_RETURN(const Source source, EmitCuda(native, target));
  CompileOptions options;
  options.arch = target.arch;
  return (*Nvrtc())->Compile(source, options);
}

class KernelToCubin : public ::testing::TestWithParam<std::tuple<Compilation, DType>> {
 protected:
  void SetUp() override {
    if (!Nvrtc().ok()) GTEST_SKIP() << Nvrtc().status();
  }
};

// Case LIMIT-4 N
TEST_P(KernelToCubin, SpillsNothingAndKeepsToItsRegisters) {
  const auto& [compilation, dtype] = GetParam();
  int most = 0;
  for (const char* name : {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
    const absl::StatusOr<Compiled> compiled = Compile(compilation, dtype, FindTarget(name).value());
    ASSERT_TRUE(compiled.ok()) << name << ": " << compiled.status();
    EXPECT_EQ(compiled->resources.spill_bytes, 0) << name;
    EXPECT_EQ(compiled->resources.stack_bytes, 0) << name;
    EXPECT_GT(compiled->resources.registers, 0) << name;
    EXPECT_LE(compiled->resources.registers, compilation.registers) << name;
    most = std::max(most, compiled->resources.registers);
  }
  RecordProperty("registers", most);
}

// Warpgroups that load give registers to those that multiply; what the launch begins with is pinned.
TEST(HopperToCubin, SpillsNothingAndPassesItsRegistersOn) {
  if (!Nvrtc().ok()) GTEST_SKIP() << Nvrtc().status();
  const Target target = FindTarget("sm_90a").value();
  const Compilation compilations[] = {{"gemm_sm90", "gemm_sm90", {{"N", 4096}, {"K", 4096}}, 168},
                                      {"attention_sm90", "attention_sm90", {{"D", 128}}, 168}};
  for (const Compilation& c : compilations) {
    for (DType dtype : {DType::kF16, DType::kBF16}) {
      const absl::StatusOr<Compiled> compiled = Compile(c, dtype, target);
      ASSERT_TRUE(compiled.ok()) << c.kernel << ": " << compiled.status();
      EXPECT_EQ(compiled->resources.spill_bytes, 0) << c.kernel;
      EXPECT_EQ(compiled->resources.registers, c.registers) << c.kernel;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Library, KernelToCubin,
    ::testing::Combine(::testing::Values(Compilation{"add", "add", {}, 64}, Compilation{"silu_mul", "silu_mul", {}, 64},
                                         Compilation{"gelu", "gelu", {}, 64},
                                         Compilation{"rmsnorm", "rmsnorm", {{"N", 4096}}, 64},
                                         Compilation{"add_rmsnorm", "add_rmsnorm", {{"N", 4096}}, 64},
                                         Compilation{"layernorm", "layernorm", {{"N", 384}}, 64},
                                         Compilation{"softmax", "softmax", {{"N", 4096}}, 64},
                                         Compilation{"softmax", "softmax_masked", {{"N", 1000}}, 64},
                                         Compilation{"embedding", "embedding", {{"N", 384}}, 64},
                                         Compilation{"embedding", "embedding_sum", {{"N", 384}}, 64},
                                         Compilation{"rotary", "rotary", {{"HALF", 64}}, 64},
                                         Compilation{"gemm", "gemm", {{"N", 4096}, {"K", 4096}}, 255},
                                         Compilation{"gemm", "gemm_nn", {{"N", 4096}, {"K", 4096}}, 255},
                                         Compilation{"gemm", "linear", {{"N", 1536}, {"K", 384}, {"ACT", 1}}, 255},
                                         Compilation{"gemm", "linear_residual", {{"N", 384}, {"K", 1536}}, 255},
                                         Compilation{"gemm", "gemm_batched", {{"N", 100}, {"K", 72}}, 255},
                                         Compilation{"attention", "attention", {{"D", 128}, {"CAUSAL", 1}}, 255},
                                         Compilation{"mean_pool", "mean_pool", {{"N", 384}}, 128}),
                       ::testing::ValuesIn(kDTypesOfT)),
    [](const auto& info) {
      return absl::StrCat(std::get<0>(info.param).kernel, "_", std::string(kiln::Name(std::get<1>(info.param))));
    });

}  // namespace
}  // namespace kiln::testing
