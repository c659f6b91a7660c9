// Specialize binds a kernel's meta-parameters and what is known of its arguments, and leaves one typed kernel.
//
//   Bindings b;
//   b.ints = {{"N", 4096}, {"ROWS", 4}};
//   b.dtypes = {{"T", DType::kBF16}};
//   KILN_ASSIGN_OR_RETURN(ir::Kernel kernel, Specialize(module, "rmsnorm", b, target));
//
// In order: bind, check `requires`, inline, type, simplify, prune branches that cannot run. The result has no
// meta-parameter, no static symbol, no inline call; every expression is typed; facts that the body does not use are
// dropped, so that they never reach a key. Pure; deterministic; thread-safe.
#ifndef KILN_COMPILER_SPECIALIZE_SPECIALIZE_H_
#define KILN_COMPILER_SPECIALIZE_SPECIALIZE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln {

// What is known of a symbol that stays a run-time value.
struct SymbolBinding {
  int64_t min = 0;
  int64_t max = INT32_MAX;
  int64_t divisor = 1;
};

// What is known of a tensor argument. The defaults describe a dense row-major tensor on a 16-byte boundary.
struct TensorBinding {
  bool contiguous = true;      // Row-major and dense: strides follow from the extents
  bool unit_inner = true;      // When not contiguous: the innermost stride is 1
  int64_t stride_divisor = 1;  // When not contiguous: every other stride is a multiple of this, in elements
  int64_t align = 16;          // Bytes, of the base address
};

struct Bindings {
  std::map<std::string, int64_t> ints;  // Integer meta-parameters, and values of static symbols
  std::map<std::string, DType> dtypes;  // Dtype meta-parameters
  std::map<std::string, SymbolBinding>
      symbols;  // Of bucket, multiple_of and dynamic symbols; absent = defaults by policy
  std::map<std::string, TensorBinding> tensors;  // By parameter; absent = defaults
};

absl::StatusOr<ir::Kernel> Specialize(const ir::Module& module, const std::string& kernel, const Bindings& bindings,
                                      const Target& target);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_SPECIALIZE_H_
