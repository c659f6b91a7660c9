#include "compiler/interp/interpreter.h"

#include "compiler/interp/bind.h"
#include "compiler/interp/native/run.h"
#include "compiler/interp/tile/machine.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

absl::Status RunBound(const ir::Kernel& kernel, absl::Span<const Argument> args, const RunOptions& options) {
  KILN_ASSIGN_OR_RETURN(Bound bound, Bind(kernel, args, options));
  return kernel.native ? RunNative(kernel, bound, options) : RunTile(kernel, bound, options);
}

}  // namespace

absl::Status Run(const ir::Kernel& kernel, absl::Span<const Argument> args, const RunOptions& options) {
  absl::Status status = RunBound(kernel, args, options);
  if (status.ok()) return status;
  return absl::Status(status.code(), StrCat("interp: kernel \"", kernel.name, "\": ", status.message()));
}

}  // namespace kiln::interp
