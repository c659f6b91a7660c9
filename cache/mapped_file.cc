#include "cache/mapped_file.h"

#include <cstdint>

namespace kiln::cache {

absl::StatusOr<MappedFile> MappedFile::Map(FileOps* ops, FileHandle file, size_t size) {
  const void* start = nullptr;
  if (const int error = ops->Map(file.fd(), size, &start); error < 0) return SystemError("cache file: map", error);
  return MappedFile(ops, std::move(file), {static_cast<const char*>(start), size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ops_->Unmap(bytes_.data(), bytes_.size());
}

bool MappedFile::IsWhole() const {
  struct stat info;
  return ops_->FStat(file_.fd(), &info) == 0 && static_cast<uint64_t>(info.st_size) == bytes_.size();
}

}  // namespace kiln::cache
