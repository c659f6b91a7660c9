#include "cache/digest.h"

#include <sodium.h>

#include <algorithm>

namespace kiln::cache {
namespace {

// Picks the fastest implementation for this processor; without it the portable one gives the same digests.
void InitSodiumOnce() {
  static const int result = sodium_init();
  static_cast<void>(result);
}

crypto_generichash_state* StateOf(std::array<std::byte, 384>& storage) {
  static_assert(sizeof(crypto_generichash_state) <= 384 && alignof(crypto_generichash_state) <= 64);
  return reinterpret_cast<crypto_generichash_state*>(storage.data());
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string Digest::ToHex() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * kBytes);
  for (uint8_t byte : bytes) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

std::optional<Digest> Digest::FromHex(std::string_view hex) {
  if (hex.size() != 2 * kBytes) return std::nullopt;
  Digest digest;
  for (size_t i = 0; i < kBytes; ++i) {
    const int high = HexValue(hex[2 * i]);
    const int low = HexValue(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest.bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return digest;
}

std::optional<Digest> Digest::FromBytes(std::string_view raw) {
  if (raw.size() != kBytes) return std::nullopt;
  Digest digest;
  std::copy(raw.begin(), raw.end(), digest.bytes.begin());
  return digest;
}

Digest DigestOf(std::string_view bytes) {
  InitSodiumOnce();
  Digest digest;
  crypto_generichash(digest.bytes.data(), Digest::kBytes, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
                     nullptr, 0);
  return digest;
}

TaggedHasher::TaggedHasher(std::string_view domain) {
  InitSodiumOnce();
  crypto_generichash_init(StateOf(state_), nullptr, 0, Digest::kBytes);
  AddPrefixed(domain);
}

TaggedHasher& TaggedHasher::Add(std::string_view tag, std::string_view value) {
  AddPrefixed(tag);
  AddPrefixed(value);
  return *this;
}

Digest TaggedHasher::Finish() {
  Digest digest;
  crypto_generichash_final(StateOf(state_), digest.bytes.data(), Digest::kBytes);
  return digest;
}

void TaggedHasher::AddPrefixed(std::string_view bytes) {
  std::array<uint8_t, 8> size;
  for (size_t i = 0; i < size.size(); ++i) size[i] = static_cast<uint8_t>(uint64_t{bytes.size()} >> (8 * i));
  crypto_generichash_update(StateOf(state_), size.data(), size.size());
  crypto_generichash_update(StateOf(state_), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace kiln::cache
