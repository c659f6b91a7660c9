// The CUDA line on the kernel library: which rule wins for every tile operation, and that every kernel lowers for every
// architecture.
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::map<std::string, int64_t>;

struct Line {
  Plan plan;
  ir::Kernel native;
};

ir::Module Module(const std::string& file) {
  std::ifstream in("api/kernels/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return ir::Parse(text.str(), file).value();
}

absl::StatusOr<Line> LowerModule(const ir::Module& module, const std::string& name, DType dtype, const Ints& ints,
                                 const std::string& target_name) {
  Target target = FindTarget(target_name).value();
  Bindings bindings;
  bindings.ints = ints;
  bindings.dtypes = {{"T", dtype}};
  auto config = DefaultConfig(module, name, bindings, target);
  if (!config.ok()) return config.status();
  bindings.ints = *config;
  auto kernel = Specialize(module, name, bindings, target);
  if (!kernel.ok()) return kernel.status();
  std::vector<std::string> notes;
  auto ringed = PipelineLoops(*kernel, target, &notes);
  if (!ringed.ok()) return ringed.status();
  auto inferred = InferLayouts(*ringed, target, &notes);
  if (!inferred.ok()) return inferred.status();
  auto plan = MakePlan(*inferred, target, CudaRules());
  if (!plan.ok()) return plan.status();
  auto native = LowerCuda(*inferred, *plan, target);
  if (!native.ok()) return native.status();
  return Line{*std::move(plan), *std::move(native)};
}

std::vector<std::string> RulesOf(const std::string& file, const std::string& name, DType dtype, const Ints& ints,
                                 const std::string& target) {
  auto line = LowerModule(Module(file), name, dtype, ints, target);
  return line.ok() ? line->plan.Rules() : std::vector<std::string>{std::string(line.status().message())};
}

TEST(WinningRule, Rmsnorm) {
  const Ints wide = {{"N", 4096}, {"ROWS", 1}, {"THREADS", 256}};
  EXPECT_THAT(RulesOf("rmsnorm.kiln", "rmsnorm", DType::kBF16, wide, "sm_80"),
              ElementsAre("cta.copy: convert", "cta.sum: shared", "cta.map: register", "cta.map: register"));
  EXPECT_THAT(RulesOf("rmsnorm.kiln", "rmsnorm", DType::kF32, wide, "sm_90a"),
              ElementsAre("cta.copy: vector", "cta.sum: shared", "cta.map: register", "cta.map: register"));
  // Rows of 64 lie in half a warp.
  EXPECT_THAT(RulesOf("rmsnorm.kiln", "rmsnorm", DType::kF32, {{"N", 64}, {"ROWS", 8}, {"THREADS", 128}}, "sm_90a"),
              ElementsAre("cta.copy: vector", "cta.sum: shuffle", "cta.map: register", "cta.map: register"));
  // Odd rows are not aligned: an element at a time.
  EXPECT_THAT(RulesOf("rmsnorm.kiln", "rmsnorm", DType::kF32, {{"N", 77}, {"ROWS", 8}, {"THREADS", 128}}, "sm_90a"),
              ElementsAre("cta.copy: scalar", "cta.sum: shared", "cta.map: register", "cta.map: register"));
}

TEST(WinningRule, Gemm) {
  const Ints tiles = {{"N", 256}, {"K", 512}, {"BM", 128}, {"BN", 128}, {"BK", 32}, {"STAGES", 3}};
  const auto pipelined = [](const std::string& gemm, const std::string& store) {
    return ElementsAre("cta.map: register", "cta.copy_async: cp_async", "cta.copy_async: cp_async",
                       "cta.copy_async: cp_async", "cta.copy_async: cp_async", "cta.gemm: " + gemm,
                       "cta.copy: " + store);
  };
  EXPECT_THAT(RulesOf("gemm.kiln", "gemm", DType::kBF16, tiles, "sm_80"), pipelined("mma", "convert"));
  EXPECT_THAT(RulesOf("gemm.kiln", "gemm", DType::kF16, tiles, "sm_120a"), pipelined("mma", "convert"));
  EXPECT_THAT(RulesOf("gemm.kiln", "gemm", DType::kF32, tiles, "sm_90a"), pipelined("fma", "vector"));
  // Rows of 77 bf16 start on odd multiples of 2 bytes, cp.async takes 4 at the least: the loop is serial.
  Ints odd = tiles;
  odd["K"] = 77;
  EXPECT_THAT(
      RulesOf("gemm.kiln", "gemm", DType::kBF16, odd, "sm_80"),
      ElementsAre("cta.map: register", "cta.copy: scalar", "cta.copy: scalar", "cta.gemm: mma", "cta.copy: convert"));
}

TEST(WinningRule, GemmOfTheMatrixUnit) {
  const Ints tiles = {{"N", 256}, {"K", 512}, {"BM", 128}, {"BN", 128}, {"BK", 64}, {"STAGES", 3}};
  const auto ring =
      ElementsAre("cta.map: register", "thread.copy_async: tma", "thread.copy_async: tma", "cta.gemm_async: wgmma",
                  "thread.copy_async: tma", "thread.copy_async: tma", "cta.copy: convert");
  EXPECT_THAT(RulesOf("gemm.kiln", "gemm", DType::kBF16, tiles, "sm_90a"), ring);
  EXPECT_THAT(RulesOf("gemm.kiln", "gemm_nn", DType::kF16, tiles, "sm_90a"), ring);
  // Rows of 77 bf16 start on odd multiples of 2 bytes: neither copy engine nor cp.async, and no swizzle spans 154
  // bytes.
  Ints odd = tiles;
  odd["K"] = 77;
  EXPECT_THAT(
      RulesOf("gemm.kiln", "gemm", DType::kBF16, odd, "sm_90a"),
      ElementsAre("cta.map: register", "cta.copy: scalar", "cta.copy: scalar", "cta.gemm: wgmma", "cta.copy: convert"));
  // Two warpgroups take 128 rows; one takes 64, and 256 columns in one instruction.
  Ints low = tiles;
  low["BM"] = 64;
  EXPECT_THAT(RulesOf("gemm.kiln", "gemm", DType::kBF16, low, "sm_90a"), ring);
}

// Two warpgroups share 128 rows: the maps' boxes, the barriers of a ring of three, and one product in flight.
TEST(Ring, OfAPipelinedGemm) {
  auto line = LowerModule(Module("gemm.kiln"), "gemm", DType::kBF16,
                          {{"N", 256}, {"K", 512}, {"BM", 128}, {"BN", 128}, {"BK", 64}, {"STAGES", 3}}, "sm_90a");
  ASSERT_TRUE(line.ok()) << line.status();
  const std::string text = ir::Print(line->native);
  EXPECT_THAT(text, HasSubstr("a_map: map<bf16> of a box(128, 64) swizzle 128"));
  EXPECT_THAT(text, HasSubstr("b_map: map<bf16> of b box(128, 64) swizzle 128"));
  EXPECT_THAT(text, HasSubstr("mbarrier_init(k_ring_full, slot, 1)"));
  EXPECT_THAT(text, HasSubstr("mbarrier_init(k_ring_empty, slot, 8)"));
  EXPECT_THAT(text, HasSubstr("mbarrier_expect(k_ring_full, k_fill, 32768)"));
  EXPECT_THAT(text, HasSubstr("wgmma_wait(1)"));
  EXPECT_THAT(text, HasSubstr("wgmma_wait(0)\n  register_fence(acc, 0)"));
  EXPECT_EQ(line->native.shared_bytes, 3 * 32768 + 32 + 24);
}

TEST(Ring, WrittenByHand) {
  auto module = ir::Parse(R"(kernel k(a: tensor<i32>[64], b: out tensor<i32>[64]) launch grid(1) block(32) {
  ring r[2] in shared { alloc t: i32[2, 4] in shared }
  if thread_id == 0 {
    for i in 0 .. 2 {
      let w = r.push()
      thread.copy_async(t[w, :], a[i * 4 +: 4]) via tma
    }
  }
  for k in 0 .. 16 {
    let s = r.pop()
    cta.copy(b[k * 4 +: 4], t[s, :] + t[s, :])
    r.release()
    if thread_id == 0 and k + 2 < 16 {
      let w = r.push()
      thread.copy_async(t[w, :], a[(k + 2) * 4 +: 4]) via tma
    }
  }
})",
                          "k");
  ASSERT_TRUE(module.ok()) << module.status();
  auto line = LowerModule(*module, "k", DType::kI32, {}, "sm_90a");
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->plan.Rules(), ElementsAre("thread.copy_async: tma", "cta.map: register", "thread.copy_async: tma"));
  const std::string text = ir::Print(line->native);
  EXPECT_THAT(text, HasSubstr("a_map: map<i32> of a box(4) swizzle 0"));
  EXPECT_THAT(text, HasSubstr("mbarrier_init(r_empty, slot, 1)"));
  EXPECT_THAT(text, HasSubstr("mbarrier_expect(r_full, w, 16)"));
  auto old = LowerModule(*module, "k", DType::kI32, {}, "sm_80");
  EXPECT_THAT(std::string(old.status().message()), HasSubstr("no rule of sm_80 accepts it; tma: sm_80 has no tma"));
}

