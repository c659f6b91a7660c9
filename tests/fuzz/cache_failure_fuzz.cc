// Any bytes as the failure that a build left in its lock file, as they are and under a checksum that matches.
#include <xxhash.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cache/failure_record.h"

namespace {

void DecodeThenRoundTrip(std::string_view bytes) {
  const std::optional<absl::Status> failure = kiln::cache::DecodeFailure(bytes);
  if (!failure.has_value()) return;
  if (failure->ok()) __builtin_trap();
  if (kiln::cache::DecodeFailure(kiln::cache::EncodeFailure(*failure)) != *failure) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  DecodeThenRoundTrip(bytes);
  DecodeThenRoundTrip(absl::StrCat(absl::Hex(XXH3_64bits(bytes.data(), bytes.size()), absl::kZeroPad16)).append(bytes));
  return 0;
}
