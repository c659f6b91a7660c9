#include "runtime/fake/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::runtime {
namespace {

using ::testing::ElementsAre;

Artifact Doubled() {
  Artifact artifact;
  artifact.kind = TargetKind::kCuda;
  artifact.arch = "sm_90a";
  artifact.kernel = "doubled";
  artifact.args = {{"x", true, DType::kF32, 1, false}};
  artifact.recipe.grid[0] = {{RecipeOp::kDim, 0, 0, 0}};
  artifact.recipe.block = 64;
  artifact.recipe.shared_bytes = 1024;
  artifact.recipe.params = {{RecipeParam::Kind::kPointer, 0},
                            {RecipeParam::Kind::kInteger, 0, DType::kI32, {{RecipeOp::kDim, 0, 0, 0}}}};
  return artifact;
}

class FakeDeviceTest : public ::testing::Test {
 protected:
  FakeDeviceTest() { arg_.tensor = {&storage_, &extent_, nullptr, 1, DType::kF32}; }

  float storage_ = 0;
  int64_t extent_ = 7;
  Arg arg_;
};

TEST_F(FakeDeviceTest, RecordsWhatALaunchWouldGet) {
  FakeOptions options;
  options.arch = "sm_90a";
  FakeDevice device(options);
  auto kernel = device.Load(Doubled()).value();
  int stream = 0;
  ASSERT_TRUE(kernel->Launch(&stream, {&arg_, 1}).ok());
  ASSERT_EQ(device.launches().size(), 1u);
  FakeLaunch launch = device.launches()[0];
  EXPECT_EQ(launch.kernel, "doubled");
  EXPECT_EQ(launch.grid[0], 7);
  EXPECT_EQ(launch.grid[1], 1);
  EXPECT_EQ(launch.block, 64);
  EXPECT_EQ(launch.shared_bytes, 1024);
  EXPECT_EQ(launch.stream, &stream);
  EXPECT_THAT(launch.params, ElementsAre(reinterpret_cast<uintptr_t>(&storage_), 7u));
  EXPECT_EQ(device.loads(), 1);
  EXPECT_EQ(device.launch_count(), 1);
}

TEST_F(FakeDeviceTest, ZeroGridLaunchesNothing) {
  FakeDevice device({.arch = "sm_90a"});
  extent_ = 0;
  EXPECT_TRUE(device.Load(Doubled()).value()->Launch(nullptr, {&arg_, 1}).ok());
  EXPECT_EQ(device.launch_count(), 0);
}

TEST_F(FakeDeviceTest, CountsAloneWhenNotRecording) {
  FakeDevice device({.arch = "sm_90a", .record = false});
  EXPECT_TRUE(device.Load(Doubled()).value()->Launch(nullptr, {&arg_, 1}).ok());
  EXPECT_EQ(device.launch_count(), 1);
  EXPECT_TRUE(device.launches().empty());
}

TEST_F(FakeDeviceTest, RefusesAnotherArchButNotTheFakeKind) {
  FakeDevice device;
  Artifact artifact = Doubled();
  EXPECT_EQ(device.Load(artifact).status(),
            absl::FailedPreconditionError("fake: load doubled: the device runs fake, the artifact is for sm_90a"));
  artifact.kind = TargetKind::kFake;
  EXPECT_TRUE(device.Load(artifact).ok());
}

TEST_F(FakeDeviceTest, RefusesAMalformedRecipe) {
  FakeDevice device({.arch = "sm_90a"});
  Artifact artifact = Doubled();
  artifact.recipe.grid[0][0].index = 3;
  EXPECT_EQ(device.Load(artifact).status(),
            absl::InvalidArgumentError("launch recipe: grid 0: dimension 3 of argument 0 (x) of rank 1"));
  EXPECT_EQ(device.loads(), 0);
}

TEST_F(FakeDeviceTest, LoadCanBeMadeToFail) {
  FakeOptions options;
  options.arch = "sm_90a";
  options.on_load = [](const Artifact&) { return absl::ResourceExhaustedError("no memory"); };
  FakeDevice device(options);
  EXPECT_EQ(device.Load(Doubled()).status(), absl::ResourceExhaustedError("no memory"));
}

TEST_F(FakeDeviceTest, AnotherNumberOfArgumentsIsAnError) {
  FakeDevice device({.arch = "sm_90a"});
  EXPECT_EQ(device.Load(Doubled()).value()->Launch(nullptr, {}),
            absl::InvalidArgumentError("fake: launch doubled: expected 1 arguments, found 0"));
}

}  // namespace
}  // namespace kiln::runtime
