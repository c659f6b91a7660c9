// Thread-level kernels: exchange, memory, control flow, and the faults that only running finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/compiler/interp/testing.h"

namespace kiln::interp {
namespace {

using testing::ElementsAre;

// A native kernel of tensors x and y and the symbol N, with `body`.
std::string Native(int threads, int shared, const std::string& body, const std::string& dtype = "f32") {
  return "kernel f(x: tensor<" + dtype + ">[N], y: out tensor<" + dtype + ">[N]) launch grid(1) block(" +
         std::to_string(threads) + ") native(x: pointer<" + dtype + ">, y: pointer<" + dtype +
         ">, N: symbol<i32>) shared " + std::to_string(shared) + " {\n" + body + "\n}";
}

std::vector<double> Count(int n) {
  std::vector<double> values;
  for (int k = 0; k < n; ++k) values.push_back(k);
  return values;
}

std::vector<double> RunOn(const std::string& text, int n, DType dtype = DType::kF32, const RunOptions& options = {}) {
  Array x(dtype, {n}, Count(n)), y(dtype, {n});
  EXPECT_EQ(MessageOf(KernelOf(text), {x.tensor(), y.tensor()}, options), "");
  return y.values();
}

std::string FaultOn(const std::string& text, int n, DType dtype = DType::kF32) {
  Array x(dtype, {n}, Count(n)), y(dtype, {n});
  RunOptions options;
  options.max_steps = 1 << 20;
  std::string message = MessageOf(KernelOf(text), {x.tensor(), y.tensor()}, options);
  const std::string kHead = "interp: kernel \"f\": ", kTail = " (cta 0, 0, 0)";
  EXPECT_EQ(message.substr(0, kHead.size()), kHead);
  EXPECT_TRUE(message.size() > kTail.size() && message.substr(message.size() - kTail.size()) == kTail) << message;
  return message.substr(kHead.size(), message.size() - kHead.size() - kTail.size());
}

TEST(Native, VectorsAndTheirTail) {
  EXPECT_THAT(RunOn(Native(2, 0, R"(
    for i in thread_id * 4 .. N - 3 step 8 { store(y, i, load(x, i, 4) * 2.0 + broadcast(1.0, 4)) }
    for j in N / 4 * 4 + thread_id .. N step 2 { store(y, j, -load(x, j)) })"),
                    10),
              ElementsAre(1, 3, 5, 7, 9, 11, 13, 15, -8, -9));
}

TEST(Native, TwoValuesALaneSumToThreeSevenElevenAndAllTo2080) {
  std::vector<double> sums = RunOn(Native(32, 0, R"(
    alloc thread.v: i32[2] in local
    store(v, 0, 2 * lane_id + 1)
    store(v, 1, 2 * lane_id + 2)
    let own = load(v, 0) + load(v, 1)
    store(y, lane_id, own)
    var all: i32 = own
    for s in 0 .. 5 { all = all + shfl_xor(all, 1 << s) }
    store(y, 32 + lane_id, shfl(all, 7)))",
                                          "i32"),
                                   64, DType::kI32);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(sums[lane], 4 * lane + 3);
    EXPECT_EQ(sums[32 + lane], 2080);
  }
}

// Word j of lane i of a quad is 100 i + j, and becomes 100 j + i.
TEST(Native, QuadsAreTransposed) {
  std::vector<double> words = RunOn(Native(32, 0, R"(
    alloc thread.w: i32[4] in local
    for j in unroll 0 .. 4 { store(w, j, 100 * lane_id + j) }
    transpose_quads(w, 0)
    for k in unroll 0 .. 4 { store(y, 4 * lane_id + k, load(w, k)) })",
                                           "i32"),
                                    128, DType::kI32);
  for (int lane = 0; lane < 32; ++lane)
    for (int word = 0; word < 4; ++word) EXPECT_EQ(words[4 * lane + word], 100 * (lane / 4 * 4 + word) + lane % 4);
}

TEST(Native, StagingKernelAtAnyLaunch) {
  for (auto [blocks, threads] : {std::pair{4, 2}, {1, 1}, {2, 64}}) {
    ir::Kernel kernel = KernelOf(R"(
    kernel staging<BLOCKS: int, THREADS: int>(q: tensor<i32>[N], r: out tensor<i32>[N]) launch grid(BLOCKS) block(THREADS)
      native(q: pointer<i32>, r: pointer<i32>, N: symbol<i32>) shared 8 {
      alloc s: i32[2] in shared.dyn offset 0
      for t in cta_id.x .. N / 2 step grid.x {
        for i in thread_id .. 2 step THREADS { store(s, i, load(q, 2 * t + i) * 2) }
        barrier()
        for j in thread_id .. 2 step THREADS { store(r, 2 * t + j, load(s, j) + 1) }
        barrier()
      }
    })",
                                 {{{"BLOCKS", blocks}, {"THREADS", threads}}, {}});
    Array q(DType::kI32, {8}, Count(8)), r(DType::kI32, {8});
    EXPECT_EQ(MessageOf(kernel, {q.tensor(), r.tensor()}), "");
    EXPECT_THAT(r.values(), ElementsAre(1, 3, 5, 7, 9, 11, 13, 15)) << blocks << " " << threads;
  }
}

