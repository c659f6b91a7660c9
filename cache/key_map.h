// The first of a key's two steps, kept as an entry of its own: from a request's digest to its source's digest.
// A later Kiln makes another request digest, re-emits the source in milliseconds, and meets the old binary.
#ifndef KILN_CACHE_KEY_MAP_H_
#define KILN_CACHE_KEY_MAP_H_

#include <string>

#include "absl/status/statusor.h"
#include "cache/digest.h"
#include "cache/entry.h"

namespace kiln::cache {

// The entry that sends `request` to `source`; `request_text` is what `request` digests.
EntryPtr MakeKeyMap(const Digest& request, const Digest& source, std::string request_text);

// The source digest that `entry` holds. DataLoss: it is no key map; treat it as a miss.
absl::StatusOr<Digest> SourceOf(const Entry& entry);

}  // namespace kiln::cache

#endif  // KILN_CACHE_KEY_MAP_H_
