#include "cache/entry_path.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kiln::cache {
namespace {

constexpr size_t kStemDigits = 2 * Digest::kBytes - 2;

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// One spelling a number: no signs, spaces or leading zeros.
std::optional<uint32_t> ParseNumber(std::string_view text) {
  uint32_t value = 0;
  if (!absl::SimpleAtoi(std::string(text), &value) || value == 0 || absl::StrCat(value) != text) return std::nullopt;
  return value;
}

}  // namespace

EntryPath PathOf(const Key& key) {
  const std::string hex = key.digest.ToHex();
  return {hex.substr(0, 2), absl::StrCat(hex.substr(2), "-", static_cast<uint16_t>(key.kind), ".k", kFormatVersion)};
}

std::string LockNameOf(const Key& key) {
  return absl::StrCat(key.digest.ToHex(), "-", static_cast<uint16_t>(key.kind), ".lock");
}

bool IsShardName(std::string_view name) {
  return name.size() == 2 && std::all_of(name.begin(), name.end(), IsHexDigit);
}

std::optional<NamedEntry> ParsePath(std::string_view shard, std::string_view file) {
  if (!IsShardName(shard) || file.size() < kStemDigits + 1 || file[kStemDigits] != '-') return std::nullopt;
  const std::optional<Digest> digest = Digest::FromHex(std::string(shard).append(file.substr(0, kStemDigits)));
  const std::string_view tail = file.substr(kStemDigits + 1);
  const size_t dot = tail.find(".k");
  if (!digest.has_value() || dot == std::string_view::npos) return std::nullopt;
  const std::optional<uint32_t> kind = ParseNumber(tail.substr(0, dot));
  const std::optional<uint32_t> version = ParseNumber(tail.substr(dot + 2));
  if (!kind.has_value() || *kind > 0xffff || !version.has_value()) return std::nullopt;
  return NamedEntry{{static_cast<EntryKind>(*kind), *digest}, *version};
}

}  // namespace kiln::cache
