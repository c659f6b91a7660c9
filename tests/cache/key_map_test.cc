#include "cache/key_map.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/cache/sample_entries.h"

namespace kiln::cache {
namespace {

TEST(KeyMapTest, LeadsFromRequestToSource) {
  const EntryPtr map = MakeKeyMap(DigestOf("request"), DigestOf("source"), "text");
  EXPECT_EQ(map->key, (Key{EntryKind::kRequest, DigestOf("request")}));
  EXPECT_EQ(map->request, "text");
  ASSERT_TRUE(SourceOf(*map).ok());
  EXPECT_EQ(*SourceOf(*map), DigestOf("source"));
}

TEST(KeyMapTest, RefusesOtherEntries) {
  EXPECT_EQ(SourceOf(*SampleEntry(1)).status(),
            absl::DataLossError("cache key map: kind: expected request, found binary"));
  Entry cut = *MakeKeyMap(DigestOf("request"), DigestOf("source"), "text");
  cut.payload.pop_back();
  EXPECT_EQ(SourceOf(cut).status(), absl::DataLossError("cache key map: payload: expected 32 bytes, found 31"));
}

}  // namespace
}  // namespace kiln::cache
