// Random kernels on the backends, and how to say what differs.
#ifndef KILN_TESTS_RANDOM_RUN_H_
#define KILN_TESTS_RANDOM_RUN_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/target.h"
#include "tests/random/kernel.h"

namespace kiln::testing {

// What a run left in the arguments.
using Results = std::vector<Tensor>;
using Backend = std::function<absl::StatusOr<Results>(const RandomKernel&)>;

absl::StatusOr<ir::Kernel> SpecializeFor(const RandomKernel& kernel, const std::vector<Tensor>& tensors,
                                         const Target& target);

// The tiles as written, in the interpreter.
absl::StatusOr<Results> RunTiles(const RandomKernel& kernel);
// As lowered for an NVIDIA architecture, in the interpreter.
absl::StatusOr<Results> RunLowered(const RandomKernel& kernel, const Target& target);

// Empty where the results agree as far as the kernel's bounds ask, and no gap between elements was touched.
std::string Difference(const RandomKernel& kernel, const Results& want, const Results& got);

// Empty, or the smallest kernel of this seed on which `backend` fails or differs from the tiles, with what it gives;
// lines that it does without are left out.
std::string Disagreement(uint64_t seed, const Backend& backend);

}  // namespace kiln::testing

#endif  // KILN_TESTS_RANDOM_RUN_H_
