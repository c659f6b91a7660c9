// Any bytes as a cache entry: as they are, and under a checksum that matches, which only a writer that meant harm
// makes. What decodes must come back the same from its own encoding.
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/statusor.h"
#include "cache/entry.h"

namespace {

void DecodeThenRoundTrip(const std::string& bytes) {
  const absl::StatusOr<kiln::cache::Entry> entry = kiln::cache::DecodeEntry(bytes);
  if (!entry.ok()) return;
  const absl::StatusOr<std::string> again = kiln::cache::EncodeEntry(*entry);
  if (!again.ok()) __builtin_trap();
  const absl::StatusOr<kiln::cache::Entry> same = kiln::cache::DecodeEntry(*again);
  if (!same.ok() || *same != *entry) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  DecodeThenRoundTrip(bytes);
  if (size < kiln::cache::kChecksumBytes) return 0;
  XXH128_canonical_t seal;
  XXH128_canonicalFromHash(&seal, XXH3_128bits(bytes.data(), size - kiln::cache::kChecksumBytes));
  std::memcpy(bytes.data() + size - kiln::cache::kChecksumBytes, seal.digest, kiln::cache::kChecksumBytes);
  DecodeThenRoundTrip(bytes);
  return 0;
}
