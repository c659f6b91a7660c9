#include "cache/entry.h"

#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "cache/key_map.h"
#include "gtest/gtest.h"
#include "tests/cache/sample_entries.h"
#include "tests/cache/temp_root.h"

namespace kiln::cache {
namespace {

// What tests/fixtures/cache/binary_v1.k1 holds.
Entry FixtureBinary() {
  Entry entry;
  entry.key = {EntryKind::kBinary, DigestOf("fixture")};
  entry.fields = {{"kernel", "rmsnorm"}, {"target", "sm_90a"}};
  entry.request = "kernel rmsnorm\ntarget sm_90a\n";
  entry.payload = std::string(
      "\x7f"
      "ELF\0\1\2\3",
      8);
  return entry;
}

// What tests/fixtures/cache/packed_v1.k1 holds: the same with a payload above the size from which entries are packed.
Entry FixturePacked() {
  Entry entry = FixtureBinary();
  entry.payload.clear();
  for (int i = 0; i < 4096; ++i) entry.payload += absl::StrCat("word ", i % 97, "\n");
  return entry;
}

std::string Encode(const Entry& entry) {
  absl::StatusOr<std::string> bytes = EncodeEntry(entry);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

// `bytes` after their last 16 were made to match what is before them: a writer that meant harm.
std::string Resealed(std::string bytes) {
  XXH128_canonical_t seal;
  XXH128_canonicalFromHash(&seal, XXH3_128bits(bytes.data(), bytes.size() - kChecksumBytes));
  std::memcpy(bytes.data() + bytes.size() - kChecksumBytes, seal.digest, kChecksumBytes);
  return bytes;
}

std::string With(std::string bytes, size_t offset, const std::string& change) {
  return Resealed(bytes.replace(offset, change.size(), change));
}

TEST(EntryTest, RoundTripsEverySize) {
  for (size_t size : {1u, 2u, 255u, 16384u, 16385u, 131072u, 1000003u}) {
    const EntryPtr noise = SampleEntry(1, size);
    absl::StatusOr<Entry> decoded = DecodeEntry(Encode(*noise));
    ASSERT_TRUE(decoded.ok()) << size << ": " << decoded.status();
    EXPECT_EQ(*decoded, *noise) << size;

    Entry zeros = *noise;
    zeros.payload.assign(size, '\0');
    decoded = DecodeEntry(Encode(zeros));
    ASSERT_TRUE(decoded.ok()) << size << ": " << decoded.status();
    EXPECT_EQ(*decoded, zeros) << size;
  }
}

TEST(EntryTest, PacksOnlyAboveTheBoundAndOnlyWhatShrinks) {
  const auto codec_of = [](const std::string& bytes) { return static_cast<int>(bytes[14]); };
  Entry entry = *SampleEntry(1, kCompressAboveBytes);
  entry.payload.assign(kCompressAboveBytes, 'x');
  EXPECT_EQ(codec_of(Encode(entry)), 0);
  entry.payload.push_back('x');
  EXPECT_EQ(codec_of(Encode(entry)), 1);
  EXPECT_LT(Encode(entry).size(), 400u);
  EXPECT_EQ(codec_of(Encode(*SampleEntry(1, 1 << 20))), 0);
}

TEST(EntryTest, WritesTheFixtureByteForByte) {
  EXPECT_EQ(Encode(FixtureBinary()), ReadFile("tests/fixtures/cache/binary_v1.k1"));
}

TEST(EntryTest, ReadsTheFixtures) {
  absl::StatusOr<Entry> binary = DecodeEntry(ReadFile("tests/fixtures/cache/binary_v1.k1"));
  ASSERT_TRUE(binary.ok()) << binary.status();
  EXPECT_EQ(*binary, FixtureBinary());

  absl::StatusOr<Entry> packed = DecodeEntry(ReadFile("tests/fixtures/cache/packed_v1.k1"));
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ(*packed, FixturePacked());

  absl::StatusOr<Entry> request = DecodeEntry(ReadFile("tests/fixtures/cache/request_v1.k1"));
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(*request, *MakeKeyMap(DigestOf("request"), DigestOf("source"), "kernel rmsnorm\n"));
}

TEST(EntryTest, RefusesEveryFlippedByte) {
  const std::string bytes = Encode(*SampleEntry(1));
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ 1 << bit);
      const absl::Status status = DecodeEntry(flipped).status();
      // The four bytes of the version read as a later one.
      EXPECT_TRUE(absl::IsDataLoss(status) || (i >= 8 && i < 12 && absl::IsUnimplemented(status)))
          << "byte " << i << " bit " << bit << ": " << status;
    }
  }
}

TEST(EntryTest, RefusesEveryTruncationAndExtension) {
  const std::string bytes = Encode(*SampleEntry(1));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeEntry(bytes.substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(DecodeEntry(bytes + '\0').status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodeEntry(bytes + bytes).status()));
  EXPECT_TRUE(absl::IsDataLoss(DecodeEntry(std::string(bytes.size(), '\0')).status()));
}

