#include "cache/digest.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace kiln::cache {
namespace {

TEST(DigestTest, IsBlake2b256) {
  EXPECT_EQ(DigestOf("").ToHex(), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(DigestOf("abc").ToHex(), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(DigestTest, HexAndBytesRoundTrip) {
  const Digest digest = DigestOf("abc");
  EXPECT_EQ(Digest::FromHex(digest.ToHex()), digest);
  EXPECT_EQ(Digest::FromBytes(digest.AsBytes()), digest);
}

TEST(DigestTest, RefusesWhatIsNoDigest) {
  const std::string hex = DigestOf("abc").ToHex();
  EXPECT_EQ(Digest::FromHex(""), std::nullopt);
  EXPECT_EQ(Digest::FromHex(hex.substr(1)), std::nullopt);
  EXPECT_EQ(Digest::FromHex(hex + "0"), std::nullopt);
  EXPECT_EQ(Digest::FromHex("B" + hex.substr(1)), std::nullopt);
  EXPECT_EQ(Digest::FromHex("g" + hex.substr(1)), std::nullopt);
  EXPECT_EQ(Digest::FromBytes(std::string(31, 'x')), std::nullopt);
  EXPECT_EQ(Digest::FromBytes(std::string(33, 'x')), std::nullopt);
}

TEST(TaggedHasherTest, PrefixesEveryPartWithItsLength) {
  EXPECT_EQ(TaggedHasher("kiln.source").Add("options", "-O3").Finish().ToHex(),
            "81f45b58abf19207ecb5ae97aa1f825fcf79c83b2b6943ca101d3526408d1768");
}

TEST(TaggedHasherTest, PartsDoNotRunTogether) {
  const Digest digest = TaggedHasher("d").Add("ab", "c").Finish();
  EXPECT_NE(digest, TaggedHasher("d").Add("a", "bc").Finish());
  EXPECT_NE(digest, TaggedHasher("da").Add("b", "c").Finish());
  EXPECT_NE(digest, TaggedHasher("d").Add("ab", "c").Add("", "").Finish());
  EXPECT_NE(TaggedHasher("d").Add("a", "1").Add("b", "2").Finish(),
            TaggedHasher("d").Add("b", "2").Add("a", "1").Finish());
}

}  // namespace
}  // namespace kiln::cache
