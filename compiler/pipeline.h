// The line from a request to an artifact, stage by stage. Pure: no device, no cache, no environment, no clock.
#ifndef KILN_COMPILER_PIPELINE_H_
#define KILN_COMPILER_PIPELINE_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/request.h"
#include "compiler/toolchain/toolchain.h"
#include "kiln/internal/artifact.h"

namespace kiln {

// What the stages before the vendor tool make of a request.
struct Lowered {
  ir::Kernel kernel;  // Native
  Source source;
  LaunchRecipe recipe;
  std::vector<ArgSpec> args;
  std::vector<std::string> rules;  // "cta.copy: vector", in program order
  std::string explain;             // Every decision with the refusals, for people
};

// Called after each stage with its name (infer, plan, lower, codegen) and printable result.
using StageObserver = std::function<void(std::string_view stage, const std::string& text)>;

// infer, plan, lower, codegen. Errors name the stage.
absl::StatusOr<Lowered> LowerToSource(const CompileRequest& request, const StageObserver& observer = nullptr);

// The last step: source to binary, with the recipe and the tool's resources beside it.
absl::StatusOr<Artifact> CompileSource(const CompileRequest& request, const Lowered& lowered,
                                       const Toolchain& toolchain, const CompileOptions& options);

}  // namespace kiln

#endif  // KILN_COMPILER_PIPELINE_H_
