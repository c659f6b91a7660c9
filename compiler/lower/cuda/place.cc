#include "compiler/lower/cuda/place.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/ir/visit.h"
#include "kiln/internal/status_macros.h"

namespace kiln {

absl::Status PlaceShared(ir::Kernel& kernel, const Target& target) {
  int64_t end = 0;
  std::vector<std::pair<int64_t, std::string>> sizes;
  absl::Status failed;
  kernel.body = ir::RewriteStmts(kernel.body, [&](const ir::Stmt& stmt) -> ir::Block {
    if (stmt->kind != ir::StmtKind::kAlloc) return {stmt};
    const ir::TensorDecl& tensor = stmt->tensor;
    if (tensor.space != ir::Space::kShared && tensor.space != ir::Space::kSharedDyn) return {stmt};
    int64_t elements = 1;
    for (const Expr& extent : tensor.shape) {
      int64_t value;
      if (!IsConst(extent, &value) || __builtin_mul_overflow(elements, value, &elements) ||
          elements > (int64_t{1} << 40)) {
        failed = absl::InvalidArgumentError(
            absl::StrCat("lower: shared tile ", tensor.name, ": expected constant extents of a sane size"));
        return {stmt};
      }
    }
    ir::StmtNode node = *stmt;
    int64_t bytes = Bytes(tensor.dtype.dtype, elements), align = std::max<int64_t>(tensor.align, 16);
    node.tensor.space = ir::Space::kSharedDyn;
    node.tensor.offset = (end + align - 1) / align * align;
    end = node.tensor.offset + bytes;
    sizes.emplace_back(bytes, tensor.name);
    return {ir::MakeStmt(std::move(node))};
  });
  KILN_RETURN_IF_ERROR(failed);
  kernel.shared_bytes = end;
  const MemorySpace* space = target.Find("shared");
  if (!space || space->capacity == 0 || end <= space->capacity) return absl::OkStatus();
  std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string largest;
  for (size_t i = 0; i < sizes.size() && i < 4; ++i)
    absl::StrAppend(&largest, i ? ", " : "", sizes[i].second, " ", sizes[i].first);
  return absl::ResourceExhaustedError(absl::StrCat("lower: kernel \"", kernel.name, "\": shared memory: ", end,
                                                   " B are asked for, ", target.name, " has ", space->capacity,
                                                   " B a CTA; largest: ", largest));
}

}  // namespace kiln
