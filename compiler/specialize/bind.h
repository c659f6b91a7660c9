// Bind: meta-parameters and static symbols become constants, the rest becomes facts.
#ifndef KILN_COMPILER_SPECIALIZE_BIND_H_
#define KILN_COMPILER_SPECIALIZE_BIND_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "compiler/expr/facts.h"
#include "compiler/specialize/specialize.h"

namespace kiln {

// `kernel` with every meta-parameter and static symbol replaced, symbol_facts and tensor_facts filled in. Errors name
// what is unbound, out of its domain, or of another kind.
absl::StatusOr<ir::Kernel> Bind(const ir::Kernel& kernel, const Bindings& bindings);

// The symbols a kernel's tensor shapes introduce, in order of first appearance. Meta-parameters are none.
std::vector<std::string> SymbolsOf(const ir::Kernel& kernel);

// The policy of a symbol: what `where` says, else dynamic.
ir::SymbolPolicy PolicyOf(const ir::Kernel& kernel, const std::string& symbol);

// CTAs of a cluster; 1 where the launch names none.
int64_t ClusterSize(const ir::Kernel& kernel);

// symbol_facts, thread ranges and the like, as the analyses take them.
Facts FactsOf(const ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_BIND_H_
