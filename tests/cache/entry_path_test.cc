#include "cache/entry_path.h"

#include <string>

#include "gtest/gtest.h"

namespace kiln::cache {
namespace {

const char kHex[] = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319";

TEST(EntryPathTest, NamesShardKindAndVersion) {
  const Key key{EntryKind::kBinary, *Digest::FromHex(kHex)};
  EXPECT_EQ(PathOf(key).Relative(), "bd/dd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319-2.k1");
  EXPECT_EQ(LockNameOf(key), std::string(kHex) + "-2.lock");
}

TEST(EntryPathTest, ParsesEveryVersionAndKind) {
  const std::string stem = std::string(kHex).substr(2);
  std::optional<NamedEntry> named = ParsePath("bd", stem + "-2.k1");
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->key, (Key{EntryKind::kBinary, *Digest::FromHex(kHex)}));
  EXPECT_EQ(named->version, 1u);
  named = ParsePath("bd", stem + "-65535.k12");
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->key.kind, static_cast<EntryKind>(65535));
  EXPECT_EQ(named->version, 12u);
}

TEST(EntryPathTest, PassesOverOtherNames) {
  const std::string stem = std::string(kHex).substr(2);
  for (const std::string& file : {std::string(), stem, stem + "-", stem + "-2", stem + "-2.k", stem + "-2.k0",
                                  stem + "-0.k1", stem + "-02.k1", stem + "-+2.k1", stem + "-2.k1 ", stem + "-65536.k1",
                                  stem + "-2.k1.tmp", stem.substr(1) + "-2.k1", "Z" + stem.substr(1) + "-2.k1"}) {
    EXPECT_FALSE(ParsePath("bd", file).has_value()) << file;
  }
  EXPECT_FALSE(ParsePath("tmp", stem + "-2.k1").has_value());
  EXPECT_FALSE(ParsePath("BD", stem + "-2.k1").has_value());
}

}  // namespace
}  // namespace kiln::cache
