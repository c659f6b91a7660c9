// What the operands of a native intrinsic must be.
#ifndef KILN_COMPILER_SPECIALIZE_INTRINSIC_OPERANDS_H_
#define KILN_COMPILER_SPECIALIZE_INTRINSIC_OPERANDS_H_

#include <string>
#include <vector>

#include "compiler/expr/bounds.h"
#include "compiler/ir/intrinsics.h"

namespace kiln {

// Folds operands that must be constants. What is wrong with the first that the intrinsic does not take, naming the
// intrinsic, the operand and what it takes; empty where all fit. REQUIRES: `args` are typed.
std::string SettleOperands(const ir::IntrinsicInfo& info, const Facts& facts, std::vector<Expr>& args);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_INTRINSIC_OPERANDS_H_
