// One cache entry and its bytes on disk. docs/cache_format.md has the same grammar with its reasons.
//
//   entry    = magic version kind codec key sizes fields request stored checksum
//   magic    = 89 'K' 'I' 'L' 'N' 0D 0A 1A
//   version  = u32                     ; kFormatVersion; integers are little-endian
//   kind     = u16                     ; EntryKind, never 0
//   codec    = u16                     ; 0 raw, 1 zstd
//   key      = 32 bytes                ; the digest the entry is stored under
//   sizes    = fields_bytes:u32 request_bytes:u32 payload_bytes:u64 stored_bytes:u64
//   fields   = { name_bytes:u16 name value_bytes:u32 value }   ; names strictly ascending
//   request  = request_bytes bytes     ; the canonical text that the key digests
//   stored   = stored_bytes bytes      ; the payload under the codec
//   checksum = 16 bytes                ; XXH3-128 of all bytes before it, canonical (big-endian) form
#ifndef KILN_CACHE_ENTRY_H_
#define KILN_CACHE_ENTRY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "cache/digest.h"

namespace kiln::cache {

// What a payload is. On-disk values: append only. The cache itself treats every kind alike, unknown ones included.
enum class EntryKind : uint16_t {
  kRequest = 1,  // From the request's digest to the source's digest: 32 bytes.
  kBinary = 2,   // From the source's digest to the compiled artifact.
};

// "request", "binary", or "kind 7" for one this version does not name.
std::string Name(EntryKind kind);

// An entry's name in every store. Two kinds under one digest are two entries.
struct Key {
  EntryKind kind = EntryKind::kBinary;
  Digest digest;

  friend auto operator<=>(const Key&, const Key&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const Key& key) {
    return H::combine(std::move(state), key.kind, key.digest);
  }
};

struct Entry {
  Key key;
  std::map<std::string, std::string> fields;  // Facts a reader checks before it uses the payload, such as the target.
  std::string request;                        // Why the key is what it is, in words.
  std::string payload;                        // Opaque, never empty in a store.

  friend bool operator==(const Entry&, const Entry&) = default;
};

// Entries are immutable once made, so stores and callers share them without locks.
using EntryPtr = std::shared_ptr<const Entry>;

inline constexpr uint32_t kFormatVersion = 1;
inline constexpr size_t kMaxFieldNameBytes = 64;
inline constexpr size_t kMaxFieldValueBytes = 4096;
inline constexpr size_t kMaxFieldsBytes = 64 << 10;
inline constexpr size_t kMaxRequestBytes = 16 << 20;
inline constexpr size_t kMaxPayloadBytes = 256 << 20;
inline constexpr size_t kCompressAboveBytes = 16 << 10;
inline constexpr size_t kEntryPreludeBytes = 72;
inline constexpr size_t kChecksumBytes = 16;
inline constexpr size_t kMaxEntryBytes =
    kEntryPreludeBytes + kMaxFieldsBytes + kMaxRequestBytes + kMaxPayloadBytes + kChecksumBytes;

// The bytes of `entry`: the same bytes for the same entry and library versions.
// InvalidArgument names the part that is out of bounds; an empty payload is one.
absl::StatusOr<std::string> EncodeEntry(const Entry& entry);

// The inverse. Bounded: it allocates no more than the sizes it has checked against the bounds above.
// DataLoss: these are not the bytes of one whole entry. Unimplemented: a later version of the format wrote them.
absl::StatusOr<Entry> DecodeEntry(std::string_view bytes);

}  // namespace kiln::cache

#endif  // KILN_CACHE_ENTRY_H_
