#include "cache/layered_store.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/disk_store.h"
#include "cache/entry_path.h"
#include "gtest/gtest.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

std::unique_ptr<DiskStore> Open(const std::string& path, bool read_only) {
  auto opened = DiskStore::Open({.root = {.path = path}, .read_only = read_only});
  EXPECT_TRUE(opened.ok()) << opened.status();
  return *std::move(opened);
}

class LayeredStoreTest : public testing::Test {
 protected:
  // Entry 1 in the first layer, 1 and 2 in the second.
  void SetUp() override {
    Open(first_.path(), false)->Put(SampleEntry(1));
    Open(second_.path(), false)->Put(SampleEntry(1, 500));
    Open(second_.path(), false)->Put(SampleEntry(2));
  }

  std::unique_ptr<LayeredStore> Make(bool with_upper) {
    std::vector<std::unique_ptr<Store>> layers;
    layers.push_back(Open(first_.path(), true));
    layers.push_back(Open(second_.path(), true));
    return std::make_unique<LayeredStore>(with_upper ? Open(upper_.path(), false) : nullptr, std::move(layers));
  }

  TempRoot upper_, first_, second_;
};

TEST_F(LayeredStoreTest, TheFirstThatHasItAnswersAndNothingIsCopied) {
  const auto store = Make(true);
  EXPECT_EQ(*store->Get(SampleKey(1)).entry, *SampleEntry(1));
  EXPECT_EQ(*store->Get(SampleKey(2)).entry, *SampleEntry(2));
  EXPECT_EQ(store->Get(SampleKey(2)).tier, Tier::kDisk);
  EXPECT_FALSE(store->Get(SampleKey(3)));
  EXPECT_EQ(CountFiles(upper_.path()), 0u);
}

TEST_F(LayeredStoreTest, WritesGoToTheUpperAlone) {
  const auto store = Make(true);
  store->Put(SampleEntry(3));
  EXPECT_TRUE(store->Get(SampleKey(3)));
  EXPECT_EQ(CountFiles(upper_.path()), 1u);
  EXPECT_EQ(CountFiles(first_.path()), 1u);
  EXPECT_EQ(CountFiles(second_.path()), 2u);
}

TEST_F(LayeredStoreTest, WithoutAnUpperNothingIsKept) {
  const auto store = Make(false);
  store->Put(SampleEntry(3));
  EXPECT_FALSE(store->Get(SampleKey(3)));
  EXPECT_TRUE(store->Get(SampleKey(2)));
  Stats stats;
  store->AddStats(&stats);
  EXPECT_EQ(stats.disk_hits, 1u);
  EXPECT_EQ(stats.disk_misses, 3u);
}

TEST_F(LayeredStoreTest, ALayerHelpsWhereTheUpperIsDamaged) {
  const auto store = Make(true);
  store->Put(SampleEntry(2, 700));
  WriteFile(upper_ / PathOf(SampleKey(2)).Relative(), "damaged");
  EXPECT_EQ(*store->Get(SampleKey(2)).entry, *SampleEntry(2));
  EXPECT_EQ(CountFiles(upper_.path()), 0u);
}

TEST_F(LayeredStoreTest, ADamagedLayerIsPassedOver) {
  WriteFile(first_ / PathOf(SampleKey(1)).Relative(), "damaged");
  const auto store = Make(true);
  EXPECT_EQ(*store->Get(SampleKey(1)).entry, *SampleEntry(1, 500));
  EXPECT_EQ(ReadFile(first_ / PathOf(SampleKey(1)).Relative()), "damaged");
}

}  // namespace
}  // namespace kiln::cache
