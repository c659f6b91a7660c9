#include "compiler/layout/scope.h"

#include <map>

#include "compiler/layout/error.h"

namespace kiln::layout {

absl::StatusOr<std::optional<ScopeRange>> GetScope(const TileLayout& layout) {
  std::map<Scope, const AxisInfo*> by_unit;
  for (const AxisInfo& row : AxisTableRows()) {
    if (row.kind != AxisKind::kThread || !layout.Uses(row.axis)) continue;
    const auto [it, added] = by_unit.emplace(row.unit, &row);
    if (!added && it->second->scope != row.scope) {
      return Error("scope", "conflicting thread scopes: ", it->second->name, " counts ", Name(row.unit), "s in a ",
                   Name(it->second->scope), ", ", row.name, " in a ", Name(row.scope), ": ", ToString(layout));
    }
  }
  if (by_unit.empty()) return std::optional<ScopeRange>();
  const AxisInfo* last = by_unit.begin()->second;
  for (const auto& [unit, row] : by_unit) {
    if (row == by_unit.begin()->second) continue;
    if (unit != last->scope) {
      return Error("scope", "disconnected thread scopes: ", last->name, " reaches a ", Name(last->scope), " and ",
                   row->name, " counts ", Name(unit), "s: ", ToString(layout));
    }
    last = row;
  }
  return std::optional<ScopeRange>(ScopeRange{by_unit.begin()->first, last->scope});
}

absl::Status VerifyWellFormed(const Layout& layout) { return GetScope(layout.base()).status(); }

}  // namespace kiln::layout
