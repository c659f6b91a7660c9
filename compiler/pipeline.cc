#include "compiler/pipeline.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compiler/codegen/cuda/emit_cuda.h"
#include "compiler/codegen/llvm/emit.h"
#include "compiler/infer/infer.h"
#include "compiler/infer/pipeline_loops.h"
#include "compiler/ir/print.h"
#include "compiler/lower/abi.h"
#include "compiler/lower/cpu/lower_cpu.h"
#include "compiler/lower/cuda/lower.h"
#include "compiler/plan/plan.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

class Stages {
 public:
  explicit Stages(const StageObserver& observer) : observer_(observer) {}
  void Done(std::string_view stage, const ir::Kernel& kernel) const {
    if (observer_) observer_(stage, ir::Print(kernel));
  }
  void Done(std::string_view stage, const std::string& text) const {
    if (observer_) observer_(stage, text);
  }

 private:
  const StageObserver& observer_;
};

absl::StatusOr<Lowered> LowerForCuda(const CompileRequest& request, const Stages& stages) {
  Lowered out;
  std::vector<std::string> notes;
  KILN_ASSIGN_OR_RETURN(ir::Kernel ringed, PipelineLoops(request.kernel, request.target, &notes));
  KILN_ASSIGN_OR_RETURN(ir::Kernel inferred, InferLayouts(ringed, request.target, &notes));
  stages.Done("infer", inferred);
  KILN_ASSIGN_OR_RETURN(Plan plan, MakePlan(inferred, request.target, CudaRules()));
  stages.Done("plan", plan.Explain());
  KILN_ASSIGN_OR_RETURN(out.kernel, LowerCuda(inferred, plan, request.target));
  stages.Done("lower", out.kernel);
  KILN_ASSIGN_OR_RETURN(out.source, EmitCuda(out.kernel, request.target));
  stages.Done("codegen", out.source.text);
  out.rules = plan.Rules();
  out.explain = absl::StrCat(absl::StrJoin(notes, "\n"), "\n", plan.Explain());
  return out;
}

absl::StatusOr<Lowered> LowerForCpu(const CompileRequest& request, const Stages& stages) {
  Lowered out;
  KILN_ASSIGN_OR_RETURN(out.kernel, LowerCpu(request.kernel, request.target, &out.rules));
  stages.Done("lower", out.kernel);
  KILN_ASSIGN_OR_RETURN(out.source, EmitLlvm(out.kernel, request.target));
  stages.Done("codegen", out.source.text);
  out.explain = absl::StrJoin(out.rules, "\n");
  return out;
}

}  // namespace

absl::StatusOr<Lowered> LowerToSource(const CompileRequest& request, const StageObserver& observer) {
  KILN_CHECK(request.kernel.specialized, request.kernel.name);
  const Stages stages(observer);
  Lowered out;
  switch (request.target.kind) {
    case TargetKind::kCuda: {
      KILN_ASSIGN_OR_RETURN(out, LowerForCuda(request, stages));
      break;
    }
    case TargetKind::kCpu: {
      KILN_ASSIGN_OR_RETURN(out, LowerForCpu(request, stages));
      break;
    }
    default:
      return absl::UnimplementedError(
          absl::StrCat("lower: target ", request.target.name,
                       ": expected a cuda or cpu target; the reference runs in the interpreter"));
  }
  KILN_ASSIGN_OR_RETURN(out.recipe, MakeRecipe(out.kernel));
  out.args = ArgsOf(out.kernel);
  return out;
}

absl::StatusOr<Artifact> CompileSource(const CompileRequest& request, const Lowered& lowered,
                                       const Toolchain& toolchain, const CompileOptions& options) {
  KILN_ASSIGN_OR_RETURN(Compiled compiled, toolchain.Compile(lowered.source, options));
  Artifact artifact;
  artifact.kind = request.target.kind;
  artifact.arch = request.target.arch;
  artifact.kernel = request.kernel.name;
  artifact.entry = lowered.source.entry;
  artifact.binary = std::move(compiled.binary);
  artifact.args = lowered.args;
  artifact.recipe = lowered.recipe;
  artifact.resources = compiled.resources;
  artifact.rules = lowered.rules;
  artifact.log = std::move(compiled.log);
  return artifact;
}

}  // namespace kiln
