#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"
#include "runtime/launch_recipe.h"

namespace kiln::runtime {
namespace {

constexpr int kMaxBlock = 1024;
constexpr int kMaxCluster = 16;
constexpr int64_t kMaxBytes = int64_t{1} << 40;

absl::Status Bad(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("launch recipe: ", where, ": ", what));
}

absl::Status CheckArgument(absl::string_view where, uint16_t arg, bool tensor, absl::Span<const ArgSpec> args) {
  if (arg >= args.size()) return Bad(where, absl::StrCat("argument ", arg, " of ", args.size()));
  if (args[arg].is_tensor != tensor)
    return Bad(where, absl::StrCat("argument ", arg, " (", args[arg].name, "): expected a ",
                                   tensor ? "tensor" : "scalar", ", found a ", tensor ? "scalar" : "tensor"));
  return absl::OkStatus();
}

absl::Status CheckLeaf(absl::string_view where, const RecipeStep& step, absl::Span<const ArgSpec> args) {
  switch (step.op) {
    case RecipeOp::kConst:
      return absl::OkStatus();
    case RecipeOp::kLimit:
      if (step.index < 1 || step.index > 3) return Bad(where, absl::StrCat("there is no device limit ", step.index));
      return absl::OkStatus();
    case RecipeOp::kScalar: {
      KILN_RETURN_IF_ERROR(CheckArgument(where, step.arg, false, args));
      DType dtype = args[step.arg].dtype;
      if (!IsInteger(dtype) && dtype != DType::kBool)
        return Bad(where, absl::StrCat("argument ", step.arg, " (", args[step.arg].name,
                                       "): expected an integer, found ", std::string(Name(dtype))));
      return absl::OkStatus();
    }
    case RecipeOp::kDim:
    case RecipeOp::kStride:
      KILN_RETURN_IF_ERROR(CheckArgument(where, step.arg, true, args));
      if (step.index >= args[step.arg].rank)
        return Bad(where, absl::StrCat("dimension ", step.index, " of argument ", step.arg, " (", args[step.arg].name,
                                       ") of rank ", args[step.arg].rank));
      return absl::OkStatus();
    default:
      return CheckArgument(where, step.arg, true, args);  // kAddress
  }
}

// Values that a step takes from the stack; -1 = unknown step.
int Operands(RecipeOp op) {
  if (op >= RecipeOp::kConst && op <= RecipeOp::kLimit) return 0;
  if (op == RecipeOp::kNot) return 1;
  if ((op >= RecipeOp::kAdd && op <= RecipeOp::kMax) || (op >= RecipeOp::kEq && op <= RecipeOp::kOr)) return 2;
  return -1;
}

absl::Status CheckProgram(absl::string_view where, const RecipeProgram& program, absl::Span<const ArgSpec> args) {
  if (program.size() > kMaxRecipeSteps)
    return Bad(where, absl::StrCat("expected at most ", kMaxRecipeSteps, " steps, found ", program.size()));
  int depth = 0;
  for (const RecipeStep& step : program) {
    int operands = Operands(step.op);
    if (operands < 0) return Bad(where, absl::StrCat("there is no step ", static_cast<int>(step.op)));
    if (operands == 0) KILN_RETURN_IF_ERROR(CheckLeaf(where, step, args));
    if (depth < operands) return Bad(where, "a step takes more values than there are");
    depth += 1 - operands;
    if (depth > kMaxRecipeDepth) return Bad(where, absl::StrCat("needs a stack over ", kMaxRecipeDepth, " values"));
  }
  if (depth != 1) return Bad(where, absl::StrCat("expected one value at the end, found ", depth));
  return absl::OkStatus();
}

absl::Status CheckTensorMap(absl::string_view where, const RecipeParam& param, const ArgSpec& arg) {
  if (arg.rank < 1 || arg.rank > 5 || param.box.size() != static_cast<size_t>(arg.rank))
    return Bad(where, absl::StrCat("a box of ", param.box.size(), " dimensions for ", arg.name, " of rank ", arg.rank,
                                   ", expected the same, 1 to 5"));
  for (int64_t extent : param.box)
    if (extent < 1 || extent > 256) return Bad(where, absl::StrCat("box extent ", extent, ", expected 1 to 256"));
  if (param.swizzle != 0 && param.swizzle != 32 && param.swizzle != 64 && param.swizzle != 128)
    return Bad(where, absl::StrCat("a swizzle of ", param.swizzle, " B, expected 0, 32, 64 or 128"));
  if (Bits(arg.dtype) < 8) return Bad(where, absl::StrCat(arg.name, " has elements below a byte"));
  return absl::OkStatus();
}

absl::Status CheckParam(absl::string_view where, const RecipeParam& param, absl::Span<const ArgSpec> args) {
  switch (param.kind) {
    case RecipeParam::Kind::kPointer:
      return CheckArgument(where, param.arg, true, args);
    case RecipeParam::Kind::kTensorMap:
      KILN_RETURN_IF_ERROR(CheckArgument(where, param.arg, true, args));
      return CheckTensorMap(where, param, args[param.arg]);
    case RecipeParam::Kind::kScalar:
      KILN_RETURN_IF_ERROR(CheckArgument(where, param.arg, false, args));
      if (args[param.arg].dtype != param.dtype)
        return Bad(where, absl::StrCat("argument ", param.arg, " (", args[param.arg].name, ") is ",
                                       std::string(Name(args[param.arg].dtype)), ", passed as ",
                                       std::string(Name(param.dtype))));
      return absl::OkStatus();
    case RecipeParam::Kind::kInteger:
      if (param.dtype != DType::kI32 && param.dtype != DType::kI64)
        return Bad(where, absl::StrCat("expected i32 or i64, found ", std::string(Name(param.dtype))));
      return CheckProgram(where, param.value, args);
  }
  return Bad(where, absl::StrCat("there is no kind ", static_cast<int>(param.kind)));
}

absl::Status CheckRange(absl::string_view what, int64_t value, int64_t min, int64_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return Bad(what, absl::StrCat("expected ", min, " to ", max, ", found ", value));
}

int64_t TensorMaps(const LaunchRecipe& recipe) {
  return std::count_if(recipe.params.begin(), recipe.params.end(),
                       [](const RecipeParam& param) { return param.kind == RecipeParam::Kind::kTensorMap; });
}

}  // namespace

