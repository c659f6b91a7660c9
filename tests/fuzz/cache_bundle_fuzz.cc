// Any bytes as a bundle: as they are, and under an index checksum that matches. Every entry that an index offers is
// asked for, and what is found must be found under its own key.
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "cache/bundle.h"

namespace {

void ReadEverything(const std::string& bytes) {
  const absl::StatusOr<kiln::cache::BundleView> view = kiln::cache::BundleView::Parse(bytes);
  if (!view.ok()) return;
  view->Signer().IgnoreError();
  for (uint64_t i = 0; i < view->size(); ++i) {
    const kiln::cache::BundleRow row = view->Row(i);
    const std::optional<kiln::cache::BundleRow> found = view->Find(row.key);
    if (!found.has_value() || found->offset != row.offset) __builtin_trap();
    const absl::StatusOr<kiln::cache::Entry> entry = view->Read(row);
    if (entry.ok() && entry->key != row.key) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  ReadEverything(bytes);
  constexpr size_t kHeaderBytes = 32;
  constexpr size_t kRowBytes = 88;
  if (size < kHeaderBytes) return 0;
  uint64_t rows = 0;
  std::memcpy(&rows, bytes.data() + 16, sizeof(rows));
  const size_t index = kHeaderBytes + std::min<uint64_t>(rows, size) * kRowBytes;
  if (index > size || size - index < 16) return 0;
  XXH128_canonical_t seal;
  XXH128_canonicalFromHash(&seal, XXH3_128bits(bytes.data(), index));
  std::memcpy(bytes.data() + index, seal.digest, sizeof(seal));
  ReadEverything(bytes);
  return 0;
}