// Fragments leave in 16-byte stores where rows are whole pieces of 32 columns on 16 bytes, in pairs elsewhere.
TEST(Fragments, AreExchangedForWideStores) {
  const Ints tiles = {{"K", 512}, {"BM", 128}, {"BN", 128}, {"BK", 32}, {"STAGES", 3}};
  for (const char* target : {"sm_80", "sm_90a"}) {
    Ints aligned = tiles, odd = tiles;
    aligned["N"] = 200;
    odd["N"] = 202;
    auto wide = LowerModule(Module("gemm.kiln"), "gemm", DType::kBF16, aligned, target);
    ASSERT_TRUE(wide.ok()) << wide.status();
    EXPECT_THAT(ir::Print(wide->native), HasSubstr("transpose_quads(c_w, 0)")) << target;
    EXPECT_THAT(ir::Print(wide->native), HasSubstr("load(c_w, 0, 8))")) << target;
    auto narrow = LowerModule(Module("gemm.kiln"), "gemm", DType::kBF16, odd, target);
    ASSERT_TRUE(narrow.ok()) << narrow.status();
    EXPECT_THAT(ir::Print(narrow->native), ::testing::Not(HasSubstr("transpose_quads"))) << target;
  }
}

TEST(WinningRule, AttentionKeepsRowsInAWarp) {
  auto line = LowerModule(Module("attention.kiln"), "attention", DType::kBF16, {{"D", 64}, {"CAUSAL", 1}}, "sm_80");
  ASSERT_TRUE(line.ok()) << line.status();
  int products = 0;
  for (const std::string& rule : line->plan.Rules()) {
    if (rule.find("gemm") != std::string::npos) {
      EXPECT_EQ(rule, "cta.gemm: mma");
      ++products;
    }
    if (rule.find("cta.max") == 0) {
      EXPECT_EQ(rule, "cta.max: shuffle");
    }
  }
  EXPECT_EQ(products, 2);
}

