// Any bytes: Decode ends with a module or with an error, and what is a module can be walked, printed, verified and
// written again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compiler/ir/decode.h"
#include "compiler/ir/encode.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kiln::ir;
  auto module = Decode(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;
  Verify(*module);
  const std::string bytes = Encode(*module);
  auto again = Decode(bytes);
  if (!again.ok() || Print(*again) != Print(*module) || Encode(*again) != bytes) std::abort();
  return 0;
}
