// What ptxas says of a kernel in its `-v` log: resources, and the lines that make a success none.
#ifndef KILN_COMPILER_TOOLCHAIN_PTXAS_LOG_H_
#define KILN_COMPILER_TOOLCHAIN_PTXAS_LOG_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kiln/internal/artifact.h"

namespace kiln {

struct PtxasLog {
  Resources resources;
  // Lines with a C75xx code (an instruction was ignored, or asynchronous ones were serialized) but the harmless C7519.
  std::vector<std::string> fatal;
};

// Reads the log of one compile. Registers, shared bytes and barriers are those of function `entry`; spills and stack
// are summed over all functions, since a call of `entry` can reach each. A number that the log does not give is -1.
PtxasLog ParsePtxasLog(absl::string_view log, absl::string_view entry);

}  // namespace kiln

#endif  // KILN_COMPILER_TOOLCHAIN_PTXAS_LOG_H_
