// The copy engine: boxes in and out, swizzles, edges, clusters, and what each misuse says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/compiler/interp/native/running.h"

namespace kiln::interp {
namespace {

using testing::ElementsAre;

// A box of 8 x 8 of x (12 x 16, ramp) at row 2 * TOP, column `at`, to y as it lies in shared memory.
constexpr char kLoad[] = R"(kernel f(x: tensor<f32>[12, 16], y: out tensor<f32>[64]) launch grid(1) block(32)
  native(y: pointer<f32>, x_map: map<f32> of x box (8, 8) swizzle 0) shared 2048 {
    alloc s: f32[64] in shared.dyn offset 0
    alloc full: mbarrier[1] in shared.dyn offset 1024
    if thread_id == 0 {
      mbarrier_init(full, 0, 1)
      fence_barrier_init()
    }
    barrier()
    if thread_id == 0 {
      mbarrier_expect(full, 0, 256)
      tma_load(s, 0, x_map, full, 0, 4, 2)
    }
    mbarrier_wait(full, 0, 0)
    for i in thread_id .. 64 step 32 { store(y, i, load(s, i)) }
  })";

std::vector<double> Loaded(const std::string& text) {
  Array x(DType::kF32, {12, 16}, Ramp(192)), y(DType::kF32, {64});
  RunText(text, {&x, &y});
  return y.values();
}
std::string LoadFault(const std::string& text) {
  Array x(DType::kF32, {12, 16}, Ramp(192)), y(DType::kF32, {64});
  return FaultOf(text, {&x, &y});
}

TEST(TmaLoad, ABox) {
  std::vector<double> y = Loaded(kLoad);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) EXPECT_EQ(y[row * 8 + column], (row + 2) * 16 + column + 4);
}

TEST(TmaLoad, SwizzleOf32BytesTurnsEveryFourthPairOfRows) {
  std::vector<double> y = Loaded(With(kLoad, "swizzle 0", "swizzle 32"));
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int chunk = column / 4 ^ (row / 4 % 2);
      EXPECT_EQ(y[row * 8 + chunk * 4 + column % 4], (row + 2) * 16 + column + 4) << row << " " << column;
    }
  }
}

TEST(TmaLoad, EdgesReadZero) {
  std::vector<double> y = Loaded(With(kLoad, "full, 0, 4, 2)", "full, 0, 12, -2)"));
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(y[row * 8 + column], row < 2 || column >= 4 ? 0 : (row - 2) * 16 + column + 12);
}

TEST(TmaLoad, StridesAndThreeDimensions) {
  std::vector<double> memory = Ramp(2 * 4 * 8);
  Array x(DType::kF32, {2, 4, 8}, memory), y(DType::kF32, {16});
  Tensor strided = x.tensor();
  strided.shape = {2, 2, 8};
  strided.strides = {32, 16, 1};  // Every other row
  ir::Kernel kernel = KernelOf(R"(kernel f(x: tensor<f32>[2, 2, 8], y: out tensor<f32>[16]) launch grid(1) block(1)
    native(y: pointer<f32>, x_map: map<f32> of x box (2, 2, 4) swizzle 0) shared 2048 {
      alloc s: f32[16] in shared.dyn offset 0
      alloc full: mbarrier[1] in shared.dyn offset 1024
      mbarrier_init(full, 0, 1)
      fence_barrier_init()
      mbarrier_expect(full, 0, 64)
      tma_load(s, 0, x_map, full, 0, 4, 0, 0)
      mbarrier_wait(full, 0, 0)
      for i in 0 .. 16 { store(y, i, load(s, i)) }
    })");
  EXPECT_EQ(MessageOf(kernel, {strided, y.tensor()}), "");
  EXPECT_THAT(y.values(), ElementsAre(4, 5, 6, 7, 20, 21, 22, 23, 36, 37, 38, 39, 52, 53, 54, 55));
}

// Case TMA-3 C
TEST(TmaLoad, TensorsTheEngineCannotDescribe) {
  Array x(DType::kF32, {12, 16}), y(DType::kF32, {64});
  auto message = [&](const std::string& text, std::vector<int64_t> strides) {
    Tensor tensor = x.tensor();
    tensor.strides = std::move(strides);
    return MessageOf(KernelOf(text), {tensor, y.tensor()});
  };
  EXPECT_EQ(message(kLoad, {15, 1}),
            "interp: kernel \"f\": tensor map \"x_map\": expected the stride of dim 0 a multiple of 16 bytes, got 60");
  EXPECT_EQ(message(kLoad, {16, 2}),
            "interp: kernel \"f\": tensor map \"x_map\": expected a dense last dimension, got stride 2");
  EXPECT_EQ(message(With(kLoad, "box (8, 8)", "box (8, 6)"), {}),
            "interp: kernel \"f\": tensor map \"x_map\": expected a box row of a multiple of 16 bytes, got 24");
  EXPECT_EQ(message(With(kLoad, "box (8, 8) swizzle 0", "box (4, 16) swizzle 32"), {}),
            "interp: kernel \"f\": tensor map \"x_map\": expected a box row of at most the swizzle's 32 bytes, got 64");
}

