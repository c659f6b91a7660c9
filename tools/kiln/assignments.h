// `M=512,N=4096` on a command line.
#ifndef KILN_TOOLS_KILN_ASSIGNMENTS_H_
#define KILN_TOOLS_KILN_ASSIGNMENTS_H_

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace kiln::tool {

// What was typed makes no sense. Thrown to main alone, as CLI11's own errors are.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Every `NAME=VALUE` of every element, which commas separate. Throw UsageError, naming `flag`, on anything else, and on
// a name that comes twice.
std::map<std::string, std::string> ReadWords(const char* flag, const std::vector<std::string>& typed);
std::map<std::string, int64_t> ReadIntegers(const char* flag, const std::vector<std::string>& typed);
std::map<std::string, double> ReadNumbers(const char* flag, const std::vector<std::string>& typed);

}  // namespace kiln::tool

#endif  // KILN_TOOLS_KILN_ASSIGNMENTS_H_
