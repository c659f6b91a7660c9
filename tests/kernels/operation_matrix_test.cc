// Every scalar operation and reduction over every dtype: refused in words before anything is emitted, or text that
// NVRTC takes.

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/ir/parse.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"
#include "compiler/toolchain/nvrtc.h"
#include "kiln/internal/status_macros.h"
#include "tests/kernels/cuda_line.h"

namespace kiln::testing {
namespace {

struct Operation {
  const char* text;      // Over x and z, tiles of one dtype
  bool boolean = false;  // What it gives
};

constexpr Operation kOperations[] = {
    {"x + z"},
    {"x - z"},
    {"x * z"},
    {"x / z"},
    {"x % z"},
    {"min(x, z)"},
    {"max(x, z)"},
    {"abs(x)"},
    {"-(x)"},
    {"~x"},
    {"x & z"},
    {"x | z"},
    {"x ^ z"},
    {"x << 1"},
    {"x >> 1"},
    {"ceildiv(x, z)"},
    {"exp(x)"},
    {"exp2(x)"},
    {"log(x)"},
    {"log2(x)"},
    {"sqrt(x)"},
    {"rsqrt(x)"},
    {"tanh(x)"},
    {"sin(x)"},
    {"cos(x)"},
    {"erf(x)"},
    {"floor(x)"},
    {"ceil(x)"},
    {"round(x)"},
    {"fma(x, z, x)"},
    {"pow(x, z)"},
    {"precise.exp(x)"},
    {"precise.log2(x)"},
    {"precise.rsqrt(x)"},
    {"isnan(x)", true},
    {"x == z", true},
    {"x != z", true},
    {"x < z", true},
    {"x <= z", true},
    {"x > z", true},
    {"x >= z", true},
    {"not x", true},
    {"x and z", true},
    {"x or z", true},
    {"select(x < z, x, z)"},
    {"cta.sum(x) + x"},
    {"cta.max(x) + x"},
    {"cta.min(x) + x"},
    {"cta.prod(x) + x"},
    {"cta.any(x) or x", true},
};

// One kernel with an output for each operation.
std::string TextOf(DType dtype, const std::vector<Operation>& operations) {
  std::string outputs, body;
  for (size_t i = 0; i < operations.size(); ++i) {
    absl::StrAppend(&outputs, ", y", i, ": out tensor<", operations[i].boolean ? "bool" : "f32", ">[64]");
    absl::StrAppend(&body, "  cta.copy(y", i, ", ", operations[i].text, ")\n");
  }
  const std::string type(Name(dtype));
  return absl::StrCat("kernel f(a: tensor<", type, ">[64], b: tensor<", type, ">[64]", outputs,
                      ") launch grid(1) block(32) {\n  alloc x: ", type, "[64] in local\n  alloc z: ", type,
                      "[64] in local\n  cta.copy(x, a)\n  cta.copy(z, b)\n", body, "}");
}

absl::StatusOr<Source> SourceOf(DType dtype, const std::vector<Operation>& operations, const Target& target) {
  KILN_ASSIGN_OR_RETURN(const ir::Module module, ir::Parse(TextOf(dtype, operations), "f"));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel kernel, Specialize(module, "f", {}, target));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel native, LowerForCuda(kernel, target));
  return EmitCuda(native, target);
}

class OperationMatrix : public ::testing::TestWithParam<DType> {};

// Case DIAG-5 V, DIAG-5 N
TEST_P(OperationMatrix, IsRefusedInWordsOrCompiles) {
  const DType dtype = GetParam();
  const absl::StatusOr<std::unique_ptr<NvrtcToolchain>> nvrtc = NvrtcToolchain::Open();
  for (const char* arch : {"sm_80", "sm_90a"}) {
    SCOPED_TRACE(arch);
    const Target target = FindTarget(arch).value();
    std::vector<Operation> taken;
    for (const Operation& operation : kOperations) {
      const absl::StatusOr<Source> source = SourceOf(dtype, {operation}, target);
      if (source.ok()) {
        taken.push_back(operation);
        continue;
      }
      EXPECT_TRUE(absl::IsInvalidArgument(source.status()) || absl::IsUnimplemented(source.status()))
          << operation.text << ": " << source.status();
    }
    // Arithmetic, comparisons and reductions are every number's.
    EXPECT_GE(taken.size(), dtype == DType::kBool ? 6u : 30u);
    if (!nvrtc.ok()) continue;
    const absl::StatusOr<Source> source = SourceOf(dtype, taken, target);
    ASSERT_TRUE(source.ok()) << source.status();
    CompileOptions options;
    options.arch = arch;
    const absl::StatusOr<Compiled> compiled = (*nvrtc)->Compile(*source, options);
    EXPECT_TRUE(compiled.ok()) << compiled.status() << "\n" << source->text;
  }
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
}

INSTANTIATE_TEST_SUITE_P(All, OperationMatrix,
                         ::testing::Values(DType::kBool, DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kU8,
                                           DType::kU16, DType::kU32, DType::kU64, DType::kF16, DType::kBF16,
                                           DType::kTF32, DType::kF32, DType::kF64, DType::kF8E4M3, DType::kF8E5M2,
                                           DType::kF8E8M0),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace kiln::testing