absl::Status Validate(const LaunchRecipe& recipe, absl::Span<const ArgSpec> args) {
  KILN_RETURN_IF_ERROR(CheckRange("block", recipe.block, 1, kMaxBlock));
  KILN_RETURN_IF_ERROR(CheckRange("cluster", recipe.cluster, 1, kMaxCluster));
  KILN_RETURN_IF_ERROR(CheckRange("shared bytes", recipe.shared_bytes, 0, kMaxBytes));
  KILN_RETURN_IF_ERROR(CheckRange("scratch bytes", recipe.scratch_bytes, 0, kMaxBytes));
  KILN_RETURN_IF_ERROR(CheckRange("native arguments", static_cast<int64_t>(recipe.params.size()), 0, kMaxNativeParams));
  KILN_RETURN_IF_ERROR(CheckRange("tensor maps", TensorMaps(recipe), 0, kMaxTensorMaps));
  KILN_RETURN_IF_ERROR(CheckRange("guards", static_cast<int64_t>(recipe.guards.size()), 0, kMaxGuards));
  for (int i = 0; i < 3; ++i)
    if (!recipe.grid[i].empty()) KILN_RETURN_IF_ERROR(CheckProgram(absl::StrCat("grid ", i), recipe.grid[i], args));
  for (size_t i = 0; i < recipe.params.size(); ++i)
    KILN_RETURN_IF_ERROR(CheckParam(absl::StrCat("native argument ", i), recipe.params[i], args));
  for (size_t i = 0; i < recipe.guards.size(); ++i)
    KILN_RETURN_IF_ERROR(CheckProgram(absl::StrCat("guard ", i), recipe.guards[i].condition, args));
  return absl::OkStatus();
}

}  // namespace kiln::runtime
