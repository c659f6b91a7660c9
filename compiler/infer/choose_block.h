// The number of threads of a CTA, where the text leaves it out.
#ifndef KILN_COMPILER_INFER_CHOOSE_BLOCK_H_
#define KILN_COMPILER_INFER_CHOOSE_BLOCK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln {

// Four warps, or eight where a matrix accumulator is too large for the registers of four. Errors: a written block that
// is not constant, or more threads than the target has.
absl::StatusOr<ir::Kernel> ChooseBlock(const ir::Kernel& kernel, const Target& target, std::vector<std::string>* notes);

}  // namespace kiln

#endif  // KILN_COMPILER_INFER_CHOOSE_BLOCK_H_
