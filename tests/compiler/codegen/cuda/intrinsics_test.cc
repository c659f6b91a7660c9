// Every native intrinsic: a cubin for each architecture that has it, a refusal that names what it needs elsewhere, and
// what is said of operands that it does not take.

#include "compiler/ir/intrinsics.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/ir/parse.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"
#include "compiler/toolchain/nvrtc.h"
#include "tests/compiler/codegen/cuda/native_kernel.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Eval;
using ir::Space;
using ir::Store;

constexpr const char* kArchitectures[] = {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"};

struct Row {
  ir::Intrinsic id;
  const char* name;
  const char* feature;
};
std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

constexpr Row kRows[] = {
#define KILN_INTRINSIC(id, name, operands, effect, feature, doc) {ir::Intrinsic::id, name, feature},
#include "compiler/ir/intrinsics.inc"
#undef KILN_INTRINSIC
};

// A statement with each intrinsic, over the tensors that KernelWith declares.
const std::map<std::string, Block>& Uses() {
  const Expr zero = Int(0), t = V("thread_id"), bar = V("bar"), s = V("s"), x = V("x"), y = V("y");
  const Expr value = Load(x, t);
  auto call = [](const char* name, std::vector<Expr> args) { return Block{Eval(Call(name, std::move(args)))}; };
  auto stored = [&](const char* name, std::vector<Expr> args) {
    return Block{Store(y, t, WithType(Call(name, std::move(args)), {DType::kF32}))};
  };
  static const auto* const uses = new std::map<std::string, Block>{
      {"barrier", call("barrier", {})},
      {"warp_barrier", call("warp_barrier", {})},
      {"shfl", stored("shfl", {value, Int(3)})},
      {"shfl_xor", stored("shfl_xor", {value, Int(4)})},
      {"transpose_quads", call("transpose_quads", {V("words"), zero})},
      {"ldmatrix", call("ldmatrix", {V("a"), zero, s, V("lane_id") * Int(8), Int(4), Bool(false)})},
      {"stmatrix", call("stmatrix", {s, V("lane_id") * Int(8), V("a"), zero, Int(4), Bool(false)})},
      {"mma", call("mma", {V("acc"), zero, V("a"), zero, V("b"), zero, Int(16)})},
      {"pack2", {Store(V("h"), t * Int(2), Pack2(DType::kF16, value, value))}},
      {"cp_async", call("cp_async", {V("f"), t * Int(4), x, t * Int(4), Int(16), Int(16)})},
      {"cp_async_commit", call("cp_async_commit", {})},
      {"cp_async_wait", call("cp_async_wait", {Int(1)})},
      {"mbarrier_arrive", call("mbarrier_arrive", {bar, zero})},
      {"mbarrier_arrive_at", call("mbarrier_arrive_at", {bar, zero, Int(1)})},
      {"mbarrier_expect", call("mbarrier_expect", {bar, zero, Int(256)})},
      {"mbarrier_init", call("mbarrier_init", {bar, zero, Int(128)})},
      {"mbarrier_wait", call("mbarrier_wait", {bar, zero, zero})},
      {"fence_barrier_init", call("fence_barrier_init", {})},
      {"fence_proxy_async", call("fence_proxy_async", {})},
      {"bulk_commit", call("bulk_commit", {})},
      {"bulk_wait", call("bulk_wait", {zero})},
      {"bulk_wait_read", call("bulk_wait_read", {zero})},
      {"tma_load", call("tma_load", {V("f"), zero, V("x_map"), bar, zero, zero, Int(8)})},
      {"tma_load_multicast", call("tma_load_multicast", {V("f"), zero, V("x_map"), bar, zero, Int(3), zero, Int(8)})},
      {"tma_store", call("tma_store", {V("x_map"), V("f"), zero, zero, Int(8)})},
      {"wgmma", call("wgmma", {V("acc"), zero, s, zero, s, Int(512), Int(8), Int(16), Int(256), zero, zero, Int(16),
                               Int(256), zero, zero, Bool(true)})},
      {"wgmma_commit", {Eval(Call("wgmma_commit", {})), Eval(Call("wgmma_wait", {zero}))}},
      {"wgmma_fence", call("wgmma_fence", {})},
      {"wgmma_wait", call("wgmma_wait", {zero})},
      {"register_fence", call("register_fence", {V("acc"), zero})},
      {"cluster_barrier", call("cluster_barrier", {})},
      {"elect", {ir::If(WithType(Call("elect", {}), {DType::kBool}), {Store(y, t, Float(1))})}},
      {"named_barrier", call("named_barrier", {Int(3), Int(64)})},
      {"set_max_registers", call("set_max_registers", {Int(40), Bool(false)})},
      {"atomic_add", call("atomic_add", {y, t, Float(1)})},
      {"atomic_max", call("atomic_max", {y, t, Float(1)})},
      {"atomic_min", call("atomic_min", {y, t, Float(1)})},
      {"reduce_add", stored("reduce_add", {value})},
      {"reduce_max", stored("reduce_max", {value})},
      {"reduce_min", stored("reduce_min", {value})},
      {"prefetch", call("prefetch", {x, t})},
      {"stream_store", call("stream_store", {y, t, value})},
      {"zip_high", stored("zip_high", {value, value})},
      {"zip_low", stored("zip_low", {value, value})},
  };
  return *uses;
}

NativeKernel KernelWith(const Row& row) {
  NativeKernel native("f");
  native.Tensor("x", DType::kF32).Out("y", DType::kF32).Out("h", DType::kF16);
  ir::NativeParam map;
  map.kind = ir::NativeParam::Kind::kTensorMap;
  map.name = "x_map";
  map.dtype = DType::kF32;
  map.tensor = "x";
  map.box = {8, 8};
  if (absl::StrContains(row.name, "tma_")) native.kernel.native_params.push_back(map);
  Block body = {AllocOf("s", DType::kF16, 1024, Space::kSharedDyn, 0),
                AllocOf("f", DType::kF32, 512, Space::kSharedDyn, 2048),
                AllocOf("bar", DType::kMBarrier, 2, Space::kSharedDyn, 4096),
                AllocOf("acc", DType::kF32, 4),
                AllocOf("a", DType::kF16, 8),
                AllocOf("b", DType::kF16, 4),
                AllocOf("words", DType::kU32, 4)};
  native.kernel.shared_bytes = 4096 + 16;
  for (const ir::Stmt& stmt : Uses().at(row.name)) body.push_back(stmt);
  native.Body(std::move(body));
  return native;
}

class IntrinsicText : public ::testing::TestWithParam<Row> {};

TEST_P(IntrinsicText, CompilesWhereItExistsAndIsRefusedElsewhere) {
  const absl::StatusOr<std::unique_ptr<NvrtcToolchain>> nvrtc = NvrtcToolchain::Open();
  const Row& row = GetParam();
  ASSERT_EQ(Uses().count(row.name), 1u) << "no use of " << row.name << " in this test";
  int has = 0;
  for (const char* arch : kArchitectures) {
    const Target target = FindTarget(arch).value();
    const absl::StatusOr<Source> source = EmitCuda(KernelWith(row).kernel, target);
    const std::string feature = row.feature;
    if (!feature.empty() && !target.Has(feature)) {
      EXPECT_EQ(source.status().message(),
                absl::StrCat("codegen: kernel \"f\": intrinsic ", row.name, " needs ",
                             ir::FeatureNeeded(*ir::FindIntrinsic(row.name)), ", which ", arch, " has not"));
      continue;
    }
    ++has;
    ASSERT_TRUE(source.ok()) << arch << ": " << source.status();
    if (!nvrtc.ok()) continue;
    CompileOptions options;
    options.arch = arch;
    const absl::StatusOr<Compiled> compiled = (*nvrtc)->Compile(*source, options);
    EXPECT_TRUE(compiled.ok()) << arch << ": " << compiled.status() << "\n" << source->text;
  }
  EXPECT_TRUE(has > 0 || std::string(row.feature) == "cpu");
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
}

INSTANTIATE_TEST_SUITE_P(All, IntrinsicText, ::testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Intrinsics, NameTheTargetsThatHaveTheirFeature) {
  for (const Row& row : kRows) {
    const std::string feature = row.feature;
    if (feature.empty() || feature == "cpu") continue;
    std::vector<std::string> with;
    for (const char* arch : kArchitectures)
      if (FindTarget(arch)->Has(feature)) with.push_back(arch);
    EXPECT_EQ(ir::FeatureNeeded(*ir::FindIntrinsic(row.name)),
              absl::StrCat(feature, " (", absl::StrJoin(with, ", "), ")"));
  }
}

// What a statement of a kernel with a shared tile `s`, a register tile `r` and a barrier object `bar` is told.
std::string RefusalOf(const std::string& statement) {
  const std::string text =
      absl::StrCat("kernel f(x: tensor<f32>[64], n: i32) launch grid(1) block(128) {\n  alloc s: f16[1024] in shared\n",
                   "  alloc thread.r: f16[8] in local\n  alloc bar: mbarrier[2] in shared\n  ", statement, "\n}");
  absl::StatusOr<ir::Module> module = ir::Parse(text, "f");
  if (!module.ok()) return std::string(module.status().message());
  return std::string(Specialize(*module, "f", {}, FindTarget("sm_90a").value()).status().message());
}

TEST(Intrinsics, NameTheOperandAndWhatItTakes) {
  const std::string at = "specialize: kernel \"f\" 5:3: ";
  EXPECT_EQ(RefusalOf("ldmatrix(r, 0, s, 0, 4, false)"), "");
  EXPECT_EQ(RefusalOf("ldmatrix(r, 0, s, 0, 3, false)"), at + "ldmatrix: operand 5: expected 1, 2 or 4, found `3`; it "
                                                              "takes (tensor, index, tensor, index, constant, bool)");
  EXPECT_EQ(RefusalOf("ldmatrix(r, 0, s, 0, n, false)"),
            at +
                "ldmatrix: operand 5: expected an integer constant, found `n`; it takes (tensor, index, tensor, index, "
                "constant, bool)");
  EXPECT_EQ(
      RefusalOf("ldmatrix(r, 0, s, 0, 4, 1)"),
      at + "ldmatrix: operand 6: expected true or false, found `1`; it takes (tensor, index, tensor, index, constant, "
           "bool)");
  EXPECT_EQ(RefusalOf("ldmatrix(r, 0.5, s, 0, 4, true)"),
            at + "ldmatrix: operand 2: expected the index of an element, found `0.5`; it takes (tensor, index, tensor, "
                 "index, constant, bool)");
  EXPECT_EQ(RefusalOf("ldmatrix(n, 0, s, 0, 4, true)"),
            at + "ldmatrix: operand 1: expected a tensor's name, found `n`; it takes (tensor, index, tensor, index, "
                 "constant, bool)");
  EXPECT_EQ(RefusalOf("ldmatrix(r, 0, s, 0)"),
            at + "ldmatrix: expected 6 operands, found 4; it takes (tensor, index, tensor, index, constant, bool)");
  EXPECT_EQ(
      RefusalOf("cp_async(s, 0, x, 0, 12, 12)"),
      at + "cp_async: operand 5: expected 4, 8 or 16, found `12`; it takes (tensor, index, tensor, index, constant, "
           "integer)");
  EXPECT_EQ(RefusalOf("named_barrier(16, 64)"),
            at + "named_barrier: operand 1: expected 1 to 15, found `16`; it takes (constant, constant)");
  EXPECT_EQ(
      RefusalOf("named_barrier(1, 48)"),
      at + "named_barrier: operand 2: expected 32 to 1024 in steps of 32, found `48`; it takes (constant, constant)");
  EXPECT_EQ(
      RefusalOf("set_max_registers(250, true)"),
      at + "set_max_registers: operand 1: expected 24 to 240 in steps of 8, found `250`; it takes (constant, bool)");
  EXPECT_EQ(RefusalOf("mbarrier_wait(bar, 0, x)"),
            at + "mbarrier_wait: operand 3: expected an integer, found `x`; it takes (tensor, index, integer)");
  EXPECT_EQ(RefusalOf("mbarrier_init(bar, 0, 0)"),
            at + "mbarrier_init: operand 3: expected 1 to 1048575, found `0`; it takes (tensor, index, constant)");
  EXPECT_EQ(RefusalOf("mbarrier_init(bar, 0, 4 * 32)"), "");
}

}  // namespace
}  // namespace kiln
