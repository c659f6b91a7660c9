// CompileRequest: everything that can change a binary, and nothing else. What the key digests is CanonicalText of it.
#ifndef KILN_COMPILER_REQUEST_H_
#define KILN_COMPILER_REQUEST_H_

#include <map>
#include <string>

#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln {

struct CompileRequest {
  ir::Kernel kernel;  // Specialized
  Target target;
  std::map<std::string, int64_t>
      config;  // The values given to meta-parameters; the kernel has them bound, the entry shows them
  bool line_info = false;
  std::string toolchain;  // Toolchain::Fingerprint()
};

// One tagged line a field, then the kernel's canonical text; stored in the cache entry, so that a miss can be
// explained.
std::string CanonicalText(const CompileRequest& request);

}  // namespace kiln

#endif  // KILN_COMPILER_REQUEST_H_
