#include "runtime/launch_recipe.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/recipe_steps.h"

namespace kiln::runtime {
namespace {

const char* Describe(Fault fault) {
  return fault == Fault::kZeroDivide ? "division by zero" : "the value does not fit 64 bits";
}

// "argument 0 extent 1 = 1001": every fact the program reads, once, in its order.
std::string Facts(const RecipeProgram& program, absl::Span<const Arg> args, const DeviceLimits& limits) {
  std::string text;
  for (const RecipeStep& step : program) {
    if (!IsLeaf(step.op) || step.op == RecipeOp::kConst) continue;
    const int64_t value = FactOf(step, args, limits);
    std::string fact;
    switch (step.op) {
      case RecipeOp::kDim:
        fact = absl::StrCat("argument ", step.arg, " extent ", step.index, " = ", value);
        break;
      case RecipeOp::kStride:
        fact = absl::StrCat("argument ", step.arg, " stride ", step.index, " = ", value);
        break;
      case RecipeOp::kScalar:
        fact = absl::StrCat("argument ", step.arg, " = ", value);
        break;
      case RecipeOp::kAddress:
        fact = absl::StrCat("argument ", step.arg, " address = 0x", absl::Hex(value));
        break;
      default:
        fact = absl::StrCat("device limit ", step.index, " = ", value);
        break;
    }
    if (text.find(fact) == std::string::npos) absl::StrAppend(&text, text.empty() ? "" : ", ", fact);
  }
  return text;
}

[[gnu::cold, gnu::noinline]] absl::Status Failed(absl::string_view what, Fault fault, const RecipeProgram& program,
                                                 absl::Span<const Arg> args, const DeviceLimits& limits) {
  std::string facts = Facts(program, args, limits);
  return absl::InvalidArgumentError(
      absl::StrCat("launch: ", what, ": ", Describe(fault), facts.empty() ? "" : " with ", facts));
}

[[gnu::cold, gnu::noinline]] absl::Status GuardFailed(const RecipeGuard& guard, absl::Span<const Arg> args,
                                                      const DeviceLimits& limits) {
  std::string facts = Facts(guard.condition, args, limits);
  if (facts.empty()) return absl::InvalidArgumentError(absl::StrCat("launch: ", guard.message));
  return absl::InvalidArgumentError(absl::StrCat("launch: ", guard.message, " (", facts, ")"));
}

[[gnu::cold, gnu::noinline]] absl::Status TooWide(int index, int64_t value) {
  return absl::InvalidArgumentError(
      absl::StrCat("launch: native argument ", index, ": expected a value of 32 bits, found ", value));
}

absl::Status ResolveGrid(const LaunchRecipe& recipe, absl::Span<const Arg> args, const DeviceLimits& limits,
                         ResolvedLaunch* launch) {
  static constexpr const char* kNames[] = {"grid x", "grid y", "grid z"};
  int64_t total = 1;
  for (int i = 0; i < 3; ++i) {
    launch->grid[i] = 1;
    if (recipe.grid[i].empty()) continue;
    Fault fault = Run(recipe.grid[i], args, limits, &launch->grid[i]);
    if (fault != Fault::kNone) return Failed(kNames[i], fault, recipe.grid[i], args, limits);
    if (launch->grid[i] < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("launch: ", kNames[i], ": expected no negative extent, found ", launch->grid[i]));
    if (__builtin_mul_overflow(total, launch->grid[i], &total))
      return Failed("grid", Fault::kOverflow, recipe.grid[i], args, limits);
  }
  return absl::OkStatus();
}

inline absl::Status ResolveParam(const RecipeParam& param, int index, absl::Span<const Arg> args,
                                 const DeviceLimits& limits, uint64_t* out) {
  // A backend with tensor maps makes one of the argument; the address stands for it here.
  if (param.kind == RecipeParam::Kind::kPointer || param.kind == RecipeParam::Kind::kTensorMap) {
    *out = reinterpret_cast<uintptr_t>(args[param.arg].tensor.data);
    return absl::OkStatus();
  }
  if (param.kind == RecipeParam::Kind::kScalar) {
    *out = args[param.arg].scalar;
    return absl::OkStatus();
  }
  int64_t value = 0;
  Fault fault = Run(param.value, args, limits, &value);
  if (fault != Fault::kNone) return Failed(absl::StrCat("native argument ", index), fault, param.value, args, limits);
  if (param.dtype == DType::kI32 && value != static_cast<int32_t>(value)) return TooWide(index, value);
  *out = static_cast<uint64_t>(value);
  return absl::OkStatus();
}

}  // namespace

Fault Run(absl::Span<const RecipeStep> program, absl::Span<const Arg> args, const DeviceLimits& limits,
          int64_t* result) {
  // The newest value lives in `top`, the others below it in `stack`. Steps and bounds hold by Validate.
  int64_t stack[kMaxRecipeDepth + 1];
  int64_t* below = stack;
  int64_t top = 0;
  for (const RecipeStep& step : program) {
    if (IsLeaf(step.op)) {
      *below++ = top;
      top = FactOf(step, args, limits);
    } else if (step.op == RecipeOp::kNot) {
      top = top == 0;
    } else if (Fault fault = Apply(step.op, *--below, top, &top); fault != Fault::kNone) {
      return fault;
    }
  }
  *result = top;
  return Fault::kNone;
}

absl::Status Evaluate(const LaunchRecipe& recipe, absl::Span<const Arg> args, const DeviceLimits& limits,
                      ResolvedLaunch* launch) {
  for (const RecipeGuard& guard : recipe.guards) {
    int64_t holds = 0;
    Fault fault = Run(guard.condition, args, limits, &holds);
    if (fault != Fault::kNone) return Failed(guard.message, fault, guard.condition, args, limits);
    if (!holds) return GuardFailed(guard, args, limits);
  }
  if (absl::Status status = ResolveGrid(recipe, args, limits, launch); !status.ok()) return status;
  launch->count = static_cast<int>(recipe.params.size());
  for (int i = 0; i < launch->count; ++i)
    if (absl::Status status = ResolveParam(recipe.params[i], i, args, limits, &launch->params[i]); !status.ok())
      return status;
  return absl::OkStatus();
}

}  // namespace kiln::runtime