TEST(TmaLoadFaults, NoWait) {
  EXPECT_EQ(LoadFault(With(kLoad, "mbarrier_wait(full, 0, 0)", "")),
            "15:52: \"s\" byte 0 is read while an asynchronous copy into it is in flight (thread 0) (cta 0, 0, 0)");
}

TEST(TmaLoadFaults, OneThreadWaitsForAll) {
  EXPECT_EQ(LoadFault(With(kLoad, "mbarrier_wait(full, 0, 0)",
                           "if thread_id == 1 { mbarrier_wait(full, 0, 0) } else { "
                           "mbarrier_wait(full, 0, 1) }")),
            "15:52: \"s\" byte 0 is read while an asynchronous copy into it is in flight (thread 0) (cta 0, 0, 0)");
}

TEST(TmaLoadFaults, ALateReaderThatDidNotWait) {
  // Lane 1 waits first; the bytes are there when the others read them, and they cannot know.
  EXPECT_EQ(LoadFault(With(With(kLoad, "mbarrier_wait(full, 0, 0)", "if thread_id == 0 { mbarrier_wait(full, 0, 0) }"),
                           "for i in thread_id .. 64", "let late = shfl(1.0, 0)\nfor i in thread_id .. 64")),
            "16:48: \"s\" byte 4 is read by thread 1 and written by the tma_load at 12:7, which it has not waited for "
            "(thread 1) (cta 0, 0, 0)");
}

TEST(TmaLoadFaults, BytesThatDoNotAddUp) {
  EXPECT_EQ(LoadFault(With(kLoad, "256", "128")),
            "12:7: \"full\"[0]: 128 bytes more than phase 0 expects (cta 0, 0, 0)");
  EXPECT_EQ(LoadFault(With(kLoad, "256", "512")),
            "14:5: deadlock: threads 0..31 wait for phase 0 of \"full\"[0], which misses 0 of 1 arrivals and 256 bytes "
            "(cta 0, 0, 0)");
}

TEST(TmaLoadFaults, MisalignedTarget) {
  EXPECT_EQ(LoadFault(With(kLoad, "s: f32[64] in shared.dyn offset 0", "s: f32[64] in shared.dyn offset 64")),
            "12:7: \"s\": an access of 128 bytes at byte 0 of the tensor is misaligned by 64 (thread 0) (cta 0, 0, 0)");
  EXPECT_EQ(
      LoadFault(With(With(kLoad, "s: f32[64] in shared.dyn offset 0", "s: f32[64] in shared.dyn offset 128"),
                     "swizzle 0", "swizzle 32")),
      "12:7: \"s\": an access of 256 bytes at byte 0 of the tensor is misaligned by 128 (thread 0) (cta 0, 0, 0)");
}

TEST(TmaLoadFaults, BarrierNotFenced) {
  EXPECT_EQ(
      LoadFault(With(kLoad, "      fence_barrier_init()\n", "")),
      "11:7: \"full\"[0] is initialized by thread 0 with no fence_barrier_init behind it (thread 0) (cta 0, 0, 0)");
}

TEST(TmaLoadFaults, NobodyWaits) {
  std::string text = kLoad;
  text = With(text, "    mbarrier_wait(full, 0, 0)\n", "");
  text = With(text, "    for i in thread_id .. 64 step 32 { store(y, i, load(s, i)) }\n", "");
  EXPECT_EQ(
      LoadFault(text),
      "12:7: tma_load: its bytes are still on their way when the kernel ends; nobody waits for them (cta 0, 0, 0)");
}

TEST(TmaLoadFaults, OverWhatIsStillRead) {
  // Loads again while other lanes may still read.
  const std::string again = R"(mbarrier_wait(full, 0, 0)
    let mine = load(s, thread_id)
    if thread_id == 31 {
      mbarrier_expect(full, 0, 256)
      tma_load(s, 0, x_map, full, 0, 0, 0)
    }
    mbarrier_wait(full, 0, 1))";
  EXPECT_EQ(
      LoadFault(With(kLoad, "mbarrier_wait(full, 0, 0)", again)),
      "18:7: \"s\" byte 0 of the box is written by thread 31 and read by thread 0 with no barrier between (thread "
      "31) (cta 0, 0, 0)");
}

