#include "compiler/plan/plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compiler/ir/print.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/words.h"
#include "compiler/plan/layouts.h"
#include "compiler/plan/teams.h"
#include "compiler/rules/site.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

// Reductions of every kind share the rows of `sum`.
TileOpKind RowsOf(TileOpKind op) { return IsReduction(op) ? TileOpKind::kSum : op; }

bool NeedsRule(TileOpKind op) {
  return op != TileOpKind::kSync && op != TileOpKind::kWaitCopy && op != TileOpKind::kWaitGemm &&
         op != TileOpKind::kWaitStore && !ir::IsRingOp(op);
}

std::string_view TeamName(Team team) { return ir::Name(team == Team::kNone ? Team::kCta : team); }

std::string_view OpName(TileOpKind op) {
  const ir::TileOpRow* row = ir::FindTileOp(op);
  return row ? row->name : "operation";
}

absl::Status Choose(const OpSite& site, const Target& target, absl::Span<const Rule> rules, Decision& decision) {
  const std::string via = site.node ? site.node->tile.via : "";
  bool named = via.empty();
  for (const Rule& rule : rules) {
    if (rule.op != RowsOf(site.op)) continue;
    if (!via.empty() && rule.name != via) continue;
    named = true;
    Verdict verdict = Yes();
    if (!rule.feature.empty() && !target.Has(std::string(rule.feature)))
      verdict = No(absl::StrCat(target.name, " has no ", std::string(rule.feature)));
    else if (verdict = rule.applies(site); verdict.yes)
      verdict = rule.accepts(site);
    if (verdict.yes) {
      decision.rule = std::string(rule.name);
      return absl::OkStatus();
    }
    decision.refused.push_back({std::string(rule.name), verdict.reason});
  }
  std::string reasons = named ? "" : absl::StrCat("; no rule is named ", via);
  for (const Refusal& refusal : decision.refused) absl::StrAppend(&reasons, "; ", refusal.rule, ": ", refusal.reason);
  return absl::UnimplementedError(absl::StrCat("plan: ", decision.at.line, ":", decision.at.column, ": ",
                                               decision.operation, " `", decision.text, "`: no rule of ", target.name,
                                               " accepts it", reasons));
}

}  // namespace

std::vector<std::string> Plan::Rules() const {
  std::vector<std::string> out;
  for (const Decision& decision : decisions) out.push_back(absl::StrCat(decision.operation, ": ", decision.rule));
  return out;
}

std::string Plan::Explain() const {
  std::string out;
  for (const Decision& decision : decisions) {
    absl::StrAppend(&out, decision.at.line, ":", decision.at.column, " ", decision.text, "\n  ", decision.operation,
                    ": ", decision.rule, "\n");
    for (const Refusal& refusal : decision.refused)
      absl::StrAppend(&out, "    not ", refusal.rule, ": ", refusal.reason, "\n");
  }
  return out;
}

absl::StatusOr<Plan> MakePlan(const ir::Kernel& kernel, const Target& target, absl::Span<const Rule> rules) {
  KILN_RETURN_IF_ERROR(CheckLayouts(kernel));
  KILN_ASSIGN_OR_RETURN(Tensors tensors, TensorsOf(kernel));
  Plan plan;
  plan.uniformity = std::make_shared<const Uniformity>(kernel);
  KILN_RETURN_IF_ERROR(CheckTeams(kernel, *plan.uniformity));
  KILN_RETURN_IF_ERROR(ForEachSite(kernel, target, tensors, [&](const ir::Stmt& stmt, OpSite& site) -> absl::Status {
    if (!NeedsRule(site.op)) return absl::OkStatus();
    Decision decision;
    decision.operation = absl::StrCat(std::string(TeamName(site.team)), ".", std::string(OpName(site.op)));
    decision.text = std::string(absl::StripSuffix(ir::Print(stmt), "\n"));
    decision.at = stmt->at;
    KILN_RETURN_IF_ERROR(Choose(site, target, rules, decision));
    plan.of[stmt.get()] = plan.decisions.size();
    plan.decisions.push_back(std::move(decision));
    return absl::OkStatus();
  }));
  return plan;
}

}  // namespace kiln
