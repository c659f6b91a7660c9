#include "compiler/specialize/default_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compiler/ir/parse.h"
#include "compiler/targets/targets.h"

namespace kiln {
namespace {

using Config = std::map<std::string, int64_t>;

ir::Module Load(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return ir::Parse(text.str(), path).value();
}

Config GemmOn(const std::string& target, DType dtype) {
  Bindings bindings;
  bindings.ints = {{"N", 4096}, {"K", 4096}};
  bindings.dtypes = {{"T", dtype}};
  auto config = DefaultConfig(Load("api/kernels/gemm.kiln"), "gemm", bindings, FindTarget(target).value());
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? Config(config->begin(), config->end()) : Config();
}

// Two CTAs a multiprocessor beat one with a larger tile where warps multiply: docs/adr/0004.
TEST(DefaultConfig, GemmTakesTheLargestTileOfWhichTwoFit) {
  const Config tiles = {{"N", 4096}, {"K", 4096}, {"BM", 128}, {"BN", 128}, {"BK", 32}, {"STAGES", 4}};
  EXPECT_EQ(GemmOn("sm_80", DType::kBF16), tiles);
  EXPECT_EQ(GemmOn("sm_100a", DType::kF16), tiles);
}

// One CTA keeps the matrix unit of warpgroups busy: docs/adr/0012.
TEST(DefaultConfig, GemmOfTheMatrixUnitTakesTheLargestTile) {
  EXPECT_EQ(GemmOn("sm_90a", DType::kBF16),
            (Config{{"N", 4096}, {"K", 4096}, {"BM", 128}, {"BN", 256}, {"BK", 64}, {"STAGES", 4}}));
}

TEST(DefaultConfig, KeepsWhatIsGiven) {
  Bindings bindings;
  bindings.ints = {{"N", 4096}, {"K", 4096}, {"BM", 64}, {"STAGES", 2}};
  bindings.dtypes = {{"T", DType::kBF16}};
  auto config = DefaultConfig(Load("api/kernels/gemm.kiln"), "gemm", bindings, FindTarget("sm_80").value());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->at("BM"), 64);
  EXPECT_EQ(config->at("STAGES"), 2);
}

TEST(DefaultConfig, RowsGetSixteenWordsAThread) {
  Bindings bindings;
  bindings.ints = {{"N", 4096}};
  bindings.dtypes = {{"T", DType::kBF16}};
  auto config = DefaultConfig(Load("api/kernels/rmsnorm.kiln"), "rmsnorm", bindings, FindTarget("sm_90a").value());
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->at("ROWS") * 4096 / config->at("THREADS"), 16);
}

TEST(DefaultConfig, SaysWhenNothingFits) {
  auto module = ir::Parse(
                    "kernel k<B: tune(1024, 2048)>(x: out tensor<f32>[M]) launch grid(1) {\n  alloc t: f32[B, 1024] in "
                    "shared\n  cta.copy(x, t[0, 0 +: 4])\n}\n",
                    "k")
                    .value();
  auto config = DefaultConfig(module, "k", {}, FindTarget("sm_90a").value());
  EXPECT_THAT(std::string(config.status().message()),
              testing::HasSubstr("no combination of its tuning parameters fits sm_90a"));
}

}  // namespace
}  // namespace kiln
