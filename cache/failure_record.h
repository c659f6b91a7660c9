// A build's failure as bytes, so that those who waited for it in other processes get it, log included, without
// failing all over again by themselves.
#ifndef KILN_CACHE_FAILURE_RECORD_H_
#define KILN_CACHE_FAILURE_RECORD_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace kiln::cache {

inline constexpr size_t kMaxFailureRecordBytes = 1 << 20;

// Code, message and payloads of `failure`, which is not OK. What does not fit the bound is left out, last payloads
// first.
std::string EncodeFailure(const absl::Status& failure);

// The inverse; nothing for bytes that are not one whole record.
std::optional<absl::Status> DecodeFailure(std::string_view bytes);

}  // namespace kiln::cache

#endif  // KILN_CACHE_FAILURE_RECORD_H_
