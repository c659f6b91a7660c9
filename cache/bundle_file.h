// Bundles made, joined and checked: for tools.
#ifndef KILN_CACHE_BUNDLE_FILE_H_
#define KILN_CACHE_BUNDLE_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/bundle_store.h"
#include "cache/file_ops.h"
#include "cache/root_dir.h"

namespace kiln::cache {

// The entries of `root` that have all of `fields` (arch, kernel, ...), and the key maps that lead to them, as
// EncodeEntry gives them, in ascending order of path. Without `fields` all of them. Damaged and later entries are left
// out. Fails if the root cannot be listed.
absl::StatusOr<std::vector<std::string>> CollectEntries(RootDir* root,
                                                        const std::map<std::string, std::string>& fields);

// The entries of several bundles, the first bundle's first. Fails where one of them is damaged.
absl::StatusOr<std::vector<std::string>> CollectEntries(const std::vector<std::shared_ptr<const Bundle>>& bundles);

// Writes `bytes` to a new file beside `path`, synced, then gives it that name. AlreadyExists: the name is taken;
// nothing is replaced. Whoever dies on the way leaves `path`.new, which the next attempt replaces.
absl::Status WriteBundleFile(FileOps* ops, const std::string& path, const std::string& bytes);

// What is wrong with the bundle's entries, a line each; empty if nothing is.
std::vector<std::string> VerifyBundle(const Bundle& bundle);

}  // namespace kiln::cache

#endif  // KILN_CACHE_BUNDLE_FILE_H_
