// Barrier objects, named barriers, elect: who waits for whom, and what each misuse says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/compiler/interp/native/running.h"

namespace kiln::interp {
namespace {

using testing::ElementsAre;

// One thread a warp does what the body says for its warp; `y` has one element a thread.
std::string Kernel(int threads, const std::string& body) {
  return "kernel f(y: out tensor<i32>[N]) launch grid(1) block(" + std::to_string(threads) +
         ") native(y: pointer<i32>) shared 1024 {\n"
         "alloc s: i32[128] in shared.dyn offset 0\n"
         "alloc bars: mbarrier[4] in shared.dyn offset 512\n" +
         body + "\n}";
}

std::vector<double> RunOn(const std::string& text, int n) {
  Array y(DType::kI32, {n});
  RunText(text, {&y});
  return y.values();
}
std::string FaultOn(const std::string& text, int n = 64) {
  Array y(DType::kI32, {n});
  return FaultOf(text, {&y});
}

// Case PIPE-7 C
TEST(MBarriers, AFreshOneHasEndedThePhaseBefore) {
  EXPECT_THAT(RunOn(Kernel(1, R"(
    mbarrier_init(bars, 1, 1)
    mbarrier_wait(bars, 1, 1)
    mbarrier_arrive(bars, 1)
    mbarrier_wait(bars, 1, 0)
    store(y, 0, 7))"),
                    1),
              ElementsAre(7));
}

// Warp 1 makes numbers, warp 0 takes them, over two slots.
constexpr char kRing[] = R"(
    if thread_id == 0 {
      for i in 0 .. 2 {
        mbarrier_init(bars, i, 1)
        mbarrier_init(bars, 2 + i, 1)
      }
    }
    barrier()
    if thread_id == 32 {
      for k in 0 .. 6 {
        mbarrier_wait(bars, 2 + k % 2, 1 - k / 2 % 2)
        store(s, k % 2, 10 * k)
        mbarrier_arrive(bars, k % 2)
      }
    }
    if thread_id == 0 {
      for k in 0 .. 6 {
        mbarrier_wait(bars, k % 2, k / 2 % 2)
        store(y, k, load(s, k % 2))
        mbarrier_arrive(bars, 2 + k % 2)
      }
    })";

TEST(MBarriers, ARingOfTwoSlots) { EXPECT_THAT(RunOn(Kernel(64, kRing), 6), ElementsAre(0, 10, 20, 30, 40, 50)); }

TEST(MBarriers, AProducerThatDoesNotWait) {
  EXPECT_EQ(FaultOn(With(Kernel(64, kRing), "mbarrier_wait(bars, 2 + k % 2, 1 - k / 2 % 2)", "")),
            "22:21: \"s\" byte 0 is read by thread 0 and written by thread 32 with no barrier between (thread 0) (cta "
            "0, 0, 0)");
}

TEST(MBarriers, AConsumerThatDoesNotWait) {
  EXPECT_EQ(FaultOn(With(Kernel(64, kRing), "mbarrier_wait(bars, k % 2, k / 2 % 2)", "")),
            "22:21: \"s\" byte 0 is read, and nothing wrote it (thread 0) (cta 0, 0, 0)");
}

TEST(MBarriers, AConsumerThatDoesNotArriveIsADeadlock) {
  EXPECT_EQ(FaultOn(With(Kernel(64, kRing), "mbarrier_arrive(bars, 2 + k % 2)", "")),
            "21:9: deadlock: thread 0 waits for phase 1 of \"bars\"[0], which misses 1 of 1 arrivals and 0 bytes; "
            "thread 32 waits at mbarrier_wait of \"bars\"[2] parity 0 at 14:9 (cta 0, 0, 0)");
}

TEST(MBarriers, UninitializedOrTwice) {
  EXPECT_EQ(FaultOn(Kernel(1, "mbarrier_arrive(bars, 3)")),
            "4:1: \"bars\"[3] is used, and nothing initialized it (thread 0) (cta 0, 0, 0)");
  EXPECT_EQ(FaultOn(Kernel(1, "mbarrier_wait(bars, 0, 0)")),
            "4:1: \"bars\"[0] is used, and nothing initialized it (thread 0) (cta 0, 0, 0)");
  EXPECT_EQ(FaultOn(Kernel(1, "mbarrier_init(bars, 0, 1)\nmbarrier_init(bars, 0, 1)")),
            "5:1: \"bars\"[0] is initialized again; the first time is at 4:1 (thread 0) (cta 0, 0, 0)");
}

TEST(MBarriers, InitializedByAnotherThreadWithNoBarrier) {
  EXPECT_EQ(
      FaultOn(Kernel(64, "if thread_id == 0 { mbarrier_init(bars, 0, 64) }\nmbarrier_arrive(bars, 0)")),
      "5:1: \"bars\"[0] is used by thread 1 and initialized by thread 0 with no barrier between (thread 1) (cta 0, "
      "0, 0)");
}

TEST(MBarriers, DataInTheirMemory) {
  EXPECT_EQ(FaultOn(With(Kernel(1, "mbarrier_init(bars, 0, 1)\nstore(s, 0, 1)"), "offset 0", "offset 512")),
            "5:1: \"s\" byte 0 is written, and holds a barrier object (thread 0) (cta 0, 0, 0)");
}

TEST(MBarriers, MoreArrivalsThanAPhaseTakes) {
  EXPECT_EQ(
      FaultOn(Kernel(1, "mbarrier_init(bars, 0, 1)\nmbarrier_expect(bars, 0, 64)\nmbarrier_arrive(bars, 0)")),
      "6:1: \"bars\"[0]: more arrivals than the 1 of a phase; phase 0 still waits for 64 bytes (thread 0) (cta 0, "
      "0, 0)");
}

TEST(MBarriers, BytesThatNeverCome) {
  EXPECT_EQ(FaultOn(Kernel(1, "mbarrier_init(bars, 0, 1)\nmbarrier_expect(bars, 0, 64)")),
            "5:1: \"bars\"[0]: phase 0 is short of 64 bytes when the kernel ends (cta 0, 0, 0)");
  EXPECT_EQ(
      FaultOn(Kernel(1, "mbarrier_init(bars, 0, 1)\nmbarrier_expect(bars, 0, 64)\nmbarrier_wait(bars, 0, 0)")),
      "6:1: deadlock: thread 0 waits for phase 0 of \"bars\"[0], which misses 0 of 1 arrivals and 64 bytes (cta 0, "
      "0, 0)");
}

TEST(MBarriers, WhatIsNoOperand) {
  EXPECT_EQ(FaultOn(Kernel(1, "mbarrier_init(s, 0, 1)")),
            "4:1: mbarrier_init: expected a shared tensor of mbarrier, got \"s\"");
  EXPECT_EQ(FaultOn(Kernel(1, "mbarrier_init(bars, 0, 0)")),
            "4:1: mbarrier_init: expected 1 .. 1048575 arrivals, got 0");
  EXPECT_EQ(FaultOn(Kernel(1, "mbarrier_init(bars, 0, 1)\nmbarrier_wait(bars, 0, 2)")),
            "5:1: mbarrier_wait: expected a parity of 0 or 1, got 2 (thread 0) (cta 0, 0, 0)");
  EXPECT_EQ(
      FaultOn(With(Kernel(1, "mbarrier_init(bars, 0, 1)"), "offset 512", "offset 516")),
      "4:1: \"bars\"[0]: a barrier object at byte 516 of shared memory: expected a multiple of 8 (thread 0) (cta 0, "
      "0, 0)");
}

// Warps 0 and 1 exchange through s, as warps 2 and 3 do by another barrier.
constexpr char kPairs[] = R"(
    store(s, thread_id, thread_id)
    if warp_id < 2 {
      named_barrier(1, 64)
    } else {
      named_barrier(2, 64)
    }
    store(y, thread_id, load(s, bitxor(thread_id, 32))))";

