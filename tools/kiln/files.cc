#include "tools/kiln/files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::tool {
namespace {

constexpr size_t kMaxBytes = 256 << 20;

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

absl::Status SystemError(const std::string& path, const char* what) {
  return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot ", what));
}

absl::Status WriteAll(std::FILE* file, const std::string& path, std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fflush(file) != 0)
    return SystemError(path, "write");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return SystemError(path, "open");
  std::string bytes;
  char chunk[1 << 16];
  while (const size_t count = std::fread(chunk, 1, sizeof(chunk), file.get())) {
    if (bytes.size() + count > kMaxBytes)
      return absl::InvalidArgumentError(absl::StrCat(path, ": expected at most ", kMaxBytes, " bytes"));
    bytes.append(chunk, count);
  }
  if (std::ferror(file.get()) != 0) return SystemError(path, "read");
  return bytes;
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  if (path.empty() || path == "-") return WriteAll(stdout, "stdout", bytes);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    // A pipe or a device is written into, not replaced.
    File file(std::fopen(path.c_str(), "wb"));
    return file == nullptr ? SystemError(path, "open") : WriteAll(file.get(), path, bytes);
  }
  const std::string partial = absl::StrCat(path, ".", ::getpid(), ".part");
  {
    File file(std::fopen(partial.c_str(), "wb"));
    if (file == nullptr) return SystemError(partial, "create");
    if (absl::Status written = WriteAll(file.get(), partial, bytes); !written.ok()) {
      std::remove(partial.c_str());
      return written;
    }
  }
  if (std::rename(partial.c_str(), path.c_str()) != 0) {
    absl::Status failed = SystemError(path, "write");
    std::remove(partial.c_str());
    return failed;
  }
  return absl::OkStatus();
}

std::string StemOf(const std::string& path) { return std::filesystem::path(path).stem().string(); }

}  // namespace kiln::tool
