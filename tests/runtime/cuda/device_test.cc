#include "runtime/cuda/device.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/cuda/memory.h"
#include "tests/runtime/cuda/fake_driver.h"

namespace kiln::runtime::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

Artifact Scale() {
  Artifact artifact;
  artifact.kind = TargetKind::kCuda;
  artifact.arch = "sm_90a";
  artifact.kernel = "scale";
  artifact.entry = "scale_entry";
  artifact.binary =
      "\x7f"
      "ELF";
  artifact.args = {{"x", true, DType::kF32, 2, true}, {"a", false, DType::kF32, 0, false}};
  artifact.recipe.grid[0] = {{RecipeOp::kDim, 0, 0, 0}};
  artifact.recipe.block = 256;
  artifact.recipe.params = {{RecipeParam::Kind::kPointer, 0},
                            {RecipeParam::Kind::kInteger, 0, DType::kI32, {{RecipeOp::kDim, 0, 1, 0}}},
                            {RecipeParam::Kind::kScalar, 1, DType::kF32}};
  return artifact;
}

class CudaDeviceTest : public ::testing::Test {
 protected:
  CudaDeviceTest() {
    Reset();
    args_[0].tensor = {&storage_, shape_, nullptr, 2, DType::kF32};
    args_[1].is_tensor = false;
    args_[1].scalar_dtype = DType::kF32;
    args_[1].scalar = 0x40000000;
  }

  std::unique_ptr<CudaDevice> Open() { return CudaDevice::Open(driver_, 0).value(); }

  const Driver driver_ = FakeDriver();
  float storage_ = 0;
  int64_t shape_[2] = {12, 34};
  Arg args_[2];
};

TEST_F(CudaDeviceTest, Facts) {
  auto device = Open();
  EXPECT_EQ(device->kind(), TargetKind::kCuda);
  EXPECT_EQ(device->name(), "NVIDIA H200");
  EXPECT_EQ(device->arch(), "sm_90a");
  EXPECT_EQ(device->limits().multiprocessors, 132);
  EXPECT_EQ(device->limits().max_shared_bytes, 232448);
  EXPECT_EQ(device->l2_bytes(), 52428800);
}

TEST(ArchOf, EveryComputeCapability) {
  EXPECT_EQ(ArchOf(8, 0), "sm_80");
  EXPECT_EQ(ArchOf(8, 6), "sm_86");
  EXPECT_EQ(ArchOf(8, 9), "sm_89");
  EXPECT_EQ(ArchOf(9, 0), "sm_90a");
  EXPECT_EQ(ArchOf(10, 0), "sm_100a");
  EXPECT_EQ(ArchOf(10, 3), "sm_103");
  EXPECT_EQ(ArchOf(12, 0), "sm_120a");
}