TEST(Native, GuardsDecideWhichSideIsEvaluated) {
  EXPECT_THAT(RunOn(Native(4, 0, R"(
    let i = thread_id * 2
    let v: f32 = select(i < N, load(x, i), 9.0)
    if i + 1 < N and load(x, i + 1) > 2.0 { store(y, thread_id, v) })"),
                    5),
              ElementsAre(0, 2, 0, 0, 0));
}

TEST(Native, VectorsOfACpuKernel) {
  EXPECT_THAT(RunOn(Native(1, 0, R"(
    let v = load(x, 1, 4)
    store(y, 0, reduce_add(v))
    store(y, 1, reduce_max(v))
    store(y, 2, reduce_min(v))
    let odd = load(x, ramp(0, 4) * 2 + 1)
    store(y, 3, zip_high(v, odd))
    store(y, 7 + ramp(0, 2) * 2, load(x, 5, 2)))"),
                    10, DType::kF32, {.check_alignment = false}),
              ElementsAre(10, 4, 1, 3, 5, 4, 7, 5, 0, 6));
}

TEST(Native, PairsRoundOnce) {
  // Halfway between two f16 values, and a little more than that.
  EXPECT_THAT(RunOn(Native(1, 0, "store(y, 0, pack2<f16>(1.00048828125, 1.0004885))", "f16"), 2, DType::kF16),
              ElementsAre(1, 1.0009765625));
}

TEST(Native, AtomicsTakeEveryThread) {
  EXPECT_THAT(RunOn(Native(64, 0, "atomic_add(y, thread_id % 2, load(x, thread_id))"), 64)[1], 1024);
}

TEST(NativeFaults, OutOfBounds) {
  EXPECT_EQ(FaultOn(Native(4, 0, "store(y, thread_id, load(x, thread_id))"), 3),
            "2:21: \"x\" element 3 is outside its 3 elements (thread 3)");
  EXPECT_EQ(FaultOn(Native(1, 0, "let i = 0 - 1\nstore(y, i, 1.0)"), 3),
            "3:1: \"y\" element -1 is outside its 3 elements (thread 0)");
  EXPECT_EQ(FaultOn(Native(1, 0, "alloc thread.t: f32[2] in local\nstore(t, 2, 1.0)"), 3),
            "3:1: \"t\" element 2 is outside its 2 elements (thread 0)");
}

TEST(NativeFaults, NothingWroteIt) {
  EXPECT_EQ(FaultOn(Native(1, 0, "alloc thread.t: f32[2] in local\nstore(t, 0, 1.0)\nstore(y, 0, load(t, 1))"), 3),
            "4:13: \"t\" byte 4 is read, and nothing wrote it (thread 0)");
  EXPECT_EQ(FaultOn(Native(1, 8, "alloc s: f32[2] in shared.dyn offset 0\nstore(y, 0, load(s, 1))"), 3),
            "3:13: \"s\" byte 4 is read, and nothing wrote it (thread 0)");
}

TEST(NativeFaults, Misaligned) {
  EXPECT_EQ(FaultOn(Native(1, 32, "alloc s: f32[8] in shared.dyn offset 0\nstore(s, 2, broadcast(1.0, 4))"), 3),
            "3:1: \"s\": an access of 16 bytes at byte 8 of the tensor is misaligned by 8 (thread 0)");
}

TEST(NativeFaults, AMissingBarrierIsARace) {
  std::string body =
      "alloc s: f32[64] in shared.dyn offset 0\nstore(s, thread_id, 1.0)\n%store(y, thread_id, load(s, 63 - "
      "thread_id))";
  auto with = [&](const std::string& between) {
    std::string text = body;
    return Native(64, 256, text.replace(text.find('%'), 1, between));
  };
  EXPECT_EQ(RunOn(with("barrier()\n"), 64)[5], 1);
  // The first thread reads what the last one will write; without the report it would read nothing.
  EXPECT_EQ(FaultOn(with(""), 64), "4:21: \"s\" byte 252 is read, and nothing wrote it (thread 0)");
  EXPECT_EQ(FaultOn(with("warp_barrier()\n"), 64), "5:21: \"s\" byte 252 is read, and nothing wrote it (thread 0)");
}

TEST(NativeFaults, ReadersThatAWriterDoesNotWaitFor) {
  std::string text = Native(64, 256, R"(alloc s: f32[64] in shared.dyn offset 0
store(s, thread_id, 1.0)
barrier()
store(y, thread_id, load(s, (thread_id + 1) % 64))
store(s, thread_id, 2.0))");
  EXPECT_EQ(FaultOn(text, 64),
            "6:1: \"s\" byte 4 is written by thread 1 and read by thread 0 with no barrier between (thread 1)");
}

