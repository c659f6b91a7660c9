// The native function's parameters, and the launch recipe that fills them in: the same for every backend.
#ifndef KILN_COMPILER_LOWER_ABI_H_
#define KILN_COMPILER_LOWER_ABI_H_

#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/artifact.h"

namespace kiln {

// Sets native_params: the pointer of each tensor in parameter order, then every symbol and stride variable the native
// body or shape uses, by name, then the scalars in parameter order.
void SetNativeParams(ir::Kernel& kernel);

// How a launch of native `kernel` follows from its arguments. Errors: a symbol that no argument's extent gives
// directly.
absl::StatusOr<LaunchRecipe> MakeRecipe(const ir::Kernel& kernel);

// What callers pass, in order.
std::vector<ArgSpec> ArgsOf(const ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_LOWER_ABI_H_
