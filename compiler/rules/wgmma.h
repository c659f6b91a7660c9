// The predicates of the matrix unit of sm_90a: gemm and gemm_async by warpgroups.
#ifndef KILN_COMPILER_RULES_WGMMA_H_
#define KILN_COMPILER_RULES_WGMMA_H_

#include <vector>

#include "compiler/rules/rule.h"

namespace kiln {

// Conditions: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
Verdict WgmmaApplies(const OpSite& site);
std::vector<LayoutWish> WgmmaLayouts(const OpSite& site);
Verdict WgmmaAccepts(const OpSite& site);

// Warpgroups that share the rows of the accumulator.
int64_t WarpgroupsOf(const OpSite& site);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_WGMMA_H_
