// Ops on the fake device: which member runs, what is made once, what a miss may do.
#include "api/op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api/documents.h"
#include "tests/api/call_args.h"

namespace kiln::api {
namespace {

constexpr char kText[] = R"(
kernel wide(x: tensor<f32>[N], y: out tensor<f32>[N])
  where N: dynamic
  launch grid(ceildiv(N, 1024)) block(256)
{
  let i = cta_id.x * 1024
  cta.copy(y[i +: 1024], x[i +: 1024])
}

kernel narrow(x: tensor<f32>[N], y: out tensor<f32>[N])
  where N: dynamic
  launch grid(ceildiv(N, 32)) block(32)
{
  let i = cta_id.x * 32
  cta.copy(y[i +: 32], x[i +: 32])
}

op copy { wide when target cpu and N >= 4096, narrow generic }
op never { wide when target sm_90a }
)";

class OpTest : public ::testing::Test {
 protected:
  OpTest() {
    Options options;
    options.fake_devices = 2;
    session = std::make_shared<Session>(options);
    module = std::make_shared<const ir::Module>(ModuleFromText(kText, "copy.kiln").value());
  }

  std::shared_ptr<Op> Find(const std::string& name, OpOptions options = {}) const {
    return Op::Create(session, module, name, std::move(options)).value();
  }

  std::shared_ptr<Session> session;
  std::shared_ptr<const ir::Module> module;
};

struct Pair {
  explicit Pair(int64_t n, int32_t device = 0) : x(DType::kF32, {n}), y(DType::kF32, {n}) {
    x.On(KILN_DEVICE_FAKE, device);
    y.On(KILN_DEVICE_FAKE, device);
  }
  std::vector<kiln_arg> args() const { return {x.arg(), y.arg()}; }
  TestTensor x, y;
};

TEST_F(OpTest, TheFirstMemberWhoseConditionsHoldRuns) {
  const auto op = Find("copy");
  const Pair small(100), large(5000);
  EXPECT_EQ((*op->Prepare(small.args()))->description().kernel, "narrow");
  EXPECT_EQ((*op->Prepare(large.args()))->description().kernel, "wide");
  EXPECT_TRUE(op->Launch(nullptr, small.args()).ok());
  EXPECT_TRUE(op->Launch(nullptr, large.args()).ok());
  EXPECT_EQ(op->loaded(), 2u);
  EXPECT_EQ(session->metrics().launches.Get(), 2u);
}

TEST_F(OpTest, NoMember) {
  const Pair large(5000);
  const absl::Status status = Find("never")->Launch(nullptr, large.args());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(), "arguments: op \"never\": no member is for these arguments and this target");
}

TEST_F(OpTest, OneKernelADevice) {
  const auto op = Find("narrow");
  const Pair first(64, 0), second(64, 1);
  ASSERT_TRUE(op->Launch(nullptr, first.args()).ok());
  ASSERT_TRUE(op->Launch(nullptr, second.args()).ok());
  EXPECT_EQ(op->loaded(), 2u);
  EXPECT_EQ(session->metrics().loads, 2u);
  // The binary is the same; only the first had to be compiled.
  EXPECT_EQ(session->metrics().compiles, 1u);
}

TEST_F(OpTest, ManyFactsManyKernels) {
  // Addresses 4, 8 and 16 bytes apart, for two tensors: nine kinds of calls.
  const auto op = Find("narrow");
  std::vector<std::shared_ptr<const Executable>> seen;
  for (const uint64_t x_shift : {0, 4, 8})
    for (const uint64_t y_shift : {0, 4, 8}) {
      Pair pair(64);
      pair.x.ShiftedBy(x_shift);
      pair.y.ShiftedBy(y_shift);
      ASSERT_TRUE(op->Launch(nullptr, pair.args()).ok());
      seen.push_back(*op->Prepare(pair.args()));
    }
  EXPECT_EQ(op->loaded(), 9u);
  for (size_t i = 0; i < seen.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(seen[i], seen[j]);
}

TEST_F(OpTest, PrepareLaterGivesWhatLaunchRuns) {
  const auto op = Find("narrow", {.settings = {}, .compile_on_miss = false});
  Pair pair(64);
  EXPECT_EQ(
      op->Launch(nullptr, pair.args()).message(),
      "launch: op \"narrow\": no kernel is loaded for fake:0; x dense, 16-byte aligned; y dense, 16-byte aligned, "
      "and compiling on a miss is turned off");
  pair.x.tensor.data = nullptr;
  pair.y.tensor.data = nullptr;
  const auto future = op->PrepareLater(pair.args());
  ASSERT_TRUE(future.ok()) << future.status();
  const auto executable = (*future)->Wait(absl::InfiniteDuration());
  ASSERT_TRUE(executable.ok()) << executable.status();
  const Pair again(64);
  EXPECT_TRUE(op->Launch(nullptr, again.args()).ok());
  EXPECT_EQ(*op->Prepare(again.args()), *executable);
}

TEST_F(OpTest, ThreadsThatMissTogetherMakeOne) {
  const auto op = Find("wide");
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      const Pair pair(64);
      for (int i = 0; i < 100; ++i) failures += !op->Launch(nullptr, pair.args()).ok();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(session->metrics().loads, 1u);
  EXPECT_EQ(session->metrics().launches.Get(), 800u);
}

TEST_F(OpTest, AnUnpreparedDeviceIsNamed) {
  const Pair elsewhere(64, 7);
  const absl::Status status = Find("narrow")->Launch(nullptr, elsewhere.args());
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), ::testing::StartsWith("device: no fake:7; there is cpu, "));
}

}  // namespace
}  // namespace kiln::api
