// Inference: gives every tile that has none a layout.
//
// Anchors, in order: explicit layouts, what the first applicable rule of a gemm and of an asynchronous
// copy proposes, what a reduction leaves of its
// operand, then coalesced vectors for what remains. Layouts spread along maps, copies and broadcasts. Shared tiles get
// the swizzle that keeps rows of 16-byte chunks free of bank conflicts. A tile used under two layouts keeps its own;
// the lowering converts.
#ifndef KILN_COMPILER_INFER_INFER_H_
#define KILN_COMPILER_INFER_INFER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"

namespace kiln {

// REQUIRES: specialized; pipelined loops already turned into rings. `notes` gets one line a decision.
absl::StatusOr<ir::Kernel> InferLayouts(const ir::Kernel& kernel, const Target& target,
                                        std::vector<std::string>* notes);

}  // namespace kiln

#endif  // KILN_COMPILER_INFER_INFER_H_
