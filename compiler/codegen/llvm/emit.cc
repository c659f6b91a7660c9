#include "compiler/codegen/llvm/emit.h"

#include "absl/strings/str_cat.h"
#include "compiler/codegen/llvm/helpers.h"
#include "compiler/codegen/llvm/kernel_printer.h"
#include "kiln/internal/status_macros.h"

namespace kiln {

absl::StatusOr<Source> EmitLlvm(const ir::Kernel& kernel, const Target& target) {
  KILN_CHECK(kernel.native, "codegen takes native kernels; \"", kernel.name, "\" is not lowered");
  llvm_text::Helpers helpers(target.Has("f16c") || target.Has("fullfp16"));
  KILN_ASSIGN_OR_RETURN(std::string body, llvm_text::KernelPrinter(kernel, helpers).Print());
  Source source;
  source.kind = TargetKind::kCpu;
  // A kernel may be called like a function of the C library.
  source.entry = "kiln_" + kernel.name;
  // Registers of the full width are asked for by name: LLVM prefers half of them on some CPUs.
  std::string width = absl::StrCat("\"min-legal-vector-width\"=\"", target.vector_bytes * 8,
                                   "\" \"prefer-vector-width\"=\"", target.vector_bytes * 8, "\"");
  source.text = absl::StrCat("; ", kernel.name, "\n", "define void @", source.entry,
                             "(ptr noalias nocapture readonly align 8 %params, i64 %cta_x, i64 %cta_y, i64 %cta_z, "
                             "ptr noalias nocapture align 64 %scratch) #0 {\n",
                             body, "}\n", helpers.Text(), "\n", "attributes #0 = { nounwind ", width, " }\n",
                             "attributes #1 = { alwaysinline nounwind ", width, " }\n",
                             "attributes #2 = { nounwind memory(none) }\n", "!0 = !{i32 1}\n",
                             "!1 = distinct !{!1, !2}\n", "!2 = !{!\"llvm.loop.unroll.full\"}\n");
  return source;
}

}  // namespace kiln
