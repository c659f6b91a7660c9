// Whether the layouts that a kernel declares fit its tensors.
#ifndef KILN_COMPILER_PLAN_LAYOUTS_H_
#define KILN_COMPILER_PLAN_LAYOUTS_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// InvalidArgument for the first tensor outside registers whose layout has another number of elements than its shape, or
// puts two of them in one place. What symbols leave open is not refused. REQUIRES: specialized.
absl::Status CheckLayouts(const ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_PLAN_LAYOUTS_H_
