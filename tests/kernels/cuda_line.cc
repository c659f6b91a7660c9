#include "tests/kernels/cuda_line.h"

#include <string>
#include <vector>

#include "compiler/infer/infer.h"
#include "compiler/infer/pipeline_loops.h"
#include "compiler/lower/cuda/lower.h"
#include "compiler/plan/plan.h"
#include "compiler/rules/rule.h"
#include "kiln/internal/status_macros.h"

namespace kiln::testing {

absl::StatusOr<ir::Kernel> LowerForCuda(const ir::Kernel& kernel, const Target& target) {
  std::vector<std::string> notes;
  KILN_ASSIGN_OR_RETURN(const ir::Kernel ringed, PipelineLoops(kernel, target, &notes));
  KILN_ASSIGN_OR_RETURN(const ir::Kernel inferred, InferLayouts(ringed, target, &notes));
  KILN_ASSIGN_OR_RETURN(const Plan plan, MakePlan(inferred, target, CudaRules()));
  return LowerCuda(inferred, plan, target);
}

}  // namespace kiln::testing
