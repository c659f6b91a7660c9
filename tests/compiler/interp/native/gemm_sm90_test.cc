// A persistent warp-specialized gemm as sm_90a runs it: clusters of two, TMA with multicast into a ring, wgmma one
// group behind, stores by TMA. Two by two tiles of 256 x 256 (128 x 256 a CTA), edges included, six steps of k.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "compiler/support/scalar_math.h"
#include "tests/compiler/interp/native/running.h"

namespace kiln::interp {
namespace {

constexpr char kGemm[] = R"(kernel f(a: tensor<bf16>[M, K], b: tensor<bf16>[N, K], c: out tensor<bf16>[M, N])
  launch persistent block(384) cluster(2)
  native(M: symbol<i32>, N: symbol<i32>, K: symbol<i32>, a_map: map<bf16> of a box (128, 64) swizzle 128,
         b_map: map<bf16> of b box (128, 64) swizzle 128, c_map: map<bf16> of c box (64, 64) swizzle 128) shared 230400 {
  alloc as: bf16[32768] in shared.dyn offset 0
  alloc bs: bf16[65536] in shared.dyn offset 65536
  alloc cs: bf16[16384] in shared.dyn offset 196608
  alloc full: mbarrier[4] in shared.dyn offset 229376
  alloc empty: mbarrier[4] in shared.dyn offset 229408
  if thread_id == 0 {
    for i in 0 .. 4 {
      mbarrier_init(full, i, 1)
      mbarrier_init(empty, i, 4)
    }
    fence_barrier_init()
  }
  cluster_barrier()
  let tm = (M + 255) / 256
  let tn = (N + 255) / 256
  let kt = (K + 63) / 64
  var stage: i32 = 0
  var phase: i32 = 0
  if thread_id < 128 {
    set_max_registers(40, false)
    if thread_id == 0 {
      for t in cta_id.x / 2 .. tm * tn step grid.x / 2 {
        for k in 0 .. kt {
          mbarrier_wait(empty, stage, 1 - phase)
          mbarrier_expect(full, stage, 49152)
          tma_load(as, stage * 8192, a_map, full, stage, k * 64, (2 * (t / tn) + cta_rank) * 128)
          tma_load_multicast(bs, stage * 16384 + cta_rank * 8192, b_map, full, stage, 3, k * 64, t % tn * 256 + cta_rank * 128)
          stage = stage + 1
          if stage == 4 {
            stage = 0
            phase = 1 - phase
          }
        }
      }
    }
  } else {
    set_max_registers(232, true)
    alloc thread.acc: f32[128] in local
    let w = thread_id / 128 - 1
    let wtid = thread_id % 128
    var buf: i32 = 0
    for t in cta_id.x / 2 .. tm * tn step grid.x / 2 {
      var prev: i32 = 0
      for k in 0 .. kt {
        mbarrier_wait(full, stage, phase)
        wgmma_fence()
        for kk in 0 .. 4 {
          wgmma(acc, 0, as, stage * 8192 + w * 4096 + kk * 16, bs, stage * 16384 + kk * 16, 256, 0, 1024, 128, 0, 0, 1024, 128, 0, k > 0 or kk > 0)
        }
        wgmma_commit()
        wgmma_wait(1)
        if k > 0 and wtid < 2 { mbarrier_arrive_at(empty, prev, wtid) }
        prev = stage
        stage = stage + 1
        if stage == 4 {
          stage = 0
          phase = 1 - phase
        }
      }
      wgmma_wait(0)
      if wtid < 2 { mbarrier_arrive_at(empty, prev, wtid) }
      for j in 0 .. 4 {
        let st = w * 8192 + buf * 4096
        if wtid == 0 { bulk_wait_read(1) }
        if w == 0 { named_barrier(1, 128) } else { named_barrier(2, 128) }
        for e in 0 .. 32 {
          let row = wtid / 32 * 16 + lane_id / 4 + e / 2 % 2 * 8
          let column = e / 4 * 8 + lane_id % 4 * 2 + e % 2
          store(cs, st + row * 64 + (column / 8 ^ row % 8) * 8 + column % 8, load(acc, j * 32 + e))
        }
        fence_proxy_async()
        if w == 0 { named_barrier(1, 128) } else { named_barrier(2, 128) }
        if wtid == 0 {
          tma_store(c_map, cs, st, t % tn * 256 + j * 64, (2 * (t / tn) + cta_rank) * 128 + w * 64)
          bulk_commit()
        }
        buf = 1 - buf
      }
    }
    if wtid == 0 { bulk_wait(0) }
  }
  cluster_barrier()
})";

// As the kernel's own dtype holds it.
std::vector<double> Reference(const std::vector<double>& a, const std::vector<double>& b, int64_t m, int64_t n,
                              int64_t k) {
  std::vector<double> c;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const double *x = a.data() + i * k, *y = b.data() + j * k;
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += x[l] * y[l];
      c.push_back(scalar::RoundTo(DType::kBF16, sum));
    }
  }
  return c;
}

