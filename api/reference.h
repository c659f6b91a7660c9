// The oracle: what a kernel means, run by the interpreter on the tile IR, and how far a backend may be from it.
#ifndef KILN_API_REFERENCE_H_
#define KILN_API_REFERENCE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/made_data.h"
#include "compiler/ir/kernel.h"

namespace kiln::api {

// How much of a grid the interpreter runs.
struct ReferenceRun {
  std::array<int64_t, 3> grid = {1, 1, 1};
  // The CTAs that ran, by their linear index; empty = all of them.
  std::vector<int64_t> sample;
};

// Runs `kernel`, specialized, on `made`, in place: the whole grid while that is less than about `budget` scalar
// operations, else a sample of CTAs that depends on the grid alone, first and last among it.
// Unimplemented, in words: one CTA alone is over the budget, or the kernel's CTAs cannot be run apart.
absl::StatusOr<ReferenceRun> RunReference(const ir::Kernel& kernel, std::vector<MadeArgument>* made, int64_t budget);

struct Comparison {
  bool pass = true;
  double max_error = 0;  // The largest absolute difference
  int64_t compared = 0;  // Elements
  std::string worst;     // "y[3, 17]: expected 1.5, got 1.75 (tolerance 0.01)" of the first that fails
};

// Compares the written tensors of `got` with those of `want`, where `want` differs from `before`; where it does not the
// reference wrote nothing, and with `complete` neither may `got`. The tolerance follows docs/numerics.md: an element
// may be off by the rounding of its dtype, and by `relative` of the larger of its own size and the tensor's root mean
// square.
Comparison Compare(const std::vector<MadeArgument>& before, const std::vector<MadeArgument>& want,
                   const std::vector<MadeArgument>& got, double relative, bool complete);

// What functions and accumulations in `kernel` may be off by, relative to their results.
double RelativeTolerance(const ir::Kernel& kernel);

}  // namespace kiln::api

#endif  // KILN_API_REFERENCE_H_
