#include "cache/bundle.h"

#include <xxhash.h>

#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/cache/sample_entries.h"

namespace kiln::cache {
namespace {

constexpr char kSeed[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
constexpr size_t kIndexBytes = 32 + 3 * 88;

std::string Encoded(int n, size_t payload_bytes = 100) { return *EncodeEntry(*SampleEntry(n, payload_bytes)); }

std::string ThreeEntries(const SigningKey* signer = nullptr) {
  return *EncodeBundle({Encoded(1), Encoded(2), Encoded(3)}, signer);
}

// The bundle with its index changed under a checksum that matches, as a writer that means harm would make it.
std::string WithIndex(std::string bytes, size_t offset, const std::string& change) {
  bytes.replace(offset, change.size(), change);
  XXH128_canonical_t seal;
  XXH128_canonicalFromHash(&seal, XXH3_128bits(bytes.data(), kIndexBytes));
  std::memcpy(bytes.data() + kIndexBytes, seal.digest, sizeof(seal));
  return bytes;
}

TEST(BundleTest, FindsWhatItHolds) {
  const std::string bytes = ThreeEntries();
  const absl::StatusOr<BundleView> view = BundleView::Parse(bytes);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->size(), 3u);
  EXPECT_EQ(bytes.size(), kIndexBytes + 16 + 3 * Encoded(1).size());
  for (int i = 1; i <= 3; ++i) {
    const std::optional<BundleRow> row = view->Find(SampleKey(i));
    ASSERT_TRUE(row.has_value()) << i;
    EXPECT_EQ(*view->Read(*row), *SampleEntry(i));
    EXPECT_EQ(*view->Bytes(*row), Encoded(i));
  }
  EXPECT_FALSE(view->Find(SampleKey(4)).has_value());
  EXPECT_FALSE(view->Find({EntryKind::kRequest, SampleKey(1).digest}).has_value());
  EXPECT_FALSE(view->is_signed());
  EXPECT_EQ(view->Signer().status(), absl::FailedPreconditionError("cache bundle: expected a signature, found none"));
}

TEST(BundleTest, ManyAreFoundToo) {
  std::vector<std::string> entries;
  for (int i = 0; i < 1000; ++i) entries.push_back(Encoded(i));
  const std::string bytes = *EncodeBundle(entries, nullptr);
  const absl::StatusOr<BundleView> view = BundleView::Parse(bytes);
  ASSERT_TRUE(view.ok()) << view.status();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(view->Find(SampleKey(i)).has_value()) << i;
  for (int i = 1000; i < 2000; ++i) ASSERT_FALSE(view->Find(SampleKey(i)).has_value()) << i;
}

TEST(BundleTest, TheSameEntriesMakeTheSameBytesInAnyOrder) {
  EXPECT_EQ(*EncodeBundle({Encoded(3), Encoded(1), Encoded(2), Encoded(1)}, nullptr), ThreeEntries());
  // Of two under one key the first is kept.
  EXPECT_EQ(*EncodeBundle({Encoded(1), Encoded(1, 50)}, nullptr), *EncodeBundle({Encoded(1)}, nullptr));
}

TEST(BundleTest, AnEmptyOneIsOne) {
  const std::string bytes = *EncodeBundle({}, nullptr);
  EXPECT_EQ(bytes.size(), 48u);
  const absl::StatusOr<BundleView> view = BundleView::Parse(bytes);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->size(), 0u);
  EXPECT_FALSE(view->Find(SampleKey(1)).has_value());
}

TEST(BundleTest, TakesEntriesOnly) {
  EXPECT_EQ(EncodeBundle({"noise"}, nullptr).status(),
            absl::InvalidArgumentError("cache entry: magic: expected 89 4b 49 4c 4e 0d 0a 1a, found other bytes"));
}

TEST(BundleTest, ASignatureIsByItsSignerOverAllOfIt) {
  const std::optional<SigningKey> signer = SigningKey::FromHex(kSeed);
  ASSERT_TRUE(signer.has_value());
  // RFC 8032's arithmetic, by a second implementation.
  EXPECT_EQ(signer->public_key().ToHex(), "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8");
  EXPECT_EQ(signer->ToHex(), kSeed);
  const std::string bytes = ThreeEntries(&*signer);
  const absl::StatusOr<BundleView> view = BundleView::Parse(bytes);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_TRUE(view->is_signed());
  EXPECT_EQ(view->Signer().value(), signer->public_key());
  // The same, but with another's name, or over another index.
  const SigningKey other = SigningKey::Generate();
  std::string renamed = bytes;
  std::memcpy(renamed.data() + renamed.size() - 96, other.public_key().bytes.data(), 32);
  EXPECT_TRUE(absl::IsDataLoss(BundleView::Parse(renamed)->Signer().status()));
  const std::string fewer = *EncodeBundle({Encoded(1), Encoded(2)}, &*signer);
  std::string moved = bytes;
  moved.replace(moved.size() - 64, 64, fewer.substr(fewer.size() - 64));
  EXPECT_TRUE(absl::IsDataLoss(BundleView::Parse(moved)->Signer().status()));
}

// Whatever byte is changed, somebody notices before an entry is used.
TEST(BundleTest, NoticesEveryFlippedByte) {
  const std::optional<SigningKey> signer = SigningKey::FromHex(kSeed);
  const std::string whole = ThreeEntries(&*signer);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(~flipped[i]);
    const absl::StatusOr<BundleView> view = BundleView::Parse(flipped);
    if (!view.ok()) continue;
    ASSERT_GE(i, kIndexBytes + 16) << "the index is checked when it is opened";
    int refused = view->Signer().ok() ? 0 : 1;
    for (int n = 1; n <= 3; ++n) {
      const absl::StatusOr<Entry> entry = view->Read(*view->Find(SampleKey(n)));
      refused += !entry.ok();
      if (entry.ok()) {
        ASSERT_EQ(*entry, *SampleEntry(n));
      }
    }
    ASSERT_EQ(refused, 1) << i;
  }
}