struct Operands {
  int64_t m = 500, n = 480, k = 384;
  std::vector<double> left = Noise(m * k, 1), right = Noise(n * k, 2);
  Array a = {DType::kBF16, {m, k}, left}, b = {DType::kBF16, {n, k}, right}, c = {DType::kBF16, {m, n}};
};

TEST(GemmSm90, TwoByTwoTilesOfSixSteps) {
  Operands o;
  RunText(kGemm, {&o.a, &o.b, &o.c});
  // Sums of 384 products of multiples of 1/64 are exact in f32: one rounding is left.
  EXPECT_EQ(o.c.values(), Reference(o.left, o.right, o.m, o.n, o.k));
}

// One line of the kernel changed, and what the interpreter says.
struct Fault {
  const char* what;
  const char* from;
  const char* to;
  const char* message;
};
constexpr Fault kFaults[] = {
    {"consumer does not wait", "mbarrier_wait(full, stage, phase)", "",
     "52:11: \"bs\" byte 0 is read while an asynchronous copy into it is in flight (cta 0, 0, 0)"},
    {"producer does not wait", "mbarrier_wait(empty, stage, 1 - phase)", "",
     "29:11: \"full\"[0]: more arrivals than the 1 of a phase; phase 0 still waits for 49152 bytes (thread 0) (cta 0, "
     "0, 0)"},
    {"producer waits for the other phase", "mbarrier_wait(empty, stage, 1 - phase)",
     "mbarrier_wait(empty, stage, phase)",
     "28:11: deadlock: thread 0 waits for phase 0 of \"empty\"[0], which misses 4 of 4 arrivals and 0 bytes; threads "
     "128..383 wait at mbarrier_wait of \"full\"[0] parity 0 at 49:9; threads 1..127 wait at cluster_barrier at 86:3; "
     "in CTA 1 of the cluster thread 0 waits at mbarrier_wait of \"empty\"[0] parity 0 at 28:11; threads 128..383 wait "
     "at mbarrier_wait of \"full\"[0] parity 0 at 49:9; threads 1..127 wait at cluster_barrier at 86:3 (cta 0, 0, 0)"},
    {"released a step early", "if k > 0 and wtid < 2 { mbarrier_arrive_at(empty, prev, wtid) }",
     "if wtid < 2 { mbarrier_arrive_at(empty, stage, wtid) }",
     "30:11: \"as\" byte 0 of the box is written by thread 0 and read by the wgmma at 52:11, which it has not waited "
     "for (thread 0) (cta 1, 0, 0)"},
    {"never released", "if k > 0 and wtid < 2 { mbarrier_arrive_at(empty, prev, wtid) }", "",
     "28:11: deadlock: thread 0 waits for phase 0 of \"empty\"[0], which misses 4 of 4 arrivals and 0 bytes; threads "
     "128..383 wait at mbarrier_wait of \"full\"[0] parity 1 at 49:9; threads 1..127 wait at cluster_barrier at 86:3; "
     "in CTA 1 of the cluster thread 0 waits at mbarrier_wait of \"empty\"[0] parity 0 at 28:11; threads 128..383 wait "
     "at mbarrier_wait of \"full\"[0] parity 1 at 49:9; threads 1..127 wait at cluster_barrier at 86:3 (cta 0, 0, 0)"},
    {"released to its own CTA alone", "if k > 0 and wtid < 2 { mbarrier_arrive_at(empty, prev, wtid) }",
     "if k > 0 and wtid < 2 { mbarrier_arrive_at(empty, prev, cta_rank) }",
     "31:11: \"bs\" byte 0 of the box is written by thread 0 and written by the tma_load at 31:11, which it has not "
     "waited for (thread 0) (cta 0, 0, 0)"},
    {"too many products in flight", "wgmma_wait(1)", "wgmma_wait(2)",
     "30:11: \"as\" byte 0 of the box is written by thread 0 and read by the wgmma at 52:11, which it has not waited "
     "for (thread 0) (cta 1, 0, 0)"},
    {"epilogue before the last product", "      wgmma_wait(0)\n", "",
     "72:78: \"acc\" byte 0 is read while a wgmma into it is in flight (thread 255) (cta 0, 0, 0)"},
    {"bytes of one operand alone", "49152", "16384",
     "52:11: \"bs\" byte 0 is read by the wgmma at 52:11 and written by the tma_load at 31:11, which it has not waited "
     "for (cta 0, 0, 0)"},
    {"half of the multicast", "full, stage, 3, k * 64", "full, stage, 1, k * 64",
     "28:11: deadlock: thread 0 waits for phase 0 of \"empty\"[0], which misses 2 of 4 arrivals and 0 bytes; threads "
     "128..383 wait at mbarrier_wait of \"full\"[0] parity 1 at 49:9; threads 1..127 wait at cluster_barrier at 86:3; "
     "in CTA 1 of the cluster thread 0 waits at mbarrier_wait of \"empty\"[0] parity 0 at 28:11; threads 128..383 wait "
     "at mbarrier_wait of \"full\"[0] parity 0 at 49:9; threads 1..127 wait at cluster_barrier at 86:3 (cta 0, 0, 0)"},
    {"no proxy fence", "        fence_proxy_async()\n", "",
     "77:11: \"cs\" byte 0 of the box is read by the tma_store at 77:11 and written by thread 128 with no "
     "fence_proxy_async between (thread 128) (cta 0, 0, 0)"},
    {"no wait for the store buffer", "        if wtid == 0 { bulk_wait_read(1) }\n", "",
     "72:11: \"cs\" byte 7020 is written by thread 251 and read by the tma_store at 77:11, which it has not waited for "
     "(thread 251) (cta 0, 0, 0)"},
    {"one store too many in flight", "bulk_wait_read(1)", "bulk_wait_read(2)",
     "73:11: \"cs\" byte 7020 is written by thread 251 and read by the tma_store at 78:11, which it has not waited for "
     "(thread 251) (cta 0, 0, 0)"},
    {"store not awaited at the end", "    if wtid == 0 { bulk_wait(0) }\n", "",
     "78:11: tma_store may still read shared memory when the CTA ends: a bulk_wait_read is missing (thread 128) (cta "
     "0, 0, 0)"},
    {"store outside of a group", "          bulk_commit()\n", "",
     "73:11: \"cs\" byte 7020 is written by thread 251 and read by the tma_store at 78:11, which it has not waited for "
     "(thread 251) (cta 0, 0, 0)"},
    {"barrier objects not fenced", "    fence_barrier_init()\n", "",
     "29:11: \"full\"[0] is initialized by thread 0 with no fence_barrier_init behind it (thread 0) (cta 0, 0, 0)"},
    {"arrivals of one CTA alone", "mbarrier_init(empty, i, 4)", "mbarrier_init(empty, i, 2)",
     "31:11: \"bs\" byte 0 of the box is written by thread 0 and written by the tma_load at 31:11, which it has not "
     "waited for (thread 0) (cta 0, 0, 0)"},
    {"overlapping memory", "bs: bf16[65536] in shared.dyn offset 65536", "bs: bf16[65536] in shared.dyn offset 57344",
     "30:11: \"as\" byte 8192 of the box is written while an asynchronous copy into it is in flight (thread 0) (cta 0, "
     "0, 0)"},
    {"barrier objects in the store buffer", "full: mbarrier[4] in shared.dyn offset 229376",
     "full: mbarrier[4] in shared.dyn offset 229368",
     "73:11: \"cs\" byte 32760 is written, and holds a barrier object (thread 382) (cta 0, 0, 0)"},
    {"the CTA ends before its peer", "    if wtid == 0 { bulk_wait(0) }\n  }\n  cluster_barrier()",
     "    if wtid == 0 { bulk_wait(0) }\n  }",
     "56:33: mbarrier_arrive_at: CTA 0 of the cluster has ended (thread 128) (cta 1, 0, 0)"},
};

std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.what; }

class GemmFaults : public testing::TestWithParam<Fault> {};

TEST_P(GemmFaults, IsFound) {
  const Fault& fault = GetParam();
  Array a(DType::kBF16, {256, 512}, Noise(256 * 512, 1)), b(DType::kBF16, {256, 512}, Noise(256 * 512, 2)),
      c(DType::kBF16, {256, 256});
  EXPECT_EQ(FaultOf(With(kGemm, fault.from, fault.to), {&a, &b, &c}), fault.message) << fault.what;
}

INSTANTIATE_TEST_SUITE_P(All, GemmFaults, testing::ValuesIn(kFaults));

}  // namespace
}  // namespace kiln::interp
