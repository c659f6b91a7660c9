// The predicates of stmatrix: register tiles in fragments to rows of 16 bytes in shared memory.
#ifndef KILN_COMPILER_RULES_STMATRIX_H_
#define KILN_COMPILER_RULES_STMATRIX_H_

#include <optional>
#include <string>

#include "compiler/rules/rule.h"

namespace kiln {

// Conditions: PTX ISA, "Warp-level matrix store instruction: stmatrix".
Verdict StMatrixApplies(const OpSite& site);
Verdict StMatrixAccepts(const OpSite& site);

// A part of a register tile as a tile of its own: its distribution, and the register its first element is in.
struct RegisterSlice {
  Distribution distribution;
  Expr first;  // i64
};
// Whole steps along the slots of each sliced dimension, which every thread has. Nullopt and why for any other part.
std::optional<RegisterSlice> RegisterSliceOf(const Operand& local, const Facts& facts, std::string* why);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_STMATRIX_H_
