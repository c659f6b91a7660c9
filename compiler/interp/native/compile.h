// Native IR to code for the interpreter's machine.
#ifndef KILN_COMPILER_INTERP_NATIVE_COMPILE_H_
#define KILN_COMPILER_INTERP_NATIVE_COMPILE_H_

#include "absl/status/statusor.h"
#include "compiler/interp/native/program.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

// Names resolve to what the body declares, the builtins, and native_params, nothing else: what lowering forgot to pass
// is an error here as it is on the device. Types that lowering left out follow from the operands.
absl::StatusOr<NativeProgram> CompileNative(const ir::Kernel& kernel);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_COMPILE_H_
