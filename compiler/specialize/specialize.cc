#include "compiler/specialize/specialize.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"
#include "compiler/specialize/bind.h"
#include "compiler/specialize/inline.h"
#include "compiler/specialize/normalize.h"
#include "compiler/specialize/ring_slots.h"
#include "compiler/specialize/roles.h"
#include "compiler/specialize/schedules.h"
#include "compiler/specialize/simplify_body.h"
#include "compiler/specialize/type.h"
#include "compiler/specialize/views.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

absl::Status CheckTarget(const ir::Kernel& kernel, const Target& target) {
  const auto& allowed = kernel.targets;
  if (allowed.empty() || target.kind == TargetKind::kReference) return absl::OkStatus();
  if (std::find(allowed.begin(), allowed.end(), target.name) != allowed.end()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("specialize: kernel \"", kernel.name, "\" is for target ", allowed[0], ", not ", target.name));
}

// Drops what holds, refuses what cannot, keeps what only a launch can tell.
absl::Status CheckRequired(ir::Kernel& kernel, const Facts& facts) {
  std::vector<Expr> open;
  for (const Expr& condition : kernel.required) {
    Expr simple = Simplify(condition, facts);
    if (simple->kind != ExprKind::kBool) {
      open.push_back(simple);
    } else if (!simple->int_value) {
      return absl::InvalidArgumentError(absl::StrCat("specialize: kernel \"", kernel.name, "\" ", condition->at.line,
                                                     ":", condition->at.column, ": requires ", ir::Print(condition),
                                                     ", which does not hold"));
    }
  }
  kernel.required = std::move(open);
  return absl::OkStatus();
}

// A fact that nothing in the kernel reads says nothing about its code.
void DropUnusedFacts(ir::Kernel& kernel) {
  std::set<std::string> used;
  auto collect = [&](const Expr& e) {
    if (e) CollectNames(e, used);
  };
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    if (e->kind == ExprKind::kVar) used.insert(e->name);
  });
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) {
    for (const Expr& extent : s->tensor.shape) collect(extent);
  });
  for (const ir::Param& param : kernel.params)
    for (const Expr& extent : param.shape) collect(extent);
  for (const ir::TensorFact& fact : kernel.tensor_facts)
    for (const Expr& stride : fact.strides) collect(stride);
  for (const Expr& condition : kernel.required) collect(condition);
  for (const Expr& extent : kernel.launch.grid) collect(extent);
  for (const Expr& extent : kernel.launch.cluster) collect(extent);
  collect(kernel.launch.block);
  auto& facts = kernel.symbol_facts;
  facts.erase(std::remove_if(facts.begin(), facts.end(), [&](const ir::SymbolFact& f) { return !used.count(f.name); }),
              facts.end());
}

}  // namespace

absl::StatusOr<ir::Kernel> Specialize(const ir::Module& module, const std::string& name, const Bindings& bindings,
                                      const Target& target) {
  const ir::Kernel* generic = ir::FindKernel(module, name);
  if (!generic) {
    std::vector<std::string> known;
    for (const ir::Kernel& kernel : module.kernels) known.push_back(kernel.name);
    return absl::NotFoundError(
        absl::StrCat("specialize: no kernel is named \"", name, "\"; the module has ", absl::StrJoin(known, ", ")));
  }
  KILN_RETURN_IF_ERROR(CheckTarget(*generic, target));
  KILN_ASSIGN_OR_RETURN(ir::Kernel kernel, Bind(*generic, bindings));
  KILN_RETURN_IF_ERROR(InlineCalls(module, kernel));
  ExpandRingSlots(kernel);
  KILN_RETURN_IF_ERROR(ExpandSchedules(kernel));
  KILN_RETURN_IF_ERROR(ExpandRoles(kernel));
  ResolveViews(kernel);
  KILN_RETURN_IF_ERROR(TypeKernel(kernel, FactsOf(kernel)));
  const Facts facts = FactsOf(kernel);
  KILN_RETURN_IF_ERROR(CheckRequired(kernel, facts));
  KILN_RETURN_IF_ERROR(Normalize(kernel));
  kernel.body = SimplifyBody(kernel.body, facts);
  DropUnusedFacts(kernel);
  kernel.specialized = true;
  return kernel;
}

}  // namespace kiln