// y, a box of 8 x 8 at column 12, row -2, from what the threads wrote.
constexpr char kStore[] = R"(kernel f(y: out tensor<f32>[12, 16]) launch grid(1) block(32)
  native(y_map: map<f32> of y box (8, 8) swizzle 32) shared 2048 {
    alloc s: f32[64] in shared.dyn offset 0
    for i in thread_id .. 64 step 32 { store(s, i, f32(i + 1)) }
    fence_proxy_async()
    barrier()
    if thread_id == 0 {
      tma_store(y_map, s, 0, 12, -2)
      bulk_commit()
      bulk_wait_read(0)
    }
    barrier()
    store(s, thread_id, 99.0)
    if thread_id == 0 { bulk_wait(0) }
  })";

std::vector<double> Stored(const std::string& text) {
  Array y(DType::kF32, {12, 16}, std::vector<double>(192, -1));
  RunText(text, {&y});
  return y.values();
}
std::string StoreFault(const std::string& text) {
  Array y(DType::kF32, {12, 16}, std::vector<double>(192, -1));
  return FaultOf(text, {&y});
}

TEST(TmaStore, EdgesAreNotWritten) {
  std::vector<double> y = Stored(kStore);
  for (int row = 0; row < 12; ++row) {
    for (int column = 0; column < 16; ++column) {
      const int r = row + 2, c = column - 12;
      const int chunk = c / 4 ^ (r / 4 % 2);
      EXPECT_EQ(y[row * 16 + column], r < 8 && c >= 0 ? r * 8 + chunk * 4 + c % 4 + 1 : -1) << row << " " << column;
    }
  }
}

// Case ASYNC-5 C
TEST(TmaStoreFaults, NoProxyFence) {
  EXPECT_EQ(StoreFault(With(kStore, "    fence_proxy_async()\n", "")),
            "7:7: \"s\" byte 0 of the box is read by the tma_store at 7:7 and written by thread 0 with no "
            "fence_proxy_async between (thread 0) (cta 0, 0, 0)");
}

TEST(TmaStoreFaults, AFenceBeforeTheWrite) {
  std::string text = With(kStore, "    fence_proxy_async()\n", "");
  text = With(text, "    for i in thread_id", "    fence_proxy_async()\n    for i in thread_id");
  EXPECT_EQ(StoreFault(text),
            "8:7: \"s\" byte 0 of the box is read by the tma_store at 8:7 and written by thread 0 with no "
            "fence_proxy_async between (thread 0) (cta 0, 0, 0)");
}

TEST(TmaStoreFaults, NoBarrierBehindTheFence) {
  EXPECT_EQ(StoreFault(With(kStore, "    fence_proxy_async()\n    barrier()\n", "    fence_proxy_async()\n")),
            "7:7: \"s\" byte 0 of the box is read, and nothing wrote it (thread 0) (cta 0, 0, 0)");
}

TEST(TmaStoreFaults, OverwrittenBeforeTheWait) {
  EXPECT_EQ(StoreFault(With(kStore, "      bulk_wait_read(0)\n", "")),
            "12:5: \"s\" byte 0 is written by thread 0 and read by the tma_store at 8:7, which it has not waited for "
            "(thread 0) (cta 0, 0, 0)");
  EXPECT_EQ(StoreFault(With(kStore, "bulk_wait_read(0)\n    }\n    barrier()", "bulk_wait_read(0)\n    }")),
            "12:5: \"s\" byte 4 is written by thread 1 and read by the tma_store at 8:7, which it has not waited for "
            "(thread 1) (cta 0, 0, 0)");
}

TEST(TmaStoreFaults, LeftBehind) {
  std::string text = With(kStore, "      bulk_wait_read(0)\n", "");
  text = With(text, "    store(s, thread_id, 99.0)\n    if thread_id == 0 { bulk_wait(0) }\n", "");
  EXPECT_EQ(
      StoreFault(text),
      "8:7: tma_store may still read shared memory when the CTA ends: a bulk_wait_read is missing (thread 0) (cta "
      "0, 0, 0)");
  EXPECT_EQ(StoreFault(With(text, "      bulk_commit()\n", "")),
            "8:7: tma_store is in no group when the CTA ends: a bulk_commit is missing (thread 0) (cta 0, 0, 0)");
}

