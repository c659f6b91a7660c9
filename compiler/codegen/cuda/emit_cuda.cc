#include "compiler/codegen/cuda/emit_cuda.h"

#include "compiler/codegen/cuda/printer.h"

namespace kiln {

absl::StatusOr<Source> EmitCuda(const ir::Kernel& native, const Target& target) {
  return cuda::Printer(native, target).Emit();
}

}  // namespace kiln