TEST(NamedBarriers, OrderTheirParticipants) {
  const std::string text =
      With(Kernel(128, kPairs), "bitxor(thread_id, 32)", "thread_id / 64 * 64 + (thread_id + 32) % 64");
  std::vector<double> y = RunOn(text, 128);
  EXPECT_EQ(y[0], 32);
  EXPECT_EQ(y[127], 95);
}

TEST(NamedBarriers, OrderNobodyElse) {
  const std::string text =
      With(Kernel(128, kPairs), "bitxor(thread_id, 32)", "select(thread_id < 64, thread_id, thread_id - 64)");
  EXPECT_EQ(FaultOn(text, 128),
            "11:25: \"s\" byte 252 is read by thread 127 and written by thread 63 with no barrier between (thread 127) "
            "(cta 0, 0, 0)");
}

TEST(NamedBarriers, TooFewThreads) {
  EXPECT_EQ(FaultOn(Kernel(128, "if warp_id < 3 { named_barrier(1, 128) }")),
            "4:18: deadlock: named_barrier 1 needs 128 threads and has 96: 0..95 (cta 0, 0, 0)");
  EXPECT_EQ(FaultOn(Kernel(128, "if warp_id < 2 { named_barrier(1, 128) } else {\nnamed_barrier(1, 64) }")),
            "5:1: named_barrier 1 is met for 64 threads, and at 4:18 for 128 (thread 64) (cta 0, 0, 0)");
  EXPECT_EQ(FaultOn(Kernel(32, "named_barrier(0, 32)")), "4:1: named_barrier: expected a barrier of 1 .. 15, got 0");
  EXPECT_EQ(FaultOn(Kernel(32, "named_barrier(1, 40)")),
            "4:1: named_barrier: expected whole warps, 32 .. 1024 threads, got 40");
}

TEST(Elect, OneLaneOfEveryWarp) {
  std::vector<double> y = RunOn(Kernel(64, "store(y, thread_id, select(elect(), 1, 0))"), 64);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(y[static_cast<size_t>(t)], t % 32 == 0);
}

TEST(Elect, UnderABranch) {
  EXPECT_EQ(FaultOn(Kernel(32, "if lane_id < 16 {\nif elect() { store(y, 0, 1) } }")),
            "5:4: elect needs all 32 lanes of warp 0; 16 are missing: lanes 16..31 (cta 0, 0, 0)");
}

TEST(SetMaxRegisters, AWarpgroupTogether) {
  EXPECT_EQ(RunOn(Kernel(256,
                         "if thread_id < 128 { set_max_registers(40, false) } else { set_max_registers(232, true) }\n"
                         "store(y, thread_id, 1)"),
                  256)[255],
            1);
  EXPECT_EQ(
      FaultOn(Kernel(128, "if thread_id < 32 { set_max_registers(40, false) }")),
      "4:21: set_max_registers needs all 128 threads of warpgroup 0; 96 are missing: threads 32..127 (cta 0, 0, 0)");
  EXPECT_EQ(FaultOn(Kernel(128, "set_max_registers(41, false)")),
            "4:1: set_max_registers: expected a multiple of 8 of 24 .. 256, got 41");
}

}  // namespace
}  // namespace kiln::interp
