// Entries that tests make, told apart by a number.
#ifndef KILN_TESTS_CACHE_SAMPLE_ENTRIES_H_
#define KILN_TESTS_CACHE_SAMPLE_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cache/digest.h"
#include "cache/entry.h"

namespace kiln::cache {

inline Key SampleKey(int n) { return {EntryKind::kBinary, DigestOf(absl::StrCat("sample ", n))}; }

// Bytes without a pattern, the same for the same `seed`: what compression leaves as it is.
inline std::string Noise(size_t size, uint64_t seed) {
  std::string bytes(size, '\0');
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (char& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<char>(state >> 32);
  }
  return bytes;
}

inline EntryPtr SampleEntry(int n, size_t payload_bytes = 100) {
  auto entry = std::make_shared<Entry>();
  entry->key = SampleKey(n);
  entry->fields = {{"kernel", "sample"}, {"target", "sm_90a"}};
  entry->request = absl::StrCat("kernel sample\nnumber ", n, "\n");
  entry->payload = Noise(payload_bytes, static_cast<uint64_t>(n));
  return entry;
}

}  // namespace kiln::cache

#endif  // KILN_TESTS_CACHE_SAMPLE_ENTRIES_H_
