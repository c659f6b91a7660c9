// Lowered kernels against the tile kernels they came from, both interpreted: what every backend's lowering must keep.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compiler/infer/infer.h"
#include "compiler/infer/pipeline_loops.h"
#include "compiler/ir/decode.h"
#include "compiler/ir/encode.h"
#include "compiler/ir/format.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/lower/cpu/lower_cpu.h"
#include "compiler/lower/cuda/lower.h"
#include "compiler/plan/plan.h"
#include "compiler/targets/targets.h"
#include "kiln/internal/status_macros.h"
#include "tests/compiler/interp/testing.h"

namespace kiln::interp {
namespace {

// Every stage after `kernel`, the lowered one last.
absl::StatusOr<std::vector<ir::Kernel>> StagesFor(const ir::Kernel& kernel, const std::string& name) {
  KILN_ASSIGN_OR_RETURN(Target target, FindTarget(name));
  if (target.kind == TargetKind::kCpu) {
    KILN_ASSIGN_OR_RETURN(ir::Kernel native, LowerCpu(kernel, target, nullptr));
    return std::vector<ir::Kernel>{native};
  }
  std::vector<std::string> notes;
  KILN_ASSIGN_OR_RETURN(ir::Kernel ringed, PipelineLoops(kernel, target, &notes));
  KILN_ASSIGN_OR_RETURN(ir::Kernel inferred, InferLayouts(ringed, target, &notes));
  KILN_ASSIGN_OR_RETURN(Plan plan, MakePlan(inferred, target, CudaRules()));
  KILN_ASSIGN_OR_RETURN(ir::Kernel native, LowerCuda(inferred, plan, target));
  return std::vector<ir::Kernel>{ringed, inferred, native};
}

// The kernel's text after parsing, encoding and decoding it, and after formatting; what is wrong instead.
std::string ReadBack(const std::string& text) {
  auto parsed = ir::Parse(text, "stage");
  if (!parsed.ok()) return std::string(parsed.status().message());
  if (auto problems = ir::Verify(*parsed); !problems.empty()) return problems[0].message;
  auto formatted = ir::Format(text, "stage");
  if (!formatted.ok() || *formatted != text) return "is not formatted";
  auto decoded = ir::Decode(ir::Encode(*parsed));
  return decoded.ok() ? ir::Print(*decoded) : std::string(decoded.status().message());
}

// Comments are beside a kernel, not in it.
std::string WithoutComments(const std::string& text) {
  std::string out;
  for (absl::string_view line : absl::StrSplit(text, '\n'))
    if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "//"))
      absl::StrAppend(&out, out.empty() ? "" : "\n", line);
  return out;
}

double Tolerance(DType dtype) { return dtype == DType::kF32 ? 1e-5 : dtype == DType::kF16 ? 2e-3 : 1.6e-2; }

struct Case {
  const char* target;
  DType dtype;
};
std::string CaseName(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.target) + "_" + std::string(Name(info.param.dtype));
}

class Lowered : public testing::TestWithParam<Case> {
 protected:
  // Runs `tile`, and what each stage makes of it, on copies of `out`, which all of them write.
  void Compare(const ir::Kernel& tile, const std::function<std::vector<Argument>(Array&)>& args, const Array& out) {
    auto stages = StagesFor(tile, GetParam().target);
    ASSERT_EQ(stages.status(), absl::OkStatus());
    RunOptions options;
    options.check_alignment = std::string(GetParam().target) != "cpu";
    Array reference = out;
    ASSERT_EQ(MessageOf(tile, args(reference)), "");
    std::vector<double> expected = reference.values();
    for (size_t stage = 0; stage < stages->size(); ++stage) {
      ir::Module module;
      module.kernels = {(*stages)[stage]};
      const std::string text = ir::Print(module);
      EXPECT_EQ(ReadBack(text), WithoutComments(text)) << "stage " << stage;
      Array result = out;
      ASSERT_EQ(MessageOf((*stages)[stage], args(result), options), "") << "stage " << stage;
      std::vector<double> found = result.values();
      for (size_t k = 0; k < expected.size(); ++k) {
        ASSERT_NEAR(found[k], expected[k], Tolerance(GetParam().dtype) * (1 + std::fabs(expected[k])))
            << "stage " << stage << " element " << k;
      }
    }
  }
};

TEST_P(Lowered, Rmsnorm) {
  DType dtype = GetParam().dtype;
  for (auto [m, n] : {std::pair<int64_t, int64_t>{5, 96}, {3, 200}, {4, 1}}) {
    ir::Kernel kernel =
        KernelOfFile("api/kernels/rmsnorm.kiln", {{{"ROWS", 2}, {"THREADS", 128}, {"N", n}}, {{"T", dtype}}});
    Array x(dtype, {m, n}, Noise(m * n, 1)), w(dtype, {n}, Noise(n, 2));
    Compare(
        kernel,
        [&](Array& y) {
          return std::vector<Argument>{x.tensor(), w.tensor(), y.tensor(), Scalar::Float(DType::kF32, 1e-5)};
        },
        Array(dtype, {m, n}));
  }
}

TEST_P(Lowered, Gemm) {
  DType dtype = GetParam().dtype;
  for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{100, 72, 96}, {64, 64, 40}}) {
    ir::Kernel kernel =
        KernelOfFile("api/kernels/gemm.kiln",
                     {{{"BM", 64}, {"BN", 64}, {"BK", 32}, {"STAGES", 3}, {"N", n}, {"K", k}}, {{"T", dtype}}});
    Array a(dtype, {m, k}, Noise(m * k, 3)), b(dtype, {n, k}, Noise(n * k, 4));
    Compare(
        kernel, [&](Array& c) { return std::vector<Argument>{a.tensor(), b.tensor(), c.tensor()}; },
        Array(dtype, {m, n}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Lowered,
                         testing::Values(Case{"sm_80", DType::kF16}, Case{"sm_80", DType::kBF16},
                                         Case{"sm_80", DType::kF32}, Case{"sm_90a", DType::kBF16},
                                         Case{"cpu", DType::kF32}, Case{"cpu", DType::kF16}, Case{"cpu", DType::kBF16}),
                         CaseName);

}  // namespace
}  // namespace kiln::interp
