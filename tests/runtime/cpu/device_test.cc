#include "runtime/cpu/device.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "compiler/codegen/llvm/emit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/compiler/codegen/llvm/host_kernel.h"

namespace kiln::runtime {
namespace {

using ::testing::HasSubstr;

// y[64 c + i] = x[64 c + i] * s for CTA c, staged through a tile in scratch.
Artifact StagedScale(const std::string& name, float factor) {
  ir::TensorDecl tile;
  tile.name = "t";
  tile.dtype.dtype = DType::kF32;
  tile.shape = {Int(64)};
  tile.offset = 0;
  Expr i = Var("i");
  Expr at = Var("cta_id.x") * Int(64) + i;
  ir::Kernel kernel;
  kernel.name = name;
  kernel.native = true;
  kernel.native_params = {{ir::NativeParam::Kind::kPointer, "x", DType::kF32},
                          {ir::NativeParam::Kind::kPointer, "y", DType::kF32}};
  kernel.scratch_bytes = 256;
  kernel.body = {
      ir::Alloc(tile),
      ir::For("i", Int(0), Int(64), {ir::Store(Var("t"), i, Load(Var("x"), at, 4))}, ir::LoopKind::kSerial, Int(4)),
      ir::For("i", Int(0), Int(64), {ir::Store(Var("y"), at, Load(Var("t"), i, 4) * Float(factor))},
              ir::LoopKind::kSerial, Int(4))};
  Artifact artifact;
  Source source = EmitLlvm(kernel, kiln::testing::Host()).value();
  CompileOptions options;
  options.arch = kiln::testing::Host().arch;
  artifact.kind = TargetKind::kCpu;
  artifact.arch = options.arch;
  artifact.kernel = name;
  artifact.entry = source.entry;
  artifact.binary = kiln::testing::Llvm().Compile(source, options).value().binary;
  artifact.args = {{"x", true, DType::kF32, 1, false}, {"y", true, DType::kF32, 1, true}};
  artifact.recipe.grid[0] = {{RecipeOp::kDim, 0, 0, 0}, {RecipeOp::kConst, 0, 0, 64}, {RecipeOp::kCeilDiv, 0, 0, 0}};
  artifact.recipe.scratch_bytes = 256;
  RecipeParam x, y;
  y.arg = 1;
  artifact.recipe.params = {x, y};
  return artifact;
}

Arg TensorOf(std::vector<float>& data, const int64_t* shape) {
  Arg arg;
  arg.tensor.data = data.data();
  arg.tensor.shape = shape;
  arg.tensor.rank = 1;
  arg.tensor.dtype = DType::kF32;
  return arg;
}

std::shared_ptr<Device> Cpu(int threads) { return cpu::CreateDevice({threads, nullptr, ""}).value(); }

TEST(CpuDevice, RunsEveryCtaOfAGrid) {
  std::shared_ptr<Device> device = Cpu(3);
  auto kernel = device->Load(StagedScale("scale", 3)).value();
  constexpr int64_t kCount = 64 * 100;
  std::vector<float> x(kCount), y(kCount);
  for (int64_t i = 0; i < kCount; ++i) x[i] = static_cast<float>(i);
  Arg args[] = {TensorOf(x, &kCount), TensorOf(y, &kCount)};
  ASSERT_TRUE(kernel->Launch(nullptr, args).ok());
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(y[i], 3 * x[i]) << i;
}

// Case SHAPE-1 C
TEST(CpuDevice, AnEmptyGridIsSuccess) {
  auto kernel = Cpu(1)->Load(StagedScale("scale", 3)).value();  // Outlives its device
  std::vector<float> none;
  constexpr int64_t kCount = 0;
  Arg args[] = {TensorOf(none, &kCount), TensorOf(none, &kCount)};
  EXPECT_TRUE(kernel->Launch(nullptr, args).ok());
}

// Two kernels with tiles in scratch, launched from 16 threads at once: storage is never shared.
TEST(CpuDevice, TiledKernelsAreReentrant) {
  std::shared_ptr<Device> device = Cpu(4);
  auto twice = device->Load(StagedScale("twice", 2)).value();
  auto thrice = device->Load(StagedScale("thrice", 3)).value();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&, t] {
      constexpr int64_t kCount = 256;
      std::vector<float> x(kCount, static_cast<float>(t + 1)), y(kCount);
      Arg args[] = {TensorOf(x, &kCount), TensorOf(y, &kCount)};
      for (int round = 0; round < 1000; ++round) {
        bool odd = round % 2;
        if (!(odd ? thrice : twice)->Launch(nullptr, args).ok()) wrong.fetch_add(1);
        for (float value : y)
          if (value != static_cast<float>((odd ? 3 : 2) * (t + 1))) wrong.fetch_add(1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

#if defined(__x86_64__)
// Case CPU-5 C
// Subnormals survive whatever mode the caller runs in, and the caller keeps its mode.
TEST(CpuDevice, FloatModeIsTheKernelsOwn) {
  auto kernel = Cpu(2)->Load(StagedScale("half", 0.5f)).value();
  constexpr int64_t kCount = 64 * 32;
  std::vector<float> x(kCount, 1e-39f), y(kCount);
  Arg args[] = {TensorOf(x, &kCount), TensorOf(y, &kCount)};
  uint32_t saved = _mm_getcsr();
  uint32_t flushing = saved | 0x8040;
  _mm_setcsr(flushing);
  absl::Status status = kernel->Launch(nullptr, args);
  uint32_t after = _mm_getcsr();
  _mm_setcsr(saved);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(after & 0xFFC0, flushing & 0xFFC0);
  for (float value : y) ASSERT_EQ(value, 1e-39f * 0.5f);
}
#endif

TEST(CpuDevice, RefusesWhatItCannotRun) {
  std::shared_ptr<Device> device = Cpu(1);
  Artifact artifact = StagedScale("scale", 3);
  Artifact wide = artifact;
  wide.arch += "+warp-drive";
  EXPECT_EQ(
      device->Load(wide).status(),
      absl::FailedPreconditionError("load: kernel \"scale\": compiled for features that this CPU lacks: warp-drive"));
  Artifact other = artifact;
  other.kind = TargetKind::kCuda;
  other.arch = "sm_90a";
  EXPECT_EQ(
      device->Load(other).status(),
      absl::FailedPreconditionError("load: kernel \"scale\": expected an artifact for the CPU, found one for sm_90a"));
  Artifact damaged = artifact;
  damaged.binary.resize(damaged.binary.size() / 2);
  EXPECT_EQ(device->Load(damaged).status().code(), absl::StatusCode::kInternal);
  Artifact lost = artifact;
  lost.entry = "absent";
  EXPECT_THAT(std::string(device->Load(lost).status().message()), HasSubstr("absent"));
}

class Inline : public Parallel {
 public:
  int width() const override { return 1; }
  void For(int64_t count, int64_t, Body body, void* context) override {
    ++calls;
    body(context, 0, count);
  }
  int calls = 0;
};

TEST(CpuDevice, AnEngineLendsItsThreads) {
  Inline threads;
  std::shared_ptr<Device> device = cpu::CreateDevice({0, &threads, ""}).value();
  auto kernel = device->Load(StagedScale("scale", 3)).value();
  constexpr int64_t kCount = 128;
  std::vector<float> x(kCount, 2), y(kCount);
  Arg args[] = {TensorOf(x, &kCount), TensorOf(y, &kCount)};
  ASSERT_TRUE(kernel->Launch(nullptr, args).ok());
  EXPECT_EQ(threads.calls, 1);
  EXPECT_EQ(y, std::vector<float>(kCount, 6));
}

TEST(CpuDevice, AnotherNumberOfArgumentsIsAnError) {
  std::shared_ptr<Device> device = Cpu(1);
  auto kernel = device->Load(StagedScale("scale", 3)).value();
  constexpr int64_t kCount = 64;
  std::vector<float> x(kCount);
  Arg args[] = {TensorOf(x, &kCount)};
  EXPECT_EQ(kernel->Launch(nullptr, args),
            absl::InvalidArgumentError("launch: kernel \"scale\": expected 2 arguments, found 1"));
}

TEST(CpuDevice, RefusesAMalformedRecipe) {
  std::shared_ptr<Device> device = Cpu(1);
  Artifact artifact = StagedScale("scale", 3);
  artifact.recipe.grid[0][0].index = 3;
  EXPECT_EQ(device->Load(artifact).status(),
            absl::InvalidArgumentError("launch recipe: grid 0: dimension 3 of argument 0 (x) of rank 1"));
}

}  // namespace
}  // namespace kiln::runtime
