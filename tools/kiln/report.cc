#include "tools/kiln/report.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tools/kiln/commands.h"

namespace kiln::tool {
namespace {

bool Colours() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) != 0 && (no_color == nullptr || *no_color == 0);
}

}  // namespace

int Fail(const absl::Status& status) {
  const std::string message(status.message());
  std::fprintf(stderr, Colours() ? "\033[1;31merror:\033[0m %s\n" : "error: %s\n", message.c_str());
  return kFailed;
}

int FailUsage(std::string_view message) {
  std::fprintf(stderr, "usage: %.*s\n", static_cast<int>(message.size()), message.data());
  return kUsage;
}

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace kiln::tool
