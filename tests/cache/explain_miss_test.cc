#include "cache/explain_miss.h"

#include <memory>
#include <string>
#include <vector>

#include "cache/disk_store.h"
#include "cache/key_map.h"
#include "gtest/gtest.h"
#include "tests/cache/faulty_file_ops.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

constexpr char kText[] =
    "target sm_90a\nfeatures tma wgmma\nspace shared 232448 granule 16\nconfig BM 128\nconfig BN 64\n"
    "toolchain nvrtc 13.0\nkernel\nkernel gemm(x: tensor<f32>[8, 8])\n{\n}\n";

std::string With(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(DiffRequestsTest, NamesEachFactor) {
  EXPECT_TRUE(DiffRequests(kText, kText).empty());
  EXPECT_EQ(DiffRequests(kText, With(kText, "BM 128", "BM 64")), (std::vector<Difference>{{"config BM", "128", "64"}}));
  EXPECT_EQ(DiffRequests(kText, With(kText, "tma wgmma", "tma")),
            (std::vector<Difference>{{"features", "tma wgmma", "tma"}}));
  EXPECT_EQ(DiffRequests(kText, With(kText, "shared 232448", "shared 99")),
            (std::vector<Difference>{{"space shared", "232448 granule 16", "99 granule 16"}}));
  EXPECT_EQ(DiffRequests(With(kText, "[8, 8]", "[8, 9]"), kText),
            (std::vector<Difference>{
                {"kernel line 1", "kernel gemm(x: tensor<f32>[8, 9])", "kernel gemm(x: tensor<f32>[8, 8])"}}));
}

TEST(DiffRequestsTest, AFactorMayBeAbsent) {
  EXPECT_EQ(DiffRequests(With(kText, "config BN 64\n", ""), With(kText, "config BM 128\n", "")),
            (std::vector<Difference>{{"config BM", "128", ""}, {"config BN", "", "64"}}));
  EXPECT_EQ(InWords({"config BM", "128", ""}), "config BM: 128 here, nothing there");
}

class ExplainMissTest : public testing::Test {
 protected:
  void SetUp() override {
    ops_.skip_sync = true;
    store_ = DiskStore::Open({.root = {.path = root_.path(), .ops = &ops_}}).value();
  }
  // A request and, unless it is left out, its binary.
  void Put(const std::string& name, const std::string& text, int n, bool with_binary = true) {
    ops_.clock_offset += absl::Seconds(1);
    store_->Put(MakeKeyMap(DigestOf(name), SampleKey(n).digest, text));
    if (with_binary) store_->Put(SampleEntry(n));
  }
  MissReport Explain(const std::string& name, const std::string& text = kText) {
    auto report = ExplainMiss(store_->root().get(), {EntryKind::kRequest, DigestOf(name)}, text);
    EXPECT_TRUE(report.ok()) << report.status();
    return *report;
  }

  TempRoot root_;
  FaultyFileOps ops_;
  std::unique_ptr<DiskStore> store_;
};

TEST_F(ExplainMissTest, FindsTheNearest) {
  Put("far", With(With(kText, "sm_90a", "sm_80"), "BM 128", "BM 32"), 1);
  Put("near", With(kText, "13.0", "12.9"), 2);
  Put("also near, but older", With(kText, "BM 128", "BM 64"), 3);
  Put("near and used last", With(kText, "BM 128", "BM 256"), 4);
  const MissReport report = Explain("ours");
  EXPECT_FALSE(report.has_request);
  EXPECT_EQ(report.requests, 4u);
  ASSERT_TRUE(report.nearest.has_value());
  EXPECT_EQ(report.nearest->key.digest, DigestOf("near and used last"));
  EXPECT_EQ(report.nearest->differences, (std::vector<Difference>{{"config BM", "128", "256"}}));
}

TEST_F(ExplainMissTest, TellsAnotherBuildOfTheCompiler) {
  Put("of another build", kText, 1);
  const MissReport report = Explain("ours");
  ASSERT_TRUE(report.nearest.has_value());
  EXPECT_TRUE(report.nearest->differences.empty());
}

TEST_F(ExplainMissTest, TellsAHitFromABinaryThatIsGone) {
  Put("ours", kText, 1);
  EXPECT_TRUE(Explain("ours").has_request);
  EXPECT_TRUE(Explain("ours").has_binary);
  Put("without", kText, 2, /*with_binary=*/false);
  EXPECT_TRUE(Explain("without").has_request);
  EXPECT_FALSE(Explain("without").has_binary);
}

TEST_F(ExplainMissTest, AnEmptyCacheHasNothingNear) {
  const MissReport report = Explain("ours");
  EXPECT_EQ(report.requests, 0u);
  EXPECT_FALSE(report.nearest.has_value());
}

}  // namespace
}  // namespace kiln::cache
