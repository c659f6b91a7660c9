// A toolchain turns source text into a binary: NVRTC for CUDA C++, LLVM for LLVM IR. It knows sources and binaries, no
// kernel.
#ifndef KILN_COMPILER_TOOLCHAIN_TOOLCHAIN_H_
#define KILN_COMPILER_TOOLCHAIN_TOOLCHAIN_H_

#include <atomic>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "kiln/internal/artifact.h"

namespace kiln {

struct CompileOptions {
  std::string arch;                // As the vendor tool takes it: sm_90a; a CPU name with features: "znver3+avx2,..."
  std::vector<std::string> flags;  // In the order given to the tool; part of the key
  bool allow_spills = false;       // The kernel declared that it may spill
  absl::Duration deadline = absl::Minutes(5);  // Then DeadlineExceeded. Not part of a key
  const std::atomic<bool>* cancel = nullptr;   // Borrowed; set from any thread to stop with Cancelled
};

struct Compiled {
  std::string binary;
  Resources resources;
  std::string log;
};

// Thread-safe: any number of threads may compile at once.
class Toolchain {
 public:
  virtual ~Toolchain() = default;
  // Identifies everything of the vendor tool that can change a binary: its version and the digest of its libraries; no
  // path.
  virtual std::string Fingerprint() const = 0;
  // Errors: Internal with the tool's log when it refuses; DeadlineExceeded; Cancelled; Unavailable when the tool cannot
  // be opened. Success means a non-empty binary whose log held no fatal line (spills, serialized or ignored
  // instructions).
  virtual absl::StatusOr<Compiled> Compile(const Source& source, const CompileOptions& options) const = 0;
};

}  // namespace kiln

#endif  // KILN_COMPILER_TOOLCHAIN_TOOLCHAIN_H_
