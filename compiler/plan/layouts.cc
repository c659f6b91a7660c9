#include "compiler/plan/layouts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/ir/meeting.h"
#include "compiler/ir/visit.h"
#include "compiler/layout/group.h"
#include "compiler/layout/injective.h"
#include "compiler/layout/parse.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

// "(0, 3)" of a row-major index.
std::string Coordinates(int64_t index, const layout::Shape& shape) {
  std::vector<int64_t> coordinates(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    coordinates[d] = index % shape[d].constant();
    index /= shape[d].constant();
  }
  return absl::StrCat("(", absl::StrJoin(coordinates, ", "), ")");
}

absl::Status CheckLayout(const ir::Kernel& kernel, const ir::StmtNode& stmt) {
  const ir::TensorDecl& tensor = stmt.tensor;
  if (tensor.layout.empty() || tensor.space == ir::Space::kLocal) return absl::OkStatus();
  layout::Shape shape;
  for (const Expr& extent : tensor.shape) {
    int64_t value;
    if (!IsConst(extent, &value)) return absl::OkStatus();
    shape.emplace_back(value);
  }
  auto refuse = [&](const std::string& what) {
    return absl::InvalidArgumentError(
        absl::StrCat("plan: kernel \"", kernel.name, "\": ", ir::Place(stmt.at), "tensor ", tensor.name, ": ", what));
  };
  KILN_ASSIGN_OR_RETURN(const layout::Layout parsed, layout::Parse(tensor.layout));
  if (absl::Status admits = layout::CheckAdmits(parsed, shape); !admits.ok())
    return refuse(std::string(admits.message()));
  const layout::Injectivity injective = layout::CheckInjective(parsed);
  if (injective.decision != layout::Decision::kNo || !injective.collision) return absl::OkStatus();
  return refuse(absl::StrCat(tensor.layout, " puts elements ", Coordinates(injective.collision->first, shape), " and ",
                             Coordinates(injective.collision->second, shape), " in one place"));
}

}  // namespace

absl::Status CheckLayouts(const ir::Kernel& kernel) {
  absl::Status status;
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& stmt) {
    if (status.ok() && stmt->kind == ir::StmtKind::kAlloc) status = CheckLayout(kernel, *stmt);
  });
  return status;
}

}  // namespace kiln
