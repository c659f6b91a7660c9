#include "cache/key_map.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace kiln::cache {

EntryPtr MakeKeyMap(const Digest& request, const Digest& source, std::string request_text) {
  auto entry = std::make_shared<Entry>();
  entry->key = {EntryKind::kRequest, request};
  entry->request = std::move(request_text);
  entry->payload = std::string(source.AsBytes());
  return entry;
}

absl::StatusOr<Digest> SourceOf(const Entry& entry) {
  if (entry.key.kind != EntryKind::kRequest) {
    return absl::DataLossError(absl::StrCat("cache key map: kind: expected request, found ", Name(entry.key.kind)));
  }
  const std::optional<Digest> source = Digest::FromBytes(entry.payload);
  if (!source.has_value()) {
    return absl::DataLossError(
        absl::StrCat("cache key map: payload: expected ", Digest::kBytes, " bytes, found ", entry.payload.size()));
  }
  return *source;
}

}  // namespace kiln::cache
