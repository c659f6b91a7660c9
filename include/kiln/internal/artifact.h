// An artifact: machine code for one request, with all that is needed to load and launch it. The only value compiler and
// runtime share.
#ifndef KILN_INTERNAL_ARTIFACT_H_
#define KILN_INTERNAL_ARTIFACT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kiln/internal/dtype.h"
#include "kiln/internal/launch_recipe.h"

namespace kiln {

// On-disk values: append only.
enum class TargetKind : uint8_t { kNone = 0, kReference = 1, kCpu = 2, kCuda = 3, kNeuron = 4, kFake = 5 };

// A parameter as the caller sees it.
struct ArgSpec {
  std::string name;
  bool is_tensor = true;
  DType dtype = DType::kNone;
  int rank = 0;
  bool written = false;  // out or inout
};

// What the vendor tool said it used. -1 = not reported.
struct Resources {
  int registers = -1;
  int64_t shared_bytes = -1;
  int64_t spill_bytes = -1;
  int64_t stack_bytes = -1;
  int barriers = -1;
};

struct Artifact {
  TargetKind kind = TargetKind::kNone;
  std::string arch;    // sm_90a, or the host CPU's name with its features
  std::string kernel;  // As in the text
  std::string entry;   // Symbol in the binary
  std::string binary;  // cubin, ELF object
  std::vector<ArgSpec> args;
  LaunchRecipe recipe;
  Resources resources;
  std::vector<std::string> rules;  // The rule chosen for each tile operation, in program order: "cta.copy: vector"
  std::string log;                 // Of the vendor tool
};

// Text that a toolchain compiles: CUDA C++ or LLVM IR.
struct Source {
  TargetKind kind = TargetKind::kNone;
  std::string entry;
  std::string text;
};

}  // namespace kiln

#endif  // KILN_INTERNAL_ARTIFACT_H_
