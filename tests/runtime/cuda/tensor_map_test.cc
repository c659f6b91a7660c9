// What the driver is told of an argument that the copy engine reads.
#include "runtime/cuda/tensor_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kiln::runtime::cuda {
namespace {

using ::testing::ElementsAre;

struct Told {
  int dtype = -1;
  void* address = nullptr;
  std::vector<uint64_t> extents, strides;
  std::vector<uint32_t> box;
  int swizzle = -1;
};
Told g_told;

Result Encode(TensorMap*, int dtype, unsigned rank, void* address, const uint64_t* extents, const uint64_t* strides,
              const uint32_t* box, const uint32_t*, int, int swizzle, int, int) {
  g_told = {dtype, address, {extents, extents + rank}, {strides, strides + rank - 1}, {box, box + rank}, swizzle};
  return kSuccess;
}

RecipeParam Map(std::vector<int64_t> box, int swizzle) {
  RecipeParam param;
  param.kind = RecipeParam::Kind::kTensorMap;
  param.arg = 1;
  param.dtype = DType::kBF16;
  param.box = std::move(box);
  param.swizzle = swizzle;
  return param;
}

class TensorMapTest : public ::testing::Test {
 protected:
  TensorMapTest() { driver_.TensorMapEncodeTiled = &Encode; }
  absl::Status Make(const RecipeParam& param, std::vector<int64_t> shape, std::vector<int64_t> strides) {
    TensorArg tensor;
    tensor.data = &data_;
    tensor.dtype = DType::kBF16;
    tensor.rank = static_cast<int>(shape.size());
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
    TensorMap map;
    return EncodeTensorMap(driver_, param, tensor, &map);
  }

  Driver driver_;
  int data_ = 0;
};

TEST_F(TensorMapTest, InnermostFirstStridesInBytes) {
  ASSERT_TRUE(Make(Map({1, 128, 64}, 128), {3, 1000, 4096}, {5000000, 4104, 1}).ok());
  EXPECT_EQ(g_told.dtype, 9);
  EXPECT_EQ(g_told.address, &data_);
  EXPECT_THAT(g_told.extents, ElementsAre(4096, 1000, 3));
  EXPECT_THAT(g_told.strides, ElementsAre(8208, 10000000));
  EXPECT_THAT(g_told.box, ElementsAre(64, 128, 1));
  EXPECT_EQ(g_told.swizzle, 3);
}

TEST_F(TensorMapTest, DenseWithoutStrides) {
  ASSERT_TRUE(Make(Map({64, 32}, 64), {7, 40}, {}).ok());
  EXPECT_THAT(g_told.strides, ElementsAre(80));
  EXPECT_EQ(g_told.swizzle, 2);
}

// The stride of a dimension of one element means nothing; the driver still wants a multiple of 16 bytes.
TEST_F(TensorMapTest, StrideOfOneElement) {
  ASSERT_TRUE(Make(Map({1, 1, 64}, 0), {1, 1, 72}, {3, 5, 1}).ok());
  EXPECT_THAT(g_told.strides, ElementsAre(144, 144));
}

// Case TMA-3 C, STRIDE-3 C
TEST_F(TensorMapTest, SaysWhatTheEngineDoesNotTake) {
  EXPECT_EQ(Make(Map({64, 64}, 128), {100, 100}, {100, 1}).message(),
            "cuda: argument 1 of rank 2: stride 0 is 100 elements, not a multiple of 16 B");
  EXPECT_EQ(Make(Map({64, 64}, 128), {0, 64}, {64, 1}).message(), "cuda: argument 1 of rank 2: extent 0 is 0");
  driver_.TensorMapEncodeTiled = nullptr;
  EXPECT_EQ(Make(Map({64, 64}, 128), {64, 64}, {64, 1}).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace kiln::runtime::cuda
