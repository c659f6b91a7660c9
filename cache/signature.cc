#include "cache/signature.h"

#include <sodium.h>

#include <algorithm>

#include "cache/digest.h"

namespace kiln::cache {
namespace {

const uint8_t* BytesOf(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

// Seeds and public keys have the size of digests, and their spelling.
std::string HexOf(const uint8_t* bytes) {
  Digest digest;
  std::copy_n(bytes, Digest::kBytes, digest.bytes.begin());
  return digest.ToHex();
}

}  // namespace

std::string PublicKey::ToHex() const { return HexOf(bytes.data()); }

std::optional<PublicKey> PublicKey::FromHex(std::string_view hex) {
  const std::optional<Digest> digest = Digest::FromHex(hex);
  if (!digest.has_value()) return std::nullopt;
  return PublicKey{digest->bytes};
}

SigningKey::SigningKey(const std::array<uint8_t, 32>& seed) {
  static_assert(crypto_sign_SECRETKEYBYTES == 64 && crypto_sign_SEEDBYTES == 32);
  static_assert(crypto_sign_PUBLICKEYBYTES == PublicKey::kBytes && crypto_sign_BYTES == sizeof(Signature));
  crypto_sign_seed_keypair(public_key_.bytes.data(), secret_.data(), seed.data());
}

SigningKey SigningKey::Generate() {
  // randombytes needs no sodium_init on Linux.
  std::array<uint8_t, 32> seed;
  randombytes_buf(seed.data(), seed.size());
  SigningKey key(seed);
  sodium_memzero(seed.data(), seed.size());
  return key;
}

std::optional<SigningKey> SigningKey::FromHex(std::string_view hex) {
  std::optional<Digest> seed = Digest::FromHex(hex);
  if (!seed.has_value()) return std::nullopt;
  SigningKey key(seed->bytes);
  sodium_memzero(seed->bytes.data(), seed->bytes.size());
  return key;
}

SigningKey::~SigningKey() { sodium_memzero(secret_.data(), secret_.size()); }

std::string SigningKey::ToHex() const { return HexOf(secret_.data()); }

Signature SigningKey::Sign(std::string_view message) const {
  Signature signature;
  crypto_sign_detached(signature.data(), nullptr, BytesOf(message), message.size(), secret_.data());
  return signature;
}

bool IsSignedBy(const PublicKey& key, const Signature& signature, std::string_view message) {
  return crypto_sign_verify_detached(signature.data(), BytesOf(message), message.size(), key.bytes.data()) == 0;
}

}  // namespace kiln::cache
