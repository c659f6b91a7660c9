#include "compiler/specialize/fresh_names.h"

#include "absl/strings/str_cat.h"
#include "compiler/ir/visit.h"

namespace kiln {

FreshNames::FreshNames(const ir::Kernel& kernel) {
  for (const ir::Param& param : kernel.params) {
    taken_.insert(param.name);
    for (const Expr& extent : param.shape)
      if (extent->kind == ExprKind::kVar) taken_.insert(extent->name);
  }
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& stmt) {
    taken_.insert(stmt->name);
    taken_.insert(stmt->tensor.name);
    taken_.insert(stmt->names.begin(), stmt->names.end());
  });
}

std::string FreshNames::Fresh(const std::string& stem) {
  std::string name = stem;
  for (int i = 1; !taken_.insert(name).second; ++i) name = absl::StrCat(stem, "_", i);
  return name;
}

}  // namespace kiln
