#include <vector>

#include "compiler/rules/rule.h"

namespace kiln {
namespace {

Verdict Always(const OpSite&) { return Yes(); }

}  // namespace

absl::Span<const Rule> CpuRules() {
  static const auto* const rules = new std::vector<Rule>{
#define KILN_RULE(name, function, op, feature, priority, applies, layouts, accepts, doc) \
  Rule{name, TileOpKind::op, feature, priority, applies, layouts, accepts, doc},
#include "compiler/rules/rules_cpu.inc"
#undef KILN_RULE
  };
  return *rules;
}

}  // namespace kiln
