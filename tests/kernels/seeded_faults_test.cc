// Faults put into the text of the Hopper gemm, each a word of it replaced: who refuses the kernel, or finds the fault
// when it runs, and what is said. The table in docs/checks.md is of these.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/verify.h"
#include "compiler/specialize/specialize.h"
#include "compiler/targets/targets.h"
#include "kiln/internal/status_macros.h"
#include "tests/kernels/case.h"
#include "tests/kernels/cuda_line.h"
#include "tests/kernels/interp_run.h"
#include "tests/kernels/problem_builder.h"

namespace kiln::testing {
namespace {

struct Fault {
  const char* name;
  const char* text;  // Of the kernel, once in it
  const char* instead;
  const char* finder;   // "text", "specialize", "lower", "tiles" or "lowered"
  const char* message;  // A part of it
};
std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.name; }

constexpr Fault kFaults[] = {
    {"NoWaitBeforeTheAccumulatorIsRead", "      warpgroup.wait_gemm(pending = 0)\n", "", "tiles",
     "48:29: \"acc\" is read while a product into it is in flight"},
    {"SlotReleasedAStepEarly", "        if k > 0 {\n          tiles.release()",
     "        if k >= 0 {\n          tiles.release()", "tiles",
     "39:9: \"tiles_at\": thread 128 touches slot 0 of ring \"tiles\", which it has released, in the "
     "warpgroup.gemm_async of 38:9"},
    {"SlotsNeverReleased", "          tiles.release()  // The slot before this one", "          let kept = k", "tiles",
     "24:19: deadlock: thread 0 waits at tiles.push at 24:19 for slot 0, which 256 of its 256 readers have not "
     "released in CTA 0 of the cluster; threads"},
    {"HalfOfBForOneCtaAlone", "via tma(multicast = all)", "via tma", "tiles",
     "24:19: deadlock: thread 0 waits at tiles.push at 24:19 for slot 0, which 256 of its 256 readers have not "
     "released in CTA 0 of the cluster; threads"},
    {"QuarterOfB", "b[j * BN + half +: BN / 2,", "b[j * BN + half +: BN / 4,", "specialize",
     "26:11: expected a tile of shape bf16[64, 64], found `b[j * 128 + half +: 32, k +: 64]` of type bf16[32, 64]"},
    {"BarrierUnderElect", "          let t = tiles.push()", "          cta.sync()\n          let t = tiles.push()",
     "lower",
     "24:11: cta.sync needs all 384 threads of the CTA; 352 are missing: threads 32..383; they do not take the branch "
     "at 19:5"},
    {"TooManySlots", "STAGES: tune(3, 4, 5)", "STAGES: tune(9)", "lower",
     "shared memory: 328704 B are asked for, sm_90a has 232448 B a CTA; largest: tiles_at 147456, tiles_bt 147456, "
     "staged 32768, tiles_full 72"},
    {"LayoutWithoutASwizzle", "    at: T[BM, BK]\n", "    at: T[BM, BK] layout S[(3,128,64):(8192,64,1)]\n", "lower",
     "25:11: thread.copy_async `thread.copy_async(tiles_at[t, :, :], a[m +: 128, k +: 64]) via tma`: no rule of sm_90a "
     "accepts it; tma: tiles_at: layout"},
    {"BufferWrittenWhileItIsStored", "        warpgroup.wait_store(pending = 1)  // This buffer has been read out\n",
     "", "tiles", "52:5: \"staged\" has changed before the wait for the copy_async that reads it, of 49:9"},
    {"StoresNotWaitedFor", "    warpgroup.wait_store(pending = 0)\n", "", "tiles",
     "50:9: the CTA ends while this copy_async reads \"staged\"; wait_store waits for it"},
    {"OneStoreTooManyInFlight", "wait_store(pending = 1)", "wait_store(pending = 2)", "tiles",
     "48:9: \"staged\" has changed before the wait for the copy_async that reads it, of 50:9"},
    {"BAsItLies", "trans_b = true, ", "", "specialize",
     "38:9: gemm: shapes do not agree: accumulator `acc` of type f32[64, 128], a `tiles_at[t, w * 64 +: 64, :]` of "
     "type bf16[64, 64], b `tiles_bt[t, :, :]`"},
    {"MoreRegistersThanThereAre", "regs(40)", "regs(120)", "specialize",
     "32:3: the roles hold 74752 registers together, a multiprocessor has 65536"},
    {"RegistersInNoStep", "regs(40)", "regs(42)", "text",
     "18:3 K0035: role 'load' asks for 42 registers: expected a multiple of 8 from 24 to 256"},
    {"WarpgroupInTwoRoles", "warpgroup(0)", "warpgroup(1)", "text",
     "32:3 K0035: role 'math' takes warpgroup 1, which role 'load' has"},
    {"WarpgroupThatIsNotThere", "block(384)", "block(256)", "specialize",
     "32:3: role math takes warpgroup 2 of a block of 256 threads"},
    {"LoaderThatPops", "          let t = tiles.push()", "          let t = tiles.pop()", "tiles",
     "24:19: deadlock: thread 0 waits at tiles.pop at 24:19 for slot 0, which nothing has pushed; threads 128..383 "
     "wait at tiles.pop at 37:17 for slot 0,"},
    {"AccumulatorNeverBegun", "accumulate = k > 0", "accumulate = true", "tiles",
     "38:9: \"acc\" is read at element 0, which nothing wrote"},
    {"MulticastIntoARingOfOneCta", " across cluster", "", "lower",
     "26:11: thread.copy_async `thread.copy_async(tiles_bt[t, half +: 64, :], b[j * 128 + half +: 64, k +: 64]) via "
     "tma(multicast = all)`: no rule of"},
    {"AllLanesPush", "first_warp and elect()", "first_warp", "tiles",
     "24:19: ring \"tiles\": slot 0 is pushed by a second thread; one thread fills a ring"},
    {"OneStepMoreThanIsLoaded", "      for k in 0 .. K step BK {\n        let t = tiles.pop()",
     "      for k in 0 .. K + BK step BK {\n        let t = tiles.pop()", "tiles",
     "37:17: deadlock: threads 128..383 wait at tiles.pop at 37:17 for slot 1, which nothing has pushed; threads "
     "0..127 wait at cluster_barrier for the"},
    {"OneStepLessThanIsLoaded", "        for k in 0 .. K step BK {\n          let t = tiles.push()",
     "        for k in 0 .. K - BK step BK {\n          let t = tiles.push()", "tiles",
     "37:17: deadlock: threads 128..383 wait at tiles.pop at 37:17 for slot 2, which nothing has pushed; threads "
     "0..127 wait at cluster_barrier for the"},
    {"FieldThatIsNotThere", "thread.copy_async(t.at,", "thread.copy_async(t.a,", "text",
     "25:30 K0034: a slot of ring 'tiles' has no field 'a'; did you mean 'at'?"},
    {"StoreByEveryThread", "warpgroup.copy_async(c[", "thread.copy_async(c[", "lowered",
     "46:7: \"staged\" byte 0 of the box is read by the tma_store at 46:7 and written by thread 128 with no "
     "fence_proxy_async between"},
};

class SeededFault : public ::testing::TestWithParam<Fault> {};

struct Finding {
  std::string finder;
  std::string message;
};

Finding Find(const std::string& text) {
  absl::StatusOr<ir::Module> module = ir::Parse(text, "gemm_sm90.kiln");
  if (!module.ok()) return {"text", std::string(module.status().message())};
  for (const ir::Problem& problem : ir::Verify(*module))
    return {"text", absl::StrCat(problem.at.line, ":", problem.at.column, " ", std::string(problem.code), ": ",
                                 problem.message)};
  constexpr int64_t kM = 1024, kN = 128, kK = 320;
  const Target target = FindTarget("sm_90a").value();
  Bindings bindings;
  bindings.ints = {
      {"N", kN}, {"K", kK}, {"BN", 128}, {"STAGES", text.find("tune(9)") == std::string::npos ? 3 : 9}, {"GROUP", 4}};
  bindings.dtypes = {{"T", DType::kBF16}};
  absl::StatusOr<ir::Kernel> kernel = Specialize(*module, "gemm_sm90", bindings, target);
  if (!kernel.ok()) return {"specialize", std::string(kernel.status().message())};
  auto problem = [&] {
    ProblemBuilder p(DType::kBF16, Memory::kDense);
    const Doubles a = p.In("a", {kM, kK}), b = p.In("b", {kN, kK});
    p.Expect(p.Out("c", {kM, kN}), Gemm(a, b, kM, kN, kK, true));
    return p.Done();
  };
  absl::StatusOr<ir::Kernel> native = LowerForCuda(*kernel, target);
  if (!native.ok()) return {"lower", std::string(native.status().message())};
  Problem tiles = problem();
  if (absl::Status status = RunInInterpreter(*kernel, tiles); !status.ok())
    return {"tiles", std::string(status.message())};
  Problem lowered = problem();
  if (absl::Status status = RunInInterpreter(*native, lowered); !status.ok())
    return {"lowered", std::string(status.message())};
  return {};
}

TEST_P(SeededFault, IsFoundWithItsLine) {
  std::ifstream in("api/kernels/gemm_sm90.kiln");
  std::stringstream whole;
  whole << in.rdbuf();
  std::string text = whole.str();
  const size_t at = text.find(GetParam().text);
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(text.find(GetParam().text, at + 1), std::string::npos) << "more than once in the kernel";
  text.replace(at, std::string(GetParam().text).size(), GetParam().instead);
  const Finding found = Find(text);
  EXPECT_EQ(found.finder, GetParam().finder) << found.message;
  EXPECT_NE(found.message.find(GetParam().message), std::string::npos) << found.message;
}

INSTANTIATE_TEST_SUITE_P(Gemm, SeededFault, ::testing::ValuesIn(kFaults),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kiln::testing
