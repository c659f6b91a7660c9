// A directory of a test's own, removed with everything in it.
#ifndef KILN_TESTS_CACHE_TEMP_ROOT_H_
#define KILN_TESTS_CACHE_TEMP_ROOT_H_

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace kiln::cache {

class TempRoot {
 public:
  // In `base`, or where tests usually keep their files.
  explicit TempRoot(const std::string& base = testing::TempDir()) : path_(base + "/kiln_cache_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "mkdtemp " << path_;
  }
  ~TempRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempRoot(const TempRoot&) = delete;
  TempRoot& operator=(const TempRoot&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.flush();
  ASSERT_TRUE(out.good()) << path;
}

// How many files lie below `path`, directories left out.
inline size_t CountFiles(const std::string& path) {
  size_t count = 0;
  if (!std::filesystem::exists(path)) return 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) count += !entry.is_directory();
  return count;
}

}  // namespace kiln::cache

#endif  // KILN_TESTS_CACHE_TEMP_ROOT_H_