TEST(NativeFaults, WritersOfOneValueDoNotRace) {
  EXPECT_EQ(
      RunOn(Native(
                64, 4,
                "alloc s: f32[1] in shared.dyn offset 0\nstore(s, 0, 7.0)\nbarrier()\nstore(y, thread_id, load(s, 0))"),
            64)[63],
      7);
  EXPECT_EQ(
      FaultOn(Native(64, 4, "alloc s: i32[1] in shared.dyn offset 0\nstore(s, 0, thread_id)", "i32"), 64, DType::kI32),
      "3:1: \"s\" byte 0 is written by thread 1 and written by thread 0 with no barrier between (thread 1)");
}

TEST(NativeFaults, ABarrierThatOneWarpSkips) {
  EXPECT_EQ(FaultOn(Native(64, 0, "if warp_id == 0 { barrier() }"), 64),
            "2:19: barrier needs all 64 threads of the CTA; 32 are missing: threads 32..63");
}

TEST(NativeFaults, BarriersThatWaitForEachOther) {
  EXPECT_EQ(
      FaultOn(Native(64, 0, "if warp_id == 0 { barrier() } else {\n  barrier()\n}"), 64),
      "2:19: barrier needs all 64 threads of the CTA; 32 are missing: threads 32..63; 32..63 wait at barrier at 3:3");
}

TEST(NativeFaults, AShuffleUnderABranch) {
  EXPECT_EQ(
      FaultOn(Native(64, 0,
                     "if thread_id % 2 == 0 and thread_id < 32 {\n  store(y, thread_id, shfl_xor(load(x, 0), 2))\n}"),
              64),
      "3:23: shfl_xor needs all 32 lanes of warp 0; 16 are missing: lanes 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, "
      "25, 27, 29, 31");
}

TEST(NativeFaults, LanesThatAreNotThere) {
  EXPECT_EQ(FaultOn(Native(32, 0, "store(y, 0, shfl(load(x, 0), 32))"), 32),
            "2:13: shfl by lane 0: lane 32 is outside 0 .. 31");
}

TEST(NativeFaults, ChecksAndLoopsWithoutEnd) {
  EXPECT_EQ(FaultOn(Native(1, 0, "assert N == 4, \"four\""), 3), "2:1: assert failed: four (thread 0)");
  EXPECT_EQ(FaultOn(Native(1, 0, "while true { }"), 3), "2:1: more steps than allowed: a loop without end?");
  EXPECT_EQ(FaultOn(Native(1, 0, "for i in 0 .. 4 step 3 - N { }"), 3),
            "2:1: loop step: expected at least 1, got 0 (thread 0)");
  EXPECT_EQ(FaultOn(Native(1, 0, "store(y, 0, f32(3 / (N - 3)))"), 3), "2:19: division by zero (thread 0)");
}

TEST(NativeFaults, WhatLoweringForgotToPass) {
  Array x(DType::kF32, {3}), y(DType::kF32, {3});
  ir::Kernel kernel = KernelOf(
      "kernel f(x: tensor<f32>[N], y: out tensor<f32>[N]) launch grid(1) block(1) native(y: pointer<f32>) {\n  "
      "store(y, 0, f32(N))\n}");
  EXPECT_EQ(MessageOf(kernel, {x.tensor(), y.tensor()}),
            "interp: kernel \"f\": 2:19: \"N\" is not passed to the native function");
}

// Copies of 16 bytes by one warp, x to shared to y; `wait` stands before the barrier that publishes them.
std::string Copies(const std::string& wait) {
  return Native(32, 1024, R"(alloc s: f32[256] in shared.dyn offset 0
for i in 0 .. 2 {
  cp_async(s, i * 128 + thread_id * 4, x, i * 128 + thread_id * 4, 16, select(i * 128 + thread_id * 4 < N, 16, 0))
  cp_async_commit()
}
)" + wait + "\nbarrier()\nfor j in 0 .. 7 { store(y, j * 32 + thread_id, load(s, j * 32 + 31 - thread_id)) }");
}

TEST(CpAsync, LandsAtItsWaitAndFillsZero) {
  std::vector<double> y = RunOn(Copies("cp_async_wait(0)"), 224);
  EXPECT_EQ(y[0], 31);
  EXPECT_EQ(y[223], 192);
}

TEST(CpAsync, AMissingWaitIsFound) {
  EXPECT_EQ(FaultOn(Copies(""), 224),
            "9:48: \"s\" byte 124 is read while an asynchronous copy into it is in flight (thread 0)");
}

TEST(CpAsync, OneGroupTooFewIsFound) {
  EXPECT_EQ(FaultOn(Copies("cp_async_wait(1)"), 224),
            "9:48: \"s\" byte 636 is read while an asynchronous copy into it is in flight (thread 0)");
}

TEST(CpAsync, AMissingBarrierAfterTheWaitIsFound) {
  EXPECT_EQ(FaultOn(Native(32, 512, R"(alloc s: f32[128] in shared.dyn offset 0
cp_async(s, thread_id * 4, x, thread_id * 4, 16, 16)
cp_async_commit()
cp_async_wait(0)
store(y, thread_id, load(s, max(thread_id * 4 - 4, 0))))"),
                    128),
            "6:21: \"s\" byte 0 is read by thread 1 and written by thread 0 with no barrier between (thread 1)");
}

}  // namespace
}  // namespace kiln::interp
