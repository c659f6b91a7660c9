#include "compiler/codegen/cuda/names.h"

#include <gtest/gtest.h>

namespace kiln::cuda {
namespace {

TEST(Names, OrdinaryNamesStay) {
  Names names;
  EXPECT_EQ(names.Of("x"), "x");
  EXPECT_EQ(names.Of("row"), "row");
  EXPECT_EQ(names.Of("bytes"), "bytes");
  EXPECT_EQ(names.Of("x"), "x");
}

TEST(Names, DotsBecomeUnderscores) {
  Names names;
  EXPECT_EQ(names.Of("cta_id.x"), "cta_id_x");
  EXPECT_EQ(names.Of("x.stride0"), "x_stride0");
}

TEST(Names, WordsOfOthersGetAnUnderscore) {
  Names names;
  EXPECT_EQ(names.Of("float"), "float_");
  EXPECT_EQ(names.Of("expf"), "expf_");
  EXPECT_EQ(names.Of("threadIdx"), "threadIdx_");
  EXPECT_EQ(names.Of("to_f32"), "to_f32_");
  EXPECT_EQ(names.Of("cp_async_16"), "cp_async_16_");
  EXPECT_EQ(names.Of("arena"), "arena_");
}

TEST(Names, TwoNamesNeverBecomeOne) {
  Names names;
  EXPECT_EQ(names.Of("x_stride0"), "x_stride0");
  EXPECT_EQ(names.Of("x.stride0"), "x_stride0_");
  EXPECT_EQ(names.Of("float_"), "float_");
  EXPECT_EQ(names.Of("float"), "float__");
}

TEST(Names, NotAnIdentifier) {
  Names names;
  EXPECT_EQ(names.Of("0x"), "v0x");
  EXPECT_EQ(names.Of("__syncthreads"), "v__syncthreads");
}

}  // namespace
}  // namespace kiln::cuda
