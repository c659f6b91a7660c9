// The LLVM IR of whole kernels, against files in tests/golden/llvm. KILN_BLESS=1 writes them anew.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/toolchain/cpu_arch.h"
#include "gtest/gtest.h"
#include "tests/compiler/lower/cpu/tile_kernel.h"

namespace kiln {
namespace {

using testing::LowerText;
using testing::ReadSource;

Target Haswell() {
  Target target;
  target.kind = TargetKind::kCpu;
  target.name = "cpu";
  FillCpuTarget("haswell+avx+avx2+f16c+fma", &target);
  return target;
}

struct Case {
  const char* name;  // Of the golden file
  const char* kernel;
  Bindings bindings;
};

std::vector<Case> Cases() {
  Case rmsnorm{"rmsnorm_bf16", "api/kernels/rmsnorm.kiln", {}};
  rmsnorm.bindings.ints = {{"N", 64}, {"ROWS", 1}, {"THREADS", 128}};
  rmsnorm.bindings.dtypes = {{"T", DType::kBF16}};
  Case gemm{"gemm_f32", "api/kernels/gemm.kiln", {}};
  gemm.bindings.ints = {{"N", 64}, {"K", 64}, {"BM", 64}, {"BN", 64}, {"BK", 32}, {"STAGES", 2}};
  gemm.bindings.dtypes = {{"T", DType::kF32}};
  return {rmsnorm, gemm};
}

TEST(CpuGolden, EmittedText) {
  for (const Case& c : Cases()) {
    absl::StatusOr<ir::Kernel> native = LowerText(ReadSource(c.kernel), c.bindings, Haswell());
    ASSERT_TRUE(native.ok()) << native.status();
    std::string text = EmitLlvm(*native, Haswell()).value().text;
    EXPECT_EQ(text, EmitLlvm(*native, Haswell()).value().text) << "printing is not deterministic";
    std::string path = std::string("tests/golden/llvm/") + c.name + ".ll";
    if (std::getenv("KILN_BLESS")) std::ofstream(path) << text;
    EXPECT_EQ(text, ReadSource(path)) << path << " differs; KILN_BLESS=1 accepts what is emitted now";
  }
}

// Case CPU-4 C
TEST(CpuGolden, WidthFollowsFeaturesNotNames) {
  auto width = [](const char* arch) {
    Target target;
    FillCpuTarget(arch, &target);
    return target.vector_bytes;
  };
  EXPECT_EQ(width("haswell+avx+avx2+f16c+fma"), 32);
  EXPECT_EQ(width("znver4+avx+avx2+avx512bw+avx512f+avx512vl+f16c+fma"), 64);
  EXPECT_EQ(width("sapphirerapids+avx+avx2+avx512f+avx512vl+f16c+fma"), 64);
  EXPECT_EQ(width("skylake-avx512+avx+avx2+avx512f+avx512vl+fma"), 64);
  EXPECT_EQ(width("znver4+avx+avx2+f16c+fma"), 32) << "a name whose wide units the machine masks";
  EXPECT_EQ(width("x86-64+sse2"), 16);
  EXPECT_EQ(width("sandybridge+avx"), 16);
}

}  // namespace
}  // namespace kiln
