// The model's choice of tuning parameters, for a kernel that nobody timed: a few microseconds of arithmetic on the
// text's own tiles.
//
//   KILN_ASSIGN_OR_RETURN(bindings.ints, DefaultConfig(module, "gemm", bindings, target));
#ifndef KILN_COMPILER_SPECIALIZE_DEFAULT_CONFIG_H_
#define KILN_COMPILER_SPECIALIZE_DEFAULT_CONFIG_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "compiler/specialize/specialize.h"
#include "kiln/internal/target.h"

namespace kiln {

// `bindings.ints` with a value for every `tune(...)` parameter that it leaves out, chosen from the domain among the
// combinations whose `requires` hold and whose shared tiles fit the target. Deterministic. Errors: no combination fits;
// more than 100,000 combinations.
absl::StatusOr<std::map<std::string, int64_t>> DefaultConfig(const ir::Module& module, const std::string& kernel,
                                                             const Bindings& bindings, const Target& target);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_DEFAULT_CONFIG_H_
