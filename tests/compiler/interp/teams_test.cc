// Bodies that run thread by thread, with team operations as meeting points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/compiler/interp/testing.h"

namespace kiln::interp {
namespace {

using testing::ElementsAre;

constexpr char kTwoALane[] = "alloc warp.v: i32[64] in local layout S[(32,2):(1@laneid,1)]\nv = index(v, 0) + 1\n";

std::string Kernel32(const std::string& body) {
  return "kernel f(a: out tensor<i32>[32], b: out tensor<i32>[32]) launch grid(1) block(32) {\n" + body + "\n}";
}

TEST(Teams, ThreadSumIsOfWhatOneLaneHoldsAndWarpSumOfAll) {
  Array a(DType::kI32, {32}), b(DType::kI32, {32});
  ir::Kernel kernel =
      KernelOf(Kernel32(std::string(kTwoALane) + "a[lane_id] = thread.sum(v)\nb[lane_id] = warp.sum(v)"));
  ASSERT_EQ(RunKernel(kernel, {a.tensor(), b.tensor()}), absl::OkStatus());
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(a.values()[lane], 4 * lane + 3);  // 3, 7, 11, ... 127
    EXPECT_EQ(b.values()[lane], 2080);
  }
}

TEST(Teams, ThreadSumUnderABranchIsOfThatLane) {
  Array a(DType::kI32, {32}), b(DType::kI32, {32});
  ir::Kernel kernel = KernelOf(Kernel32(std::string(kTwoALane) + "if lane_id == 0 { a[lane_id] = thread.sum(v) }"));
  ASSERT_EQ(RunKernel(kernel, {a.tensor(), b.tensor()}), absl::OkStatus());
  EXPECT_EQ(a.values()[0], 3);
  EXPECT_EQ(a.values()[1], 0);
}

TEST(Teams, WarpSumUnderABranchNamesTheMissingLanes) {
  Array a(DType::kI32, {32}), b(DType::kI32, {32});
  ir::Kernel kernel = KernelOf(Kernel32(std::string(kTwoALane) + "if lane_id == 0 { a[lane_id] = warp.sum(v) }"));
  EXPECT_EQ(MessageOf(kernel, {a.tensor(), b.tensor()}),
            "interp: kernel \"f\": 4:32: warp.sum needs all 32 lanes of warp 0; 31 are missing: lanes 1..31; they do "
            "not take the "
            "branch at 4:1 (cta 0, 0, 0)");
}

TEST(Teams, WarpSumOfAScalarJoinsTheLanes) {
  Array a(DType::kI32, {32}), b(DType::kI32, {32});
  ir::Kernel kernel =
      KernelOf(Kernel32("a[lane_id] = warp.sum(lane_id * lane_id)\nlet top = warp.max(lane_id)\nb[lane_id] = top"));
  ASSERT_EQ(RunKernel(kernel, {a.tensor(), b.tensor()}), absl::OkStatus());
  EXPECT_EQ(a.values()[31], 10416);
  EXPECT_EQ(b.values()[0], 31);
}

// q = 0..7 in tiles of 2 through shared memory, doubled on the way in, plus one on the way out; its loops stride by
// grid and block, so any launch gives the same.
constexpr char kStaging[] = R"(
kernel staging<BLOCKS: int, THREADS: int>(q: tensor<i32>[N], r: out tensor<i32>[N]) launch grid(BLOCKS) block(THREADS) {
  alloc s: i32[2] in shared
  for t in cta_id.x .. N / 2 step grid.x {
    for i in thread_id .. 2 step THREADS { s[i] = q[2 * t + i] * 2 }
    cta.sync()
    for j in thread_id .. 2 step THREADS { r[2 * t + j] = s[1 - (1 - j)] + 1 }
    cta.sync()
  }
})";

TEST(Teams, StagingKernelAtAnyLaunch) {
  for (auto [blocks, threads] : {std::pair{4, 2}, {1, 1}, {3, 2}, {2, 64}}) {
    Array q(DType::kI32, {8}, {0, 1, 2, 3, 4, 5, 6, 7}), r(DType::kI32, {8});
    ir::Kernel kernel = KernelOf(kStaging, {{{"BLOCKS", blocks}, {"THREADS", threads}}, {}});
    ASSERT_EQ(RunKernel(kernel, {q.tensor(), r.tensor()}), absl::OkStatus());
    EXPECT_THAT(r.values(), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15)) << blocks << " " << threads;
  }
}

