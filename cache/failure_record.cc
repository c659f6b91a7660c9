#include "cache/failure_record.h"

#include <xxhash.h>

#include <cstdint>
#include <map>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kiln::cache {
namespace {

// One line a part, "<bytes>\n<part>": lengths in decimal, since a person may look into a lock file.
void AppendPart(const std::string& part, std::string* out) { absl::StrAppend(out, part.size(), "\n", part); }

bool TakePart(std::string_view* rest, std::string_view* part) {
  const size_t newline = rest->find('\n');
  uint32_t size = 0;
  if (newline == std::string_view::npos || !absl::SimpleAtoi(std::string(rest->substr(0, newline)), &size))
    return false;
  rest->remove_prefix(newline + 1);
  if (size > rest->size()) return false;
  *part = rest->substr(0, size);
  rest->remove_prefix(size);
  return true;
}

std::string ChecksumOf(std::string_view bytes) {
  return absl::StrCat(absl::Hex(XXH3_64bits(bytes.data(), bytes.size()), absl::kZeroPad16));
}

}  // namespace

std::string EncodeFailure(const absl::Status& failure) {
  constexpr size_t kOverhead = 64;  // Lengths and the checksum.
  std::string out;
  AppendPart(absl::StrCat(failure.raw_code()), &out);
  AppendPart(std::string(failure.message().substr(0, kMaxFailureRecordBytes / 2)), &out);
  std::map<std::string, std::string> payloads;  // Status keeps them in no order.
  failure.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& cord) { payloads.emplace(std::string(url), std::string(cord)); });
  for (const auto& [url, payload] : payloads) {
    const size_t used = out.size() + url.size() + kOverhead;
    if (used >= kMaxFailureRecordBytes) break;
    AppendPart(url, &out);
    AppendPart(payload.substr(0, kMaxFailureRecordBytes - used), &out);
  }
  return ChecksumOf(out) + out;
}

std::optional<absl::Status> DecodeFailure(std::string_view bytes) {
  constexpr size_t kChecksumDigits = 16;
  if (bytes.size() < kChecksumDigits || bytes.size() > kMaxFailureRecordBytes) return std::nullopt;
  std::string_view rest = bytes.substr(kChecksumDigits);
  if (bytes.substr(0, kChecksumDigits) != ChecksumOf(rest)) return std::nullopt;
  std::string_view code_text;
  std::string_view message;
  int code = 0;
  if (!TakePart(&rest, &code_text) || !absl::SimpleAtoi(std::string(code_text), &code) || code == 0)
    return std::nullopt;
  if (!TakePart(&rest, &message)) return std::nullopt;
  absl::Status failure(static_cast<absl::StatusCode>(code), std::string(message));
  while (!rest.empty()) {
    std::string_view url;
    std::string_view payload;
    if (!TakePart(&rest, &url) || !TakePart(&rest, &payload)) return std::nullopt;
    failure.SetPayload(std::string(url), absl::Cord(absl::string_view(payload.data(), payload.size())));
  }
  return failure;
}

}  // namespace kiln::cache
