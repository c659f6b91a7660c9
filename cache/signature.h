// Ed25519 signatures: who made a file, for those who know the maker's public key.
#ifndef KILN_CACHE_SIGNATURE_H_
#define KILN_CACHE_SIGNATURE_H_

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kiln::cache {

struct PublicKey {
  static constexpr size_t kBytes = 32;

  std::array<uint8_t, kBytes> bytes{};

  // 64 lower-case hexadecimal digits, and the inverse.
  std::string ToHex() const;
  static std::optional<PublicKey> FromHex(std::string_view hex);

  friend auto operator<=>(const PublicKey&, const PublicKey&) = default;
};

using Signature = std::array<uint8_t, 64>;

// Signs with a secret that it wipes when it goes. Immutable, so safe for any number of threads.
class SigningKey {
 public:
  // Of fresh randomness.
  static SigningKey Generate();
  // From the 64 hexadecimal digits that ToHex gives; nothing for anything else.
  static std::optional<SigningKey> FromHex(std::string_view hex);

  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;
  ~SigningKey();

  // The secret seed, to be kept where nobody else reads it.
  std::string ToHex() const;
  const PublicKey& public_key() const { return public_key_; }
  Signature Sign(std::string_view message) const;

 private:
  explicit SigningKey(const std::array<uint8_t, 32>& seed);

  std::array<uint8_t, 64> secret_{};  // The seed, then the public key: libsodium's form.
  PublicKey public_key_;
};

bool IsSignedBy(const PublicKey& key, const Signature& signature, std::string_view message);

}  // namespace kiln::cache

#endif  // KILN_CACHE_SIGNATURE_H_