TEST_F(CudaDeviceTest, NoSuchDevice) {
  EXPECT_EQ(CudaDevice::Open(driver_, 1).status(),
            absl::NotFoundError("cuda: there is no device 1; the driver sees 1"));
  EXPECT_EQ(CudaDevice::Open(driver_, -1).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(CudaDeviceTest, LoadsInTheContextAndLeavesTheThreadAsItWas) {
  auto device = Open();
  State().calls.clear();
  ASSERT_TRUE(device->Load(Scale()).ok());
  EXPECT_THAT(State().calls, ElementsAre("CtxPushCurrent", "ModuleLoadData", "ModuleGetFunction scale_entry",
                                         "FuncLoad", "CtxPopCurrent"));
  EXPECT_EQ(State().current, nullptr);
}

TEST_F(CudaDeviceTest, LaunchPassesGridBlockStreamAndParameters) {
  auto device = Open();
  auto kernel = device->Load(Scale()).value();
  State().current = PrimaryContext();
  State().calls.clear();
  int stream = 0;
  ASSERT_TRUE(kernel->Launch(&stream, args_).ok());
  EXPECT_THAT(State().calls, ElementsAre("LaunchKernel"));
  EXPECT_EQ(State().config.grid_x, 12u);
  EXPECT_EQ(State().config.grid_y, 1u);
  EXPECT_EQ(State().config.block_x, 256u);
  EXPECT_EQ(State().config.shared_bytes, 0u);
  EXPECT_EQ(static_cast<void*>(State().config.stream), &stream);
  EXPECT_EQ(State().params[0], reinterpret_cast<uintptr_t>(&storage_));
  EXPECT_EQ(State().params[1], 34u);
  EXPECT_EQ(State().params[2], 0x40000000u);
}

TEST_F(CudaDeviceTest, LaunchOnAThreadWithoutAContextPushesOne) {
  auto device = Open();
  auto kernel = device->Load(Scale()).value();
  State().calls.clear();
  ASSERT_TRUE(kernel->Launch(nullptr, args_).ok());
  EXPECT_THAT(State().calls, ElementsAre("CtxPushCurrent", "LaunchKernel", "CtxPopCurrent"));
}

// Case SHAPE-1 C
TEST_F(CudaDeviceTest, ZeroGridCallsNothing) {
  auto device = Open();
  auto kernel = device->Load(Scale()).value();
  State().calls.clear();
  shape_[0] = 0;
  EXPECT_TRUE(kernel->Launch(nullptr, args_).ok());
  EXPECT_TRUE(State().calls.empty());
}

// Case SHAPE-2 C, LIMIT-1 C
TEST_F(CudaDeviceTest, GridPastTheHardwareIsAnError) {
  auto device = Open();
  Artifact artifact = Scale();
  artifact.recipe.grid[1] = {{RecipeOp::kDim, 0, 1, 0}};
  auto kernel = device->Load(artifact).value();
  shape_[1] = 65536;
  EXPECT_EQ(
      kernel->Launch(nullptr, args_),
      absl::InvalidArgumentError("cuda: launch scale: expected a grid of at most 2147483647 x 65535 x 65535, found "
                                 "12 x 65536 x 1"));
}

TEST_F(CudaDeviceTest, LargeSharedMemoryIsAskedFor) {
  auto device = Open();
  Artifact artifact = Scale();
  artifact.recipe.shared_bytes = 65536;
  State().calls.clear();
  auto kernel = device->Load(artifact).value();
  EXPECT_THAT(State().calls, ElementsAre("CtxPushCurrent", "ModuleLoadData", "ModuleGetFunction scale_entry",
                                         "FuncSetAttribute 8 65536", "FuncLoad", "CtxPopCurrent"));
  ASSERT_TRUE(kernel->Launch(nullptr, args_).ok());
  EXPECT_EQ(State().config.shared_bytes, 65536u);
}

TEST_F(CudaDeviceTest, SharedMemoryOverTheDeviceIsAnError) {
  auto device = Open();
  State().static_shared = 1024;
  Artifact artifact = Scale();
  artifact.recipe.shared_bytes = 232448;
  EXPECT_EQ(device->Load(artifact).status(),
            absl::InvalidArgumentError("cuda: load scale: needs 233472 bytes of shared memory, the device has 232448"));
}

TEST_F(CudaDeviceTest, ClustersGoThroughTheExtendedLaunch) {
  auto device = Open();
  Artifact artifact = Scale();
  artifact.recipe.cluster = 2;
  auto kernel = device->Load(artifact).value();
  State().calls.clear();
  ASSERT_TRUE(kernel->Launch(nullptr, args_).ok());
  EXPECT_THAT(State().calls, ElementsAre("CtxPushCurrent", "LaunchKernelEx 4", "CtxPopCurrent"));
  EXPECT_EQ(State().cluster_x, 2u);
  EXPECT_EQ(State().config.grid_x, 12u);
  EXPECT_EQ(State().config.attribute_count, 1u);
}

TEST_F(CudaDeviceTest, OldDriverWithoutOptionalFunctions) {
  Driver old = driver_;
  old.FuncLoad = nullptr;
  old.LaunchKernelEx = nullptr;
  auto device = CudaDevice::Open(old, 0).value();
  EXPECT_TRUE(device->Load(Scale()).ok());
  Artifact artifact = Scale();
  artifact.recipe.cluster = 2;
  EXPECT_EQ(device->Load(artifact).status(),
            absl::FailedPreconditionError("cuda: load scale: clusters need the driver of CUDA 11.8 or later"));
}

// Case SPEC-3 C
TEST_F(CudaDeviceTest, ArtifactOfAnotherArch) {
  auto device = Open();
  Artifact artifact = Scale();
  artifact.arch = "sm_80";
  EXPECT_EQ(device->Load(artifact).status(),
            absl::FailedPreconditionError("cuda: load scale: the device runs sm_90a, the artifact is for sm_80"));
  artifact.arch = "sm_90";
  EXPECT_TRUE(device->Load(artifact).ok());
  artifact.kind = TargetKind::kCpu;
  EXPECT_EQ(device->Load(artifact).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(CudaDeviceTest, EarlierMinorVersionsRunOnLaterOnes) {
  State().major = 8;
  State().minor = 6;
  auto device = Open();
  Artifact artifact = Scale();
  artifact.arch = "sm_80";
  EXPECT_TRUE(device->Load(artifact).ok());
  artifact.arch = "sm_89";
  EXPECT_FALSE(device->Load(artifact).ok());
}

TEST_F(CudaDeviceTest, RefusesAMalformedRecipe) {
  auto device = Open();
  State().calls.clear();
  Artifact artifact = Scale();
  artifact.recipe.params[0].arg = 9;
  EXPECT_EQ(device->Load(artifact).status(),
            absl::InvalidArgumentError("launch recipe: native argument 0: argument 9 of 2"));
  EXPECT_THAT(State().calls, ::testing::Not(::testing::Contains("ModuleLoadData")));
}

TEST_F(CudaDeviceTest, DriverErrorsAreTranslated) {
  auto device = Open();
  State().fail["ModuleLoadData"] = kOutOfMemory;
  EXPECT_EQ(device->Load(Scale()).status(),
            absl::ResourceExhaustedError("cuda: load scale: CUDA_ERROR_OUT_OF_MEMORY: out of memory"));
  State().fail = {{"ModuleGetFunction", 500}};
  EXPECT_EQ(device->Load(Scale()).status(), absl::InternalError("cuda: find scale_entry in scale: error 500"));
  State().fail.clear();
  auto kernel = device->Load(Scale()).value();
  State().fail["LaunchKernel"] = 700;
  EXPECT_EQ(kernel->Launch(nullptr, args_), absl::InternalError("cuda: launch scale: error 700"));
}

TEST_F(CudaDeviceTest, WhatWasLoadedStaysUntilTheDeviceGoes) {
  auto device = Open();
  {
    auto kernel = device->Load(Scale()).value();
  }
  EXPECT_THAT(State().calls, ::testing::Not(::testing::Contains("ModuleUnload")));
  // A module whose kernel is not found is unloaded then too.
  State().fail["ModuleGetFunction"] = 500;
  EXPECT_FALSE(device->Load(Scale()).ok());
  State().calls.clear();
  device.reset();
  EXPECT_THAT(State().calls, ElementsAre("CtxPushCurrent", "ModuleUnload", "ModuleUnload", "CtxPopCurrent",
                                         "DevicePrimaryCtxRelease"));
}

TEST_F(CudaDeviceTest, AnotherNumberOfArgumentsIsAnError) {
  auto device = Open();
  EXPECT_EQ(device->Load(Scale()).value()->Launch(nullptr, {args_, 1}),
            absl::InvalidArgumentError("cuda: launch scale: expected 2 arguments, found 1"));
}

TEST_F(CudaDeviceTest, MemoryCopiesWithinItsBounds) {
  auto device = Open();
  auto memory = DeviceMemory::Allocate(*device, 16).value();
  const unsigned char bytes[4] = {1, 2, 3, 4};
  ASSERT_TRUE(memory.CopyFrom(bytes, 4, 12).ok());
  unsigned char back[4] = {};
  ASSERT_TRUE(memory.CopyTo(back, 4, 12).ok());
  EXPECT_THAT(back, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(memory.CopyFrom(bytes, 4, 13),
            absl::InvalidArgumentError("cuda: copy of 4 bytes at 13: the buffer has 16"));
  EXPECT_EQ(memory.CopyTo(back, 17).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(CudaDeviceTest, StreamsAndEventsAreFreedOnce) {
  auto device = Open();
  State().calls.clear();
  {
    auto stream = OwnedStream::Create(*device).value();
    OwnedStream moved = std::move(stream);
    auto event = OwnedEvent::Create(*device).value();
    EXPECT_TRUE(event.Record(moved.get()).ok());
    EXPECT_DOUBLE_EQ(event.MicrosecondsSince(event).value(), 500);
    EXPECT_TRUE(moved.Synchronize().ok());
  }
  int destroyed = 0;
  for (const std::string& call : State().calls) destroyed += call == "StreamDestroy" || call == "EventDestroy";
  EXPECT_EQ(destroyed, 2);
  // Ordered with the default stream.
  EXPECT_THAT(State().calls, ::testing::Contains("StreamCreate 0"));
}

TEST(OpenDriver, AnswersTheSameTwiceAndSaysWhatIsMissing) {
  absl::StatusOr<const Driver*> first = OpenDriver(), second = OpenDriver();
  EXPECT_EQ(first.status(), second.status());
  if (first.ok()) {
    EXPECT_EQ(*first, *second);
  } else if (absl::IsUnavailable(first.status())) {
    EXPECT_THAT(std::string(first.status().message()), StartsWith("cuda: "));
  }
}

}  // namespace
}  // namespace kiln::runtime::cuda
