// The plan: for every tile operation the rule that carries it out, with the refusals of the rules that came before it.
#ifndef KILN_COMPILER_PLAN_PLAN_H_
#define KILN_COMPILER_PLAN_PLAN_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "compiler/plan/uniform.h"
#include "compiler/rules/rule.h"
#include "kiln/internal/target.h"

namespace kiln {

struct Refusal {
  std::string rule;
  std::string reason;
};

struct Decision {
  std::string operation;  // "cta.copy"
  std::string text;       // The statement, as written
  std::string rule;
  std::vector<Refusal> refused;
  Location at;
};

struct Plan {
  std::shared_ptr<const Uniformity> uniformity;  // Of the planned kernel
  std::vector<Decision> decisions;               // In program order
  std::map<const ir::StmtNode*, size_t> of;      // Statement of the planned kernel -> decision
  std::vector<std::string> Rules() const;        // "cta.copy: vector"
  std::string Explain() const;                   // For people
};

// REQUIRES: inferred. Errors: Unimplemented when every rule refuses, with each reason; an unknown `via`.
// FailedPrecondition for an operation that a part of its team alone can reach (teams.h).
absl::StatusOr<Plan> MakePlan(const ir::Kernel& kernel, const Target& target, absl::Span<const Rule> rules);

}  // namespace kiln

#endif  // KILN_COMPILER_PLAN_PLAN_H_
