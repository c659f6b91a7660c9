#include "compiler/request.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/print.h"

namespace kiln {

std::string CanonicalText(const CompileRequest& request) {
  std::string out;
  absl::StrAppend(&out, "target ", request.target.name, "\n");
  absl::StrAppend(&out, "arch ", request.target.arch, "\n");
  absl::StrAppend(&out, "features ", absl::StrJoin(request.target.features, " "), "\n");
  absl::StrAppend(&out, "limits threads ", request.target.max_threads, " warp ", request.target.warp_size,
                  " registers ", request.target.max_registers, " vector ", request.target.vector_bytes, "\n");
  for (const MemorySpace& space : request.target.spaces)
    absl::StrAppend(&out, "space ", space.name, " ", space.capacity, " granule ", space.granule, " scope ", space.scope,
                    "\n");
  for (const auto& [name, value] : request.config) absl::StrAppend(&out, "config ", name, " ", value, "\n");
  absl::StrAppend(&out, "line_info ", request.line_info ? 1 : 0, "\n");
  absl::StrAppend(&out, "toolchain ", request.toolchain, "\n");
  absl::StrAppend(&out, "kernel\n", ir::Print(request.kernel));
  return out;
}

}  // namespace kiln
