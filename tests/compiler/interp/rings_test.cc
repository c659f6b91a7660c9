// Rings between one thread that fills their slots and all that read them, and what each misuse says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/support/str_cat.h"
#include "tests/compiler/interp/testing.h"

namespace kiln::interp {
namespace {

using testing::ElementsAre;

// Four steps through two slots of four elements; b = a doubled. `step` is the body that follows the pop.
std::string Doubling(const std::string& step) {
  return StrCat(R"(kernel f(a: tensor<i32>[16], b: out tensor<i32>[16]) launch grid(1) block(32) {
  ring r[2] in shared { alloc t: i32[2, 4] in shared }
  if thread_id == 0 {
    for i in 0 .. 2 {
      let w = r.push()
      thread.copy_async(t[w, :], a[i * 4 +: 4]) via tma
    }
  }
  for k in 0 .. 4 {
    let s = r.pop()
)",
                step, R"(
    if thread_id == 0 and k + 2 < 4 {
      let w = r.push()
      thread.copy_async(t[w, :], a[(k + 2) * 4 +: 4]) via tma
    }
  }
}
)");
}

std::string DoublingError(const std::string& step) {
  Array a(DType::kI32, {16}, std::vector<double>(16, 1)), b(DType::kI32, {16});
  return MessageOf(KernelOf(Doubling(step)), {a.tensor(), b.tensor()});
}

constexpr char kRead[] = "    cta.copy(b[k * 4 +: 4], t[s, :] + t[s, :])\n";

TEST(Rings, SlotsGoAroundInOrder) {
  Array a(DType::kI32, {16}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}), b(DType::kI32, {16});
  ASSERT_EQ(MessageOf(KernelOf(Doubling(StrCat(kRead, "    r.release()"))), {a.tensor(), b.tensor()}), "");
  EXPECT_THAT(b.values(), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32));
}

TEST(Rings, AMissingReleaseIsADeadlockThatNamesWhoHoldsTheSlot) {
  EXPECT_EQ(DoublingError(kRead),
            "interp: kernel \"f\": 14:15: deadlock: thread 0 waits at r.push at 14:15 for slot 0, which threads 0..31 "
            "have not released; threads 1..31 wait at cta.copy at 11:5 for the rest of its team (cta 0, 0, 0)");
}

TEST(Rings, AReleaseByHalfOfTheThreadsNamesTheOthers) {
  EXPECT_EQ(DoublingError(StrCat(kRead, "    if thread_id < 16 { r.release() }")),
            "interp: kernel \"f\": 14:15: deadlock: thread 0 waits at r.push at 14:15 for slot 0, which threads 16..31 "
            "have not released; threads 1..31 wait at cta.copy at 11:5 for the rest of its team (cta 0, 0, 0)");
}

// Case ASYNC-8 C
TEST(Rings, APopThatNothingPushesNamesTheSlot) {
  Array a(DType::kI32, {4}, {1, 2, 3, 4}), b(DType::kI32, {4});
  EXPECT_EQ(MessageOf(KernelOf(R"(kernel f(a: tensor<i32>[4], b: out tensor<i32>[4]) launch grid(1) block(32) {
  ring r[2] in shared { alloc t: i32[2, 4] in shared }
  let s = r.pop()
  cta.copy(b, t[s, :])
})"),
                      {a.tensor(), b.tensor()}),
            "interp: kernel \"f\": 3:11: deadlock: threads 0..31 wait at r.pop at 3:11 for slot 0, which nothing has "
            "pushed (cta 0, 0, 0)");
}

TEST(Rings, ASlotIsFullWhenCopiesOfAllItsBytesAreIssued) {
  Array a(DType::kI32, {4}, {1, 2, 3, 4}), b(DType::kI32, {4});
  auto kernel = [](const std::string& copies) {
    return KernelOf(StrCat(R"(kernel f(a: tensor<i32>[4], b: out tensor<i32>[4]) launch grid(1) block(32) {
  ring r[1] in shared { alloc t: i32[1, 4] in shared }
  if thread_id == 0 {
    let w = r.push()
)",
                           copies, R"(
  }
  let s = r.pop()
  cta.copy(b, t[s, :])
})"));
  };
  EXPECT_EQ(
      MessageOf(kernel("    thread.copy_async(t[w, 0 +: 2], a[0 +: 2]) via tma"), {a.tensor(), b.tensor()}),
      "interp: kernel \"f\": 7:11: deadlock: threads 0..31 wait at r.pop at 7:11 for slot 0, whose copies bring 8 "
      "of 16 bytes (cta 0, 0, 0)");
  // A box that reaches over the tensor's edge brings its zeros.
  EXPECT_EQ(MessageOf(kernel("    thread.copy_async(t[w, :], a[2 +: 4]) via tma"), {a.tensor(), b.tensor()}), "");
  EXPECT_THAT(b.values(), ElementsAre(3, 4, 0, 0));
  EXPECT_EQ(MessageOf(kernel("    thread.copy_async(t[w, :], a) via tma\n    thread.copy_async(t[w, :], a) via tma"),
                      {a.tensor(), b.tensor()}),
            "interp: kernel \"f\": 6:5: ring \"r\": a copy of 16 bytes into slot 0, which awaits 0; a push lets a slot "
            "await 16 (thread 0) (cta 0, 0, 0)");
}

