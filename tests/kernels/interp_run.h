// A problem run in the interpreter, at either level.
#ifndef KILN_TESTS_KERNELS_INTERP_RUN_H_
#define KILN_TESTS_KERNELS_INTERP_RUN_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"
#include "tests/kernels/case.h"

namespace kiln::testing {

absl::Status RunInInterpreter(const ir::Kernel& kernel, Problem& problem);

}  // namespace kiln::testing

#endif  // KILN_TESTS_KERNELS_INTERP_RUN_H_
