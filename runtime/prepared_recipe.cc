#include "runtime/prepared_recipe.h"

#include <algorithm>
#include <utility>

#include "runtime/recipe_steps.h"

namespace kiln::runtime {
namespace {

bool IsConst(const RecipeStep& step) { return step.op == RecipeOp::kConst; }
bool IsFact(const RecipeStep& step) { return IsLeaf(step.op) && !IsConst(step); }
bool SameFact(const RecipeStep& a, const RecipeStep& b) { return a.op == b.op && a.arg == b.arg && a.index == b.index; }

}  // namespace

PreparedRecipe::PreparedRecipe(LaunchRecipe recipe) : recipe_(std::move(recipe)) {
  for (const RecipeGuard& guard : recipe_.guards)
    if (!AddCondition(guard.condition)) other_conditions_.push_back(&guard.condition);
  for (const RecipeProgram& extent : recipe_.grid) {
    Value one;
    one.fact.value = 1;
    grid_.push_back(extent.empty() ? one : ValueOf(extent));
  }
  for (const RecipeParam& param : recipe_.params) {
    Param ready{param.kind, param.dtype == DType::kI32, param.arg, {}};
    if (param.kind == RecipeParam::Kind::kInteger) ready.integer = ValueOf(param.value);
    params_.push_back(ready);
  }
}

PreparedRecipe::Value PreparedRecipe::ValueOf(const RecipeProgram& program) {
  const bool with_literal =
      program.size() == 3 && IsLeaf(program[0].op) && IsConst(program[1]) && !IsLeaf(program[2].op);
  if (program.size() == 1) return {program[0]};
  if (with_literal) return {program[0], program[2].op, program[1].value};
  return {{}, RecipeOp::kAdd, 0, &program};
}

// Takes `fact <= c`, `c <= fact` and `fact % 2^k == 0`.
bool PreparedRecipe::AddCondition(const RecipeProgram& program) {
  Condition one;
  const bool compares = program.size() == 3 && program[2].op == RecipeOp::kLe;
  if (compares && IsFact(program[0]) && IsConst(program[1])) {
    one.fact = program[0];
    one.max = program[1].value;
  } else if (compares && IsConst(program[0]) && IsFact(program[1])) {
    one.fact = program[1];
    one.min = program[0].value;
  } else if (program.size() == 5 && IsFact(program[0]) && IsConst(program[1]) && program[2].op == RecipeOp::kMod &&
             IsConst(program[3]) && program[3].value == 0 && program[4].op == RecipeOp::kEq && program[1].value > 0 &&
             (program[1].value & (program[1].value - 1)) == 0) {
    one.fact = program[0];
    one.mask = program[1].value - 1;
  } else {
    return false;
  }
  auto same = std::find_if(conditions_.begin(), conditions_.end(),
                           [&](const Condition& other) { return SameFact(one.fact, other.fact); });
  if (same == conditions_.end()) same = conditions_.insert(same, {one.fact});
  same->min = std::max(same->min, one.min);
  same->max = std::min(same->max, one.max);
  same->mask |= one.mask;
  return true;
}

inline bool PreparedRecipe::Compute(const Value& value, absl::Span<const Arg> args, const DeviceLimits& limits,
                                    int64_t* result) {
  if (value.program != nullptr) return Run(*value.program, args, limits, result) == Fault::kNone;
  return Apply(value.op, FactOf(value.fact, args, limits), value.literal, result) == Fault::kNone;
}

inline bool PreparedRecipe::Holds(absl::Span<const Arg> args, const DeviceLimits& limits) const {
  for (const Condition& condition : conditions_) {
    const int64_t value = FactOf(condition.fact, args, limits);
    if (value < condition.min || value > condition.max || (value & condition.mask) != 0) return false;
  }
  for (const RecipeProgram* condition : other_conditions_) {
    int64_t holds = 0;
    if (Run(*condition, args, limits, &holds) != Fault::kNone || holds == 0) return false;
  }
  return true;
}

bool PreparedRecipe::Resolve(absl::Span<const Arg> args, const DeviceLimits& limits, ResolvedLaunch* launch) const {
  if (!Holds(args, limits)) return false;
  int64_t total = 1;
  for (int i = 0; i < 3; ++i) {
    int64_t extent = 0;
    if (!Compute(grid_[i], args, limits, &extent) || extent < 0) return false;
    if (__builtin_mul_overflow(total, extent, &total)) return false;
    launch->grid[i] = extent;
  }
  uint64_t* out = launch->params;
  for (const Param& param : params_) {
    if (param.kind == RecipeParam::Kind::kPointer || param.kind == RecipeParam::Kind::kTensorMap) {
      *out++ = reinterpret_cast<uintptr_t>(args[param.arg].tensor.data);
    } else if (param.kind == RecipeParam::Kind::kScalar) {
      *out++ = args[param.arg].scalar;
    } else {
      int64_t value = 0;
      if (!Compute(param.integer, args, limits, &value)) return false;
      if (param.narrow && value != static_cast<int32_t>(value)) return false;
      *out++ = static_cast<uint64_t>(value);
    }
  }
  launch->count = static_cast<int>(params_.size());
  return true;
}

}  // namespace kiln::runtime
