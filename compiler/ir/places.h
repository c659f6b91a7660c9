// The places in the source text that a module carries, apart from the module.
#ifndef KILN_COMPILER_IR_PLACES_H_
#define KILN_COMPILER_IR_PLACES_H_

#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

// Every place in one fixed order: declarations in the order of the module's lists, statements and expressions parents
// first; a shared node once at every use; comments have none.
std::vector<Location> CollectPlaces(const Module& module);

// The inverse: gives the module those places, in that order. Nodes that were shared are copied for each use. False,
// leaving the module in an unspecified state, when the count is not the module's.
bool AssignPlaces(Module& module, const std::vector<Location>& places);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_PLACES_H_