TEST(Refusal, ListsEveryRuleWithItsReason) {
  auto module = ir::Parse(
      "kernel k(x: tensor<f32>[64], o: out tensor<f32>[64]) launch grid(1) block(64) {\n"
      "  alloc s: f32[64] in shared\n"
      "  cta.copy_async(s, x) via bulk\n"
      "  cta.copy(o, s)\n"
      "}\n",
      "k");
  ASSERT_TRUE(module.ok()) << module.status();
  auto line = LowerModule(*module, "k", DType::kF32, {}, "sm_80");
  EXPECT_THAT(std::string(line.status().message()), HasSubstr("no rule of sm_80 accepts it; no rule is named bulk"));
}

TEST(Capacity, RefusesTilesBeyondTheSpaceWithTheSum) {
  auto module = ir::Parse(
      "kernel k(x: tensor<u8>[49152], o: out tensor<u8>[49152]) launch grid(1) block(128) {\n"
      "  alloc p: u8[49152] in shared\n  alloc q: u8[49152] in shared\n  alloc r: u8[49152] in shared\n"
      "  cta.copy(p, x)\n  cta.copy(q, p)\n  cta.copy(r, q)\n  cta.copy(o, r)\n"
      "}\n",
      "k");
  ASSERT_TRUE(module.ok()) << module.status();
  Target target = FindTarget("sm_90a").value();
  for (MemorySpace& space : target.spaces)
    if (space.name == "shared") space.capacity = 131072;
  auto kernel = Specialize(*module, "k", {}, target);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::vector<std::string> notes;
  auto inferred = InferLayouts(*kernel, target, &notes);
  ASSERT_TRUE(inferred.ok()) << inferred.status();
  auto plan = MakePlan(*inferred, target, CudaRules());
  ASSERT_TRUE(plan.ok()) << plan.status();
  auto native = LowerCuda(*inferred, *plan, target);
  EXPECT_EQ(native.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(native.status().message()),
              HasSubstr("147456 B are asked for, sm_90a has 131072 B a CTA; largest: p 49152, q 49152, r 49152"));
}

struct Case {
  const char* file;
  const char* kernel;
  Ints ints;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.kernel; }

class EveryKernel : public testing::TestWithParam<Case> {};

TEST_P(EveryKernel, LowersAndPrintsWhatParses) {
  const ir::Module module = Module(GetParam().file);
  for (const char* target : {"sm_80", "sm_86", "sm_90a"}) {  // The three sizes of shared memory
    for (DType dtype : {DType::kF16, DType::kBF16, DType::kF32}) {
      auto line = LowerModule(module, GetParam().kernel, dtype, GetParam().ints, target);
      ASSERT_TRUE(line.ok()) << target << " " << Name(dtype) << ": " << line.status();
      const std::string text = ir::Print(line->native);
      auto again = ir::Parse(text, "native.kiln");
      ASSERT_TRUE(again.ok()) << again.status() << "\n" << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Library, EveryKernel,
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
