// What every command says in one way: failures on stderr, JSON on stdout.
#ifndef KILN_TOOLS_KILN_REPORT_H_
#define KILN_TOOLS_KILN_REPORT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace kiln::tool {

// Prints `error: MESSAGE` to stderr, in red on a terminal unless NO_COLOR is set; kFailed.
int Fail(const absl::Status& status);

// The same for what is wrong with the command line; kUsage.
int FailUsage(std::string_view message);

// To stdout, as it is.
void Print(std::string_view text);

}  // namespace kiln::tool

#endif  // KILN_TOOLS_KILN_REPORT_H_