// Each CTA of a cluster of two loads half of x and hands it to both, twice over one slot.
constexpr char kMulticast[] =
    R"(kernel f(x: tensor<i32>[8, 32], y: out tensor<i32>[4, 128]) launch grid(2) block(64) cluster(2)
  native(y: pointer<i32>, x_map: map<i32> of x box (2, 32) swizzle 0) shared 2048 {
    alloc s: i32[128] in shared.dyn offset 0
    alloc full: mbarrier[1] in shared.dyn offset 1024
    alloc empty: mbarrier[1] in shared.dyn offset 1032
    if thread_id == 0 {
      mbarrier_init(full, 0, 1)
      mbarrier_init(empty, 0, 2)
      fence_barrier_init()
    }
    cluster_barrier()
    if thread_id == 0 {
      for k in 0 .. 2 {
        mbarrier_wait(empty, 0, 1 - k)
        mbarrier_expect(full, 0, 512)
        tma_load_multicast(s, cta_rank * 64, x_map, full, 0, 3, 0, k * 4 + cta_rank * 2)
      }
    }
    if warp_id == 1 {
      for k in 0 .. 2 {
        mbarrier_wait(full, 0, k)
        for i in lane_id .. 128 step 32 { store(y, (k * 2 + cta_rank) * 128 + i, load(s, i)) }
        warp_barrier()
        if lane_id < 2 { mbarrier_arrive_at(empty, 0, lane_id) }
      }
    }
    cluster_barrier()
  })";

TEST(Clusters, MulticastReachesEveryCta) {
  Array x(DType::kI32, {8, 32}, Ramp(256)), y(DType::kI32, {4, 128});
  RunText(kMulticast, {&x, &y});
  std::vector<double> values = y.values();
  for (int k = 0; k < 2; ++k) {
    for (int rank = 0; rank < 2; ++rank) {
      for (int i = 0; i < 128; ++i) {
        const int row = i / 32, column = i % 32;
        EXPECT_EQ(values[(k * 2 + rank) * 128 + i], (k * 4 + row) * 32 + column) << k << rank << i;
      }
    }
  }
}

std::string ClusterFault(const std::string& text) {
  Array x(DType::kI32, {8, 32}, Ramp(256)), y(DType::kI32, {4, 128});
  return FaultOf(text, {&x, &y});
}

// Case ASYNC-10 C
TEST(ClusterFaults, TheOtherCtaStillFillsItsSlot) {
  // Each CTA tells itself alone that the slot is free.
  std::string text = With(kMulticast, "if lane_id < 2 { mbarrier_arrive_at(empty, 0, lane_id) }",
                          "if lane_id < 2 { mbarrier_arrive_at(empty, 0, cta_rank) }");
  EXPECT_EQ(ClusterFault(text),
            "16:9: \"s\" byte 0 of the box is written while an asynchronous copy into it is in flight (thread 0) (cta "
            "0, 0, 0)");
}

TEST(ClusterFaults, ACtaThatIsNotThere) {
  EXPECT_EQ(ClusterFault(With(kMulticast, "full, 0, 3, 0", "full, 0, 5, 0")),
            "16:9: tma_load_multicast: expected a mask of the cluster's 2 CTAs, got 5 (thread 0) (cta 0, 0, 0)");
  EXPECT_EQ(ClusterFault(
                With(kMulticast, "mbarrier_arrive_at(empty, 0, lane_id)", "mbarrier_arrive_at(empty, 0, lane_id * 2)")),
            "24:26: mbarrier_arrive_at: CTA 2 is outside the cluster's 2 (thread 33) (cta 0, 0, 0)");
}

TEST(ClusterFaults, OneCtaSkipsTheBarrier) {
  EXPECT_EQ(
      ClusterFault("kernel f(x: tensor<i32>[8, 32], y: out tensor<i32>[4, 128]) launch grid(2) block(32) cluster(2)\n"
                   "native(y: pointer<i32>) {\nif cta_rank == 0 {\ncluster_barrier() } }"),
      "4:1: cluster_barrier needs all CTAs of the cluster; some are not there (cta 0, 0, 0)");
}

TEST(Clusters, ALaunchOfWholeClusters) {
  Array x(DType::kI32, {8, 32}), y(DType::kI32, {4, 128});
  EXPECT_EQ(MessageOf(KernelOf(With(kMulticast, "grid(2)", "grid(3)")), {x.tensor(), y.tensor()}),
            "interp: kernel \"f\": launch: grid dimension 0: expected a multiple of the cluster's 2, got 3");
}

TEST(Clusters, APersistentGridIsWholeClusters) {
  Array y(DType::kI32, {8});
  ir::Kernel kernel = KernelOf(
      "kernel f(y: out tensor<i32>[8]) launch persistent block(1) cluster(2)\nnative(y: pointer<i32>) {\n"
      "for t in cta_id.x .. 8 step grid.x { store(y, t, i32(cta_id.x * 10 + cta_rank)) } }");
  EXPECT_EQ(MessageOf(kernel, {y.tensor()}), "");
  EXPECT_THAT(y.values(), ElementsAre(0, 11, 20, 31, 0, 11, 20, 31));
  EXPECT_EQ(MessageOf(kernel, {y.tensor()}, {.persistent_grid = 3}), "");
  EXPECT_THAT(y.values(), ElementsAre(0, 11, 0, 11, 0, 11, 0, 11));
}

}  // namespace
}  // namespace kiln::interp
