// Many entries in one file that is only read: what a model needs, to be shipped with it. docs/cache_format.md has the
// same grammar with its reasons.
//
//   bundle   = header row* checksum entry* [signer signature]
//   header   = magic version signed count:u64 entries_bytes:u64       ; 32 bytes
//   magic    = 89 'K' 'B' 'N' 'D' 0D 0A 1A
//   version  = u32                     ; kBundleVersion; integers are little-endian
//   signed   = u32                     ; 0 or 1
//   row      = kind:u16 zero:6 key content offset:u64 bytes:u64       ; 88 bytes, ascending by key, then kind
//   key      = 32 bytes                ; the digest the entry is found under
//   content  = 32 bytes                ; BLAKE2b-256 of the entry's bytes
//   offset                             ; from the first entry; entries follow each other in the rows' order
//   checksum = 16 bytes                ; XXH3-128 of header and rows, canonical form
//   entry    = the bytes that a file of a cache root holds
//   signer   = 32 bytes                ; Ed25519 public key
//   signature = 64 bytes               ; of header and rows, which hold the digests of all the rest
#ifndef KILN_CACHE_BUNDLE_H_
#define KILN_CACHE_BUNDLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "cache/entry.h"
#include "cache/signature.h"

namespace kiln::cache {

inline constexpr uint32_t kBundleVersion = 1;
inline constexpr uint64_t kMaxBundleEntries = 1'000'000;
inline constexpr uint64_t kMaxBundleBytes = uint64_t{4} << 30;

struct BundleRow {
  Key key;
  Digest content;
  uint64_t offset = 0;  // From the first entry.
  uint64_t bytes = 0;
};

// A bundle's bytes, which are borrowed and outlive the view, with their index checked. Entries are checked when they
// are asked for, so that opening costs what the index does. Immutable.
class BundleView {
 public:
  // Bounded: it allocates nothing.
  // DataLoss: these are not the bytes of a bundle whose index is whole. Unimplemented: a later version wrote them.
  static absl::StatusOr<BundleView> Parse(std::string_view bytes);

  uint64_t size() const { return count_; }
  BundleRow Row(uint64_t i) const;  // REQUIRES: i < size().
  std::optional<BundleRow> Find(const Key& key) const;

  // The bytes of the row's entry. DataLoss: they are not those that the index was made for.
  absl::StatusOr<std::string_view> Bytes(const BundleRow& row) const;
  // The entry. DataLoss also where the bytes are no entry of that key; Unimplemented as DecodeEntry.
  absl::StatusOr<Entry> Read(const BundleRow& row) const;

  bool is_signed() const { return is_signed_; }
  // Who signed it, if the signature is theirs. DataLoss: it is not. FailedPrecondition: nobody signed it.
  absl::StatusOr<PublicKey> Signer() const;

 private:
  BundleView() = default;

  std::string_view index_;    // Header and rows.
  std::string_view entries_;  // All of them.
  std::string_view seal_;     // Signer and signature, or nothing.
  uint64_t count_ = 0;
  bool is_signed_ = false;
};

// The bundle of `entries`, each as EncodeEntry gives it, in any order: the same bytes for the same entries and signer.
// Of several under one key the first is kept. InvalidArgument: one is no entry, or there are too many.
absl::StatusOr<std::string> EncodeBundle(const std::vector<std::string>& entries, const SigningKey* signer);

}  // namespace kiln::cache

#endif  // KILN_CACHE_BUNDLE_H_