TEST(BundleTest, RefusesEveryTruncationAndExtension) {
  const std::string whole = ThreeEntries();
  for (size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(absl::IsDataLoss(BundleView::Parse(std::string_view(whole).substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(BundleView::Parse(whole + "x").status()));
}

TEST(BundleTest, ChecksWhatAMatchingChecksumCannotVouchFor) {
  const std::string whole = ThreeEntries();
  const std::string huge(8, '\x7f');
  EXPECT_EQ(BundleView::Parse(WithIndex(whole, 16, huge)).status().message(),
            "cache bundle: sizes: expected within bounds, found others");
  // An offset, a size, a kind, padding; the second row under the first one's key.
  EXPECT_EQ(BundleView::Parse(WithIndex(whole, 32 + 88 + 72, huge)).status().message(),
            "cache bundle: offset: expected 247, found 9187201950435737471");
  EXPECT_EQ(BundleView::Parse(WithIndex(whole, 32 + 80, huge)).status().message(),
            "cache bundle: entry: expected a size within its bounds, found another");
  EXPECT_EQ(BundleView::Parse(WithIndex(whole, 32, std::string(2, '\0'))).status().message(),
            "cache bundle: kind: expected one above 0, found 0");
  EXPECT_EQ(BundleView::Parse(WithIndex(whole, 34, "x")).status().message(),
            "cache bundle: padding: expected zeros, found others");
  EXPECT_EQ(BundleView::Parse(WithIndex(whole, 32 + 88 + 8, whole.substr(32 + 8, 32))).status().message(),
            "cache bundle: index: expected ascending keys, found others");
  // Two entries swapped for each other, digests included: found under the wrong name.
  std::string swapped = WithIndex(whole, 32 + 40, whole.substr(32 + 88 + 40, 32));
  swapped.replace(kIndexBytes + 16, 247, whole.substr(kIndexBytes + 16 + 247, 247));
  const absl::StatusOr<BundleView> view = BundleView::Parse(swapped);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_TRUE(absl::IsDataLoss(view->Read(view->Row(0)).status()));
}

TEST(BundleTest, SaysThatALaterVersionWroteIt) {
  std::string later = ThreeEntries();
  later[8] = 2;
  EXPECT_EQ(BundleView::Parse(later).status(),
            absl::UnimplementedError("cache bundle: version: expected at most 1, found 2: written by a later Kiln, "
                                     "which can read it"));
}

TEST(SigningKeyTest, TakesSixtyFourDigitsOnly) {
  EXPECT_FALSE(SigningKey::FromHex("00").has_value());
  EXPECT_FALSE(SigningKey::FromHex(std::string(64, 'x')).has_value());
  EXPECT_FALSE(PublicKey::FromHex(std::string(63, '0')).has_value());
  EXPECT_NE(SigningKey::Generate().ToHex(), SigningKey::Generate().ToHex());
}

}  // namespace
}  // namespace kiln::cache
