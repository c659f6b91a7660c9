// A file's bytes in memory, read by the system as they are touched.
#ifndef KILN_CACHE_MAPPED_FILE_H_
#define KILN_CACHE_MAPPED_FILE_H_

#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "cache/file_io.h"

namespace kiln::cache {

class MappedFile {
 public:
  // Maps the first `size` bytes of `file`, which stays open with it. Fails as the system does.
  static absl::StatusOr<MappedFile> Map(FileOps* ops, FileHandle file, size_t size);

  MappedFile(MappedFile&& other) noexcept
      : ops_(other.ops_), file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }
  // Whether the file still has the mapped size.
  bool IsWhole() const;

 private:
  MappedFile(FileOps* ops, FileHandle file, std::string_view bytes)
      : ops_(ops), file_(std::move(file)), bytes_(bytes) {}

  FileOps* ops_;
  FileHandle file_;
  std::string_view bytes_;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_MAPPED_FILE_H_
