// Why a lookup missed: the request that comes nearest among those a cache has answers for, and what is different there.
#ifndef KILN_CACHE_EXPLAIN_MISS_H_
#define KILN_CACHE_EXPLAIN_MISS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/entry.h"
#include "cache/root_dir.h"

namespace kiln::cache {

// One factor of a key that two requests do not share. An absent one is empty.
struct Difference {
  std::string factor;  // "toolchain", "config BM", "kernel line 7".
  std::string here;
  std::string there;

  friend bool operator==(const Difference&, const Difference&) = default;
};

// What two canonical texts differ in, in the order of `here`; what only `there` has comes last. A factor is a line's
// first word, or its first two where the first stands in many lines; from the line "kernel" on it is the line itself.
std::vector<Difference> DiffRequests(const std::string& here, const std::string& there);

struct Nearest {
  Key key;
  absl::Time last_used;
  // Empty: the texts are the same, so the keys differ by what made them, which is another build of the compiler.
  std::vector<Difference> differences;
};

struct MissReport {
  bool has_request = false;        // The request is known.
  bool has_binary = false;         // And so is the binary it leads to: it would hit.
  uint64_t requests = 0;           // That were compared.
  std::optional<Nearest> nearest;  // Of the others; the one used last where several are as near.
};

// Reads every request that `root` holds. Damaged ones are left out. Fails if the root cannot be listed.
absl::StatusOr<MissReport> ExplainMiss(RootDir* root, const Key& request, const std::string& text);

// One line a difference, "config BM: 128 here, 64 there".
std::string InWords(const Difference& difference);

}  // namespace kiln::cache

#endif  // KILN_CACHE_EXPLAIN_MISS_H_