TEST(Rings, ASlotIsNotReadBeforeItsPop) {
  EXPECT_EQ(DoublingError("    cta.copy(b[k * 4 +: 4], t[1 - s, :])\n    r.release()"),
            "interp: kernel \"f\": 11:29: \"t\": thread 0 touches slot 1 of ring \"r\", which it has not popped (the "
            "CTA) (cta 0, 0, 0)");
}

TEST(Rings, ASlotIsNotReadAfterItsRelease) {
  EXPECT_EQ(DoublingError(StrCat("    r.release()\n", kRead)),
            "interp: kernel \"f\": 12:29: \"t\": thread 0 touches slot 0 of ring \"r\", which it has released (the "
            "CTA) (cta 0, 0, 0)");
}

TEST(Rings, AReleaseNeedsAPoppedSlot) {
  EXPECT_EQ(DoublingError(StrCat(kRead, "    r.release()\n    r.release()")),
            "interp: kernel \"f\": 13:5: ring \"r\": a release without a popped slot (thread 0) (cta 0, 0, 0)");
}

TEST(Rings, OneThreadPushes) {
  Array a(DType::kI32, {4}), b(DType::kI32, {4});
  EXPECT_EQ(MessageOf(KernelOf(R"(kernel f(a: tensor<i32>[4], b: out tensor<i32>[4]) launch grid(1) block(32) {
  ring r[1] in shared { alloc t: i32[1, 4] in shared }
  let w = r.push()
})"),
                      {a.tensor(), b.tensor()}),
            "interp: kernel \"f\": 3:11: ring \"r\": slot 0 is pushed by a second thread; one thread fills a ring "
            "(thread 1) (cta 0, 0, 0)");
}

// c = a * b of 2x2 tiles over two steps, a product in flight at a time.
std::string Product(const std::string& after_issue, const std::string& after_loop) {
  return StrCat(
      R"(kernel f(a: tensor<f32>[2, 4], b: tensor<f32>[4, 2], c: out tensor<f32>[2, 2]) launch grid(1) block(128) {
  ring r[2] in shared {
    alloc at: f32[2, 2, 2] in shared
    alloc bt: f32[2, 2, 2] in shared
  }
  alloc acc: f32[2, 2] in local = 0.0
  if thread_id == 0 {
    for i in 0 .. 2 {
      let w = r.push()
      thread.copy_async(at[w, :, :], a[:, i * 2 +: 2]) via tma
      thread.copy_async(bt[w, :, :], b[i * 2 +: 2, :]) via tma
    }
  }
  for k in 0 .. 2 {
    let s = r.pop()
    cta.gemm_async(acc, at[s, :, :], bt[s, :, :])
)",
      after_issue, "\n  }\n", after_loop, "\n  cta.copy(c, acc)\n}\n");
}

std::string RunProduct(const std::string& after_issue, const std::string& after_loop, Array& c) {
  Array a(DType::kF32, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), b(DType::kF32, {4, 2}, {1, 0, 0, 1, 1, 1, 2, -1});
  return MessageOf(KernelOf(Product(after_issue, after_loop)), {a.tensor(), b.tensor(), c.tensor()});
}

constexpr char kOneInFlight[] = "    cta.wait_gemm(pending = 1)\n    if k > 0 { r.release() }";

TEST(Products, OneInFlightGivesTheSum) {
  Array c(DType::kF32, {2, 2});
  ASSERT_EQ(RunProduct(kOneInFlight, "  cta.wait_gemm(pending = 0)\n  r.release()", c), "");
  EXPECT_THAT(c.values(), ElementsAre(12, 1, 28, 5));
}

TEST(Products, AResultIsNotReadBeforeItsWait) {
  Array c(DType::kF32, {2, 2});
  EXPECT_EQ(RunProduct(kOneInFlight, "  cta.wait_gemm(pending = 1)", c),
            "interp: kernel \"f\": 21:15: \"acc\" is read while a product into it is in flight (the CTA) (cta 0, 0, "
            "0)");
}

TEST(Products, AnAccumulatorIsNotWrittenBeforeItsWait) {
  Array c(DType::kF32, {2, 2});
  EXPECT_EQ(RunProduct("    acc = 0.0\n    cta.wait_gemm(pending = 0)\n    r.release()", "", c),
            "interp: kernel \"f\": 17:5: \"acc\" is written while a product into it is in flight (the CTA) (cta 0, 0, "
            "0)");
}

TEST(Products, AnOperandIsReadAsLateAsTheWait) {
  Array c(DType::kF32, {2, 2});
  EXPECT_EQ(RunProduct("    r.release()\n    cta.wait_gemm(pending = 0)", "", c),
            "interp: kernel \"f\": 18:5: \"at\": thread 0 touches slot 0 of ring \"r\", which it has released, in the "
            "cta.gemm_async of 16:5 (the CTA) (cta 0, 0, 0)");
  EXPECT_EQ(RunProduct("    cta.fill(at[s, :, :], 9.0)\n    cta.wait_gemm(pending = 0)\n    r.release()", "", c),
            "interp: kernel \"f\": 18:5: \"at\" has changed before the wait for the product that reads it, in the "
            "cta.gemm_async of 16:5 (the CTA) (cta 0, 0, 0)");
}

}  // namespace
}  // namespace kiln::interp