TEST(Teams, ThreadsThatReadBeforeTheBarrierFindNothing) {
  std::string text = kStaging;
  text.replace(text.find("    cta.sync()\n"), 15, "");
  text.replace(text.find("s[1 - (1 - j)]"), 14, "s[1 - j]");
  Array q(DType::kI32, {8}, {0, 1, 2, 3, 4, 5, 6, 7}), r(DType::kI32, {8});
  ir::Kernel kernel = KernelOf(text, {{{"BLOCKS", 4}, {"THREADS", 2}}, {}});
  EXPECT_EQ(
      MessageOf(kernel, {q.tensor(), r.tensor()}),
      "interp: kernel \"staging\": 6:59: \"s\" is read at element 1, which nothing wrote (thread 0) (cta 0, 0, 0)");
}

TEST(Teams, CtaOperationsBesideThreadCode) {
  ir::Kernel kernel = KernelOf(R"(
    kernel f(x: tensor<f32>[64], y: out tensor<f32>[64]) launch grid(1) block(64) {
      alloc t: f32[64] in local = 0.5
      alloc s: f32[64] in shared
      cta.copy(t, t + x)
      cta.copy(s, t)
      let total = cta.sum(t)
      y[thread_id] = s[63 - thread_id] + total
    })");
  Array x(DType::kF32, {64}, Noise(64, 5)), y(DType::kF32, {64});
  ASSERT_EQ(RunKernel(kernel, {x.tensor(), y.tensor()}), absl::OkStatus());
  std::vector<double> xs = x.values();
  double total = 32;
  for (double v : xs) total += v;
  for (int k = 0; k < 64; ++k) EXPECT_EQ(y.values()[k], xs[63 - k] + 0.5 + total);
}

TEST(Teams, ShufflesAndBarriers) {
  Array a(DType::kI32, {32}), b(DType::kI32, {32});
  ir::Kernel kernel =
      KernelOf(Kernel32("let v = lane_id * 10\na[lane_id] = shfl_xor(v, 5)\nbarrier()\nb[lane_id] = shfl(v, 3)"));
  ASSERT_EQ(RunKernel(kernel, {a.tensor(), b.tensor()}), absl::OkStatus());
  EXPECT_EQ(a.values()[6], 30);
  EXPECT_EQ(b.values()[6], 30);
}

// Case SYNC-3 C
TEST(Teams, ABarrierThatOneWarpSkipsIsNamed) {
  ir::Kernel kernel = KernelOf(R"(kernel f(y: out tensor<i32>[1]) launch grid(1) block(64) {
  if warp_id == 0 { cta.sync() }
  y[0] = 1
})");
  Array y(DType::kI32, {1});
  EXPECT_EQ(MessageOf(kernel, {y.tensor()}),
            "interp: kernel \"f\": 2:21: cta.sync needs all 64 threads of the CTA; 32 are missing: threads 32..63; "
            "they do not take the "
            "branch at 2:3 (cta 0, 0, 0)");
}

TEST(Teams, TwoBarriersThatWaitForEachOther) {
  ir::Kernel kernel = KernelOf(R"(kernel f(y: out tensor<i32>[1]) launch grid(1) block(64) {
  if warp_id == 0 { cta.sync() } else { barrier() }
})");
  Array y(DType::kI32, {1});
  EXPECT_EQ(MessageOf(kernel, {y.tensor()}),
            "interp: kernel \"f\": 2:21: cta.sync needs all 64 threads of the CTA; 32 are missing: threads 32..63; "
            "they do not take the "
            "branch at 2:3; 32..63 wait at barrier at 2:41 (cta 0, 0, 0)");
}

TEST(Teams, ATeamAgreesOnTheScalarsItUses) {
  ir::Kernel kernel = KernelOf(R"(kernel f(x: tensor<f32>[64], y: out tensor<f32>[64]) launch grid(1) block(64) {
  let row = thread_id
  cta.copy(y[row +: 1], x[0 +: 1])
})");
  Array x(DType::kF32, {64}), y(DType::kF32, {64});
  EXPECT_EQ(MessageOf(kernel, {x.tensor(), y.tensor()}),
            "interp: kernel \"f\": 3:3: \"row\" differs between threads 0 and 1, which execute this together (the CTA) "
            "(cta 0, 0, 0)");
}

}  // namespace
}  // namespace kiln::interp