TEST(EntryTest, SaysThatALaterVersionWroteIt) {
  const std::string bytes = With(Encode(*SampleEntry(1)), 8, std::string("\2\0\0\0", 4));
  EXPECT_EQ(DecodeEntry(bytes).status(),
            absl::UnimplementedError(
                "cache entry: version: expected at most 1, found 2: written by a later Kiln, which can read it"));
}

TEST(EntryTest, ChecksWhatAMatchingChecksumCannotVouchFor) {
  const std::string bytes = Encode(FixtureBinary());
  const auto error = [](const std::string& bytes) { return std::string(DecodeEntry(bytes).status().message()); };
  EXPECT_EQ(error(With(bytes, 12, std::string(2, '\0'))), "cache entry: kind: expected one above 0, found 0");
  EXPECT_EQ(error(With(bytes, 14, "\2")), "cache entry: codec: expected 0 or 1, found 2");
  // fields_bytes, request_bytes, payload_bytes, stored_bytes.
  EXPECT_EQ(error(With(bytes, 48, "\xff\xff\xff\xff")),
            "cache entry: sizes: expected those of the parts that follow, found more than there is");
  EXPECT_EQ(error(With(bytes, 52, std::string(4, '\0'))),
            "cache entry: sizes: expected those of the parts that follow, found less than there is");
  EXPECT_EQ(error(With(bytes, 56, "\xff\xff\xff\xff\xff\xff\xff\xff")),
            "cache entry: sizes: expected each within its bound, found one beyond it");
  EXPECT_EQ(error(With(bytes, 56, std::string(8, '\0'))),
            "cache entry: sizes: expected each within its bound, found one beyond it");
  EXPECT_EQ(error(With(bytes, 64, "\xff\xff\xff\xff\xff\xff\xff\xff")),
            "cache entry: sizes: expected those of the parts that follow, found more than there is");
  EXPECT_EQ(error(With(bytes, 56, "\7")), "cache entry: raw payload: expected 7 bytes, found 8");
  // The first field's name and its size.
  EXPECT_EQ(error(With(bytes, 72, std::string("\0\0\x1f\0\0\0", 6))),
            "cache entry: field name: expected 1 to 64 of [a-z0-9_.], found 0 bytes");
  EXPECT_EQ(error(With(bytes, 74, "K")), "cache entry: field name: expected 1 to 64 of [a-z0-9_.], found 6 bytes");
  EXPECT_EQ(error(With(bytes, 74, "z")),
            "cache entry: fields: expected ascending names, found \"target\" out of order");
  EXPECT_EQ(error(With(bytes, 80, "\xff")), "cache entry: fields: expected whole fields, found one cut short");
}

TEST(EntryTest, ChecksThePackedFrame) {
  const std::string bytes = Encode(FixturePacked());
  const auto error = [](const std::string& bytes) { return std::string(DecodeEntry(bytes).status().message()); };
  EXPECT_EQ(error(With(bytes, 56, "\1")), "cache entry: zstd payload: expected a frame of 32257 bytes, found another");
  // Past the frame's own header, into its blocks.
  const size_t frame = bytes.size() - kChecksumBytes - 40;
  EXPECT_EQ(error(With(bytes, frame, std::string(32, '\xff'))).substr(0, 25), "cache entry: zstd payload");
}

TEST(EntryTest, RefusesToWriteWhatIsOutOfBounds) {
  const auto error = [](const Entry& entry) { return std::string(EncodeEntry(entry).status().message()); };
  Entry entry = FixtureBinary();
  entry.payload.clear();
  EXPECT_EQ(error(entry), "cache entry: payload: expected at least 1 byte, found 0");

  entry = FixtureBinary();
  entry.key.kind = static_cast<EntryKind>(0);
  EXPECT_EQ(error(entry), "cache entry: kind: expected one above 0, found 0");

  entry = FixtureBinary();
  entry.fields["Target"] = "x";
  EXPECT_EQ(error(entry), "cache entry: field name: expected 1 to 64 of [a-z0-9_.], found \"Target\"");

  entry = FixtureBinary();
  entry.fields["target"] = std::string(4097, 'x');
  EXPECT_EQ(error(entry), "cache entry: field \"target\": expected at most 4096 bytes, found 4097");

  entry = FixtureBinary();
  for (int i = 0; i < 17; ++i) entry.fields[absl::StrCat("f", i)] = std::string(4096, 'x');
  EXPECT_EQ(error(entry), "cache entry: fields: expected at most 65536 bytes, found 69812");

  entry = FixtureBinary();
  entry.request.assign((16 << 20) + 1, 'x');
  EXPECT_EQ(error(entry), "cache entry: request text: expected at most 16777216 bytes, found 16777217");

  entry = FixtureBinary();
  entry.payload.assign((256 << 20) + 1, 'x');
  EXPECT_EQ(error(entry), "cache entry: payload: expected at most 268435456 bytes, found 268435457");
}

TEST(EntryTest, NamesItsKind) {
  EXPECT_EQ(Name(EntryKind::kRequest), "request");
  EXPECT_EQ(Name(EntryKind::kBinary), "binary");
  EXPECT_EQ(Name(static_cast<EntryKind>(7)), "kind 7");
}

}  // namespace
}  // namespace kiln::cache
