// The CUDA text of single tile operations, against files in tests/golden/cuda, and NVRTC's word on every one of them.
// KILN_BLESS=1 writes the files anew.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/targets/targets.h"
#include "compiler/toolchain/nvrtc.h"
#include "kiln/internal/status_macros.h"
#include "tests/kernels/cuda_line.h"
#include "tests/kernels/operation_cases.h"

namespace kiln::testing {
namespace {

absl::StatusOr<Source> SourceOf(const OperationCase& c, const char* name) {
  KILN_ASSIGN_OR_RETURN(const Target target, FindTarget(name));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel kernel, SpecializeFor(c, target));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel native, LowerForCuda(kernel, target));
  return EmitCuda(native, target);
}

class OperationSource : public ::testing::TestWithParam<OperationCase> {};

class OperationFile : public ::testing::TestWithParam<const char*> {};

TEST_P(OperationFile, HoldsTheSource) {
  const absl::StatusOr<Source> source = SourceOf(OperationNamed(GetParam()), "sm_90a");
  ASSERT_TRUE(source.ok()) << source.status();
  const std::string path = std::string("tests/golden/cuda/") + GetParam() + ".cu";
  if (std::getenv("KILN_BLESS")) std::ofstream(path) << source->text;
  std::ifstream file(path);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(golden.str(), source->text) << path << " differs; KILN_BLESS=1 rewrites it";
}

INSTANTIATE_TEST_SUITE_P(Pinned, OperationFile,
                         ::testing::Values("atomic_max_f32", "copy_async_by_hand", "ldmatrix_four_warps",
                                           "ldmatrix_x4_trans", "permute_layout", "scatter_f16_12", "staging_4x2",
                                           "warp_sum"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(OperationSource, Compiles) {
  static const auto* const nvrtc = new absl::StatusOr<std::unique_ptr<NvrtcToolchain>>(NvrtcToolchain::Open());
  if (!nvrtc->ok()) GTEST_SKIP() << nvrtc->status();
  for (const char* name : {"sm_80", "sm_90a"}) {
    const absl::StatusOr<Source> source = SourceOf(GetParam(), name);
    ASSERT_TRUE(source.ok()) << source.status();
    CompileOptions options;
    options.arch = name;
    const absl::StatusOr<Compiled> compiled = (**nvrtc)->Compile(*source, options);
    ASSERT_TRUE(compiled.ok()) << name << ": " << compiled.status() << "\n" << source->text;
    EXPECT_EQ(compiled->resources.stack_bytes, 0) << name;
    EXPECT_EQ(compiled->log.find("warning"), std::string::npos) << compiled->log;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OperationSource, ::testing::ValuesIn(OperationCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kiln::testing
