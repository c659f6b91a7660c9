// A file under construction: private to its writer, whole and synced before anyone else learns its name, gone unless
// it was published.
#ifndef KILN_CACHE_TEMP_FILE_H_
#define KILN_CACHE_TEMP_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cache/entry_path.h"
#include "cache/file_io.h"
#include "cache/root_dir.h"

namespace kiln::cache {

enum class PublishResult { kPublished, kAlreadyThere };

class TempFile {
 public:
  TempFile() = default;
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  // Removes the temporary name. What was published stays.
  ~TempFile();

  // Writes `bytes` to a new file in the root's temporary directory and syncs it. Called once; the root outlives this.
  absl::Status Create(RootDir* root, std::string_view bytes);

  // Gives the file its name unless that name is taken; never replaces.
  absl::StatusOr<PublishResult> Publish(const EntryPath& path);

 private:
  RootDir* root_ = nullptr;
  FileHandle directory_;  // The root's temporary directory as it was when the file was made.
  std::string name_;      // In directory_; empty until the file exists.
};

// Removes temporary files whose writers died long ago: those older than an hour, at most 1000 a call.
void RemoveStaleTempFiles(RootDir* root);

}  // namespace kiln::cache

#endif  // KILN_CACHE_TEMP_FILE_H_
