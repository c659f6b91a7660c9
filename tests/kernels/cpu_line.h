// Specialized kernels through the CPU's line, to something that launches here.
#ifndef KILN_TESTS_KERNELS_CPU_LINE_H_
#define KILN_TESTS_KERNELS_CPU_LINE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"
#include "runtime/device.h"

namespace kiln::testing {

// The target `cpu` with this machine's features.
const Target& ThisMachine();

// Compiled and loaded onto a device of two threads that lives as long as the process.
absl::StatusOr<std::shared_ptr<const runtime::LoadedKernel>> LoadOnCpu(const ir::Kernel& kernel);

}  // namespace kiln::testing

#endif  // KILN_TESTS_KERNELS_CPU_LINE_H_
