// `kiln check`: reads and verifies kernels.
#include "absl/strings/str_cat.h"
#include "api/documents.h"
#include "tools/kiln/commands.h"
#include "tools/kiln/files.h"
#include "tools/kiln/report.h"

namespace kiln::tool {

int Check(const FileFlags& flags) {
  const absl::StatusOr<std::string> input = ReadFile(flags.file);
  if (!input.ok()) return Fail(input.status());
  const absl::StatusOr<ir::Module> module = api::ModuleFromEither(*input, flags.file);
  if (!module.ok()) return Fail(module.status());
  Print(absl::StrCat(flags.file, ": ", module->kernels.size(), " kernels, ", module->ops.size(), " ops, ",
                     module->inlines.size(), " inline functions: correct\n"));
  return kDone;
}

}  // namespace kiln::tool
