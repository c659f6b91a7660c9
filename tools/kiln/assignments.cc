#include "tools/kiln/assignments.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kiln::tool {

std::map<std::string, std::string> ReadWords(const char* flag, const std::vector<std::string>& typed) {
  std::map<std::string, std::string> read;
  for (const std::string& group : typed) {
    for (const std::string& piece : absl::StrSplit(group, ',', absl::SkipEmpty()).operator std::vector<std::string>()) {
      const size_t equals = piece.find('=');
      if (equals == 0 || equals == std::string::npos || equals + 1 == piece.size())
        throw UsageError(absl::StrCat(flag, ": expected NAME=VALUE, got \"", piece, "\""));
      if (!read.emplace(piece.substr(0, equals), piece.substr(equals + 1)).second)
        throw UsageError(absl::StrCat(flag, ": ", piece.substr(0, equals), " is given twice"));
    }
  }
  return read;
}

std::map<std::string, int64_t> ReadIntegers(const char* flag, const std::vector<std::string>& typed) {
  std::map<std::string, int64_t> read;
  for (const auto& [name, text] : ReadWords(flag, typed))
    if (!absl::SimpleAtoi(text, &read[name]))
      throw UsageError(absl::StrCat(flag, ": expected an integer for ", name, ", got \"", text, "\""));
  return read;
}

std::map<std::string, double> ReadNumbers(const char* flag, const std::vector<std::string>& typed) {
  std::map<std::string, double> read;
  for (const auto& [name, text] : ReadWords(flag, typed))
    if (!absl::SimpleAtod(text, &read[name]))
      throw UsageError(absl::StrCat(flag, ": expected a number for ", name, ", got \"", text, "\""));
  return read;
}

}  // namespace kiln::tool
