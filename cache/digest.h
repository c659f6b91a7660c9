// BLAKE2b-256 digests: the names of everything the cache holds.
#ifndef KILN_CACHE_DIGEST_H_
#define KILN_CACHE_DIGEST_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace kiln::cache {

struct Digest {
  static constexpr size_t kBytes = 32;

  std::array<uint8_t, kBytes> bytes{};

  // 64 lower-case hexadecimal digits.
  std::string ToHex() const;
  // The inverse of ToHex; anything else, upper case included, is nothing.
  static std::optional<Digest> FromHex(std::string_view hex);

  // The digest's 32 bytes, borrowed.
  std::string_view AsBytes() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  // The inverse of AsBytes; nothing unless there are exactly 32 bytes.
  static std::optional<Digest> FromBytes(std::string_view raw);

  friend auto operator<=>(const Digest&, const Digest&) = default;

  // A digest is uniform already: its first word is its hash.
  template <typename H>
  friend H AbslHashValue(H state, const Digest& digest) {
    uint64_t word;
    std::memcpy(&word, digest.bytes.data(), sizeof(word));
    return H::combine(std::move(state), word);
  }
};

Digest DigestOf(std::string_view bytes);

// Digests a sequence of tagged fields, each length-prefixed, so that two different sequences never feed the same bytes.
//   Digest key = TaggedHasher("kiln.source").Add("source", text).Add("options", options).Finish();
// Not thread-safe; Finish is called once, last.
class TaggedHasher {
 public:
  // `domain` keeps digests made for one purpose apart from those made for another.
  explicit TaggedHasher(std::string_view domain);

  TaggedHasher& Add(std::string_view tag, std::string_view value);
  Digest Finish();

 private:
  void AddPrefixed(std::string_view bytes);

  // Room for libsodium's state, whose header stays in the .cc.
  alignas(64) std::array<std::byte, 384> state_;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_DIGEST_H_
