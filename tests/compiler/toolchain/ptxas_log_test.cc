#include "compiler/toolchain/ptxas_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PtxasLog, OneKernel) {
  PtxasLog log = ParsePtxasLog(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Function properties for k\n"
      "ptxas         .     16 bytes stack frame, 4788 bytes spill stores, 4824 bytes spill loads\n"
      "ptxas info    : Used 14 registers, used 2 barriers, 128 bytes smem, 360 bytes cmem[0]\n",
      "k");
  EXPECT_EQ(log.resources.registers, 14);
  EXPECT_EQ(log.resources.barriers, 2);
  EXPECT_EQ(log.resources.shared_bytes, 128);
  EXPECT_EQ(log.resources.stack_bytes, 16);
  EXPECT_EQ(log.resources.spill_bytes, 9612);
  EXPECT_THAT(log.fatal, IsEmpty());
}

TEST(PtxasLog, NoSharedMemoryIsZeroBytes) {
  PtxasLog log = ParsePtxasLog(
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Used 32 registers, used 0 barriers, 2168 bytes cumulative stack size\n",
      "k");
  EXPECT_EQ(log.resources.registers, 32);
  EXPECT_EQ(log.resources.barriers, 0);
  EXPECT_EQ(log.resources.shared_bytes, 0);
  EXPECT_EQ(log.resources.spill_bytes, -1);
}

TEST(PtxasLog, AnotherEntryDoesNotCount) {
  PtxasLog log = ParsePtxasLog(
      "ptxas info    : Compiling entry function 'k2' for 'sm_90a'\n"
      "    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 99 registers, used 3 barriers\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 20 registers, used 1 barriers\n",
      "k");
  EXPECT_EQ(log.resources.registers, 20);
  EXPECT_EQ(log.resources.barriers, 1);
  EXPECT_EQ(log.resources.stack_bytes, 8);
}

TEST(PtxasLog, EmptyLogReportsNothing) {
  Resources resources = ParsePtxasLog("", "k").resources;
  EXPECT_EQ(resources.registers, -1);
  EXPECT_EQ(resources.shared_bytes, -1);
  EXPECT_EQ(resources.spill_bytes, -1);
  EXPECT_EQ(resources.stack_bytes, -1);
  EXPECT_EQ(resources.barriers, -1);
}

TEST(PtxasLog, IgnoredAndSerializedInstructionsAreFatalButC7519) {
  PtxasLog log = ParsePtxasLog(
      "ptxas info    : (C7519) Potential loss of performance\n"
      "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to x\n"
      "ptxas warning : (C7508) setmaxnreg ignored\n",
      "k");
  EXPECT_THAT(log.fatal,
              ElementsAre("ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are "
                          "serialized due to x",
                          "ptxas warning : (C7508) setmaxnreg ignored"));
}

}  // namespace
}  // namespace kiln
