// Any text: Parse ends with a module or with errors, and what is a module holds the promises of print.h, encode.h and
// format.h.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compiler/ir/decode.h"
#include "compiler/ir/encode.h"
#include "compiler/ir/format.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kiln::ir;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto module = Parse(text, "fuzz");
  auto formatted = Format(text, "fuzz");
  Require(module.ok() == formatted.ok());
  if (!module.ok()) return 0;
  Verify(*module);
  const std::string printed = Print(*module);
  auto again = Parse(printed, "printed");
  Require(again.ok() && Print(*again) == printed);
  const std::string bytes = Encode(*module);
  auto decoded = Decode(bytes);
  Require(decoded.ok() && Print(*decoded) == printed && Encode(*decoded) == bytes);
  auto twice = Format(*formatted, "formatted");
  Require(twice.ok() && *twice == *formatted);
  auto same = Parse(*formatted, "formatted");
  Require(same.ok() && Print(*same) == printed);
  return 0;
}
