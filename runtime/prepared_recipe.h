// A launch recipe made ready when its artifact is loaded, since what a launch computes is nearly always little: facts,
// a fact divided by a literal, a fact that lies in a range or that a power of two divides. Those take no program, and
// the conditions on one fact are tested at once. All else runs as it stands, and Evaluate of launch_recipe.h says what
// is wrong when something is; so the outcome is always Evaluate's.
//
// Immutable; thread-safe. Neither copied nor moved.
#ifndef KILN_RUNTIME_PREPARED_RECIPE_H_
#define KILN_RUNTIME_PREPARED_RECIPE_H_

#include <cstdint>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/device.h"
#include "runtime/launch_recipe.h"

namespace kiln::runtime {

class PreparedRecipe {
 public:
  // REQUIRES, here and below: as Evaluate of launch_recipe.h.
  explicit PreparedRecipe(LaunchRecipe recipe);
  PreparedRecipe(const PreparedRecipe&) = delete;
  PreparedRecipe& operator=(const PreparedRecipe&) = delete;

  const LaunchRecipe& recipe() const { return recipe_; }

  absl::Status Evaluate(absl::Span<const Arg> args, const DeviceLimits& limits, ResolvedLaunch* launch) const {
    if (ABSL_PREDICT_TRUE(Resolve(args, limits, launch))) return absl::OkStatus();
    return runtime::Evaluate(recipe_, args, limits, launch);
  }

 private:
  // `fact op literal`, or a program.
  struct Value {
    RecipeStep fact;
    RecipeOp op = RecipeOp::kAdd;
    int64_t literal = 0;
    const RecipeProgram* program = nullptr;  // Of recipe_
  };
  struct Param {
    RecipeParam::Kind kind = RecipeParam::Kind::kPointer;
    bool narrow = false;  // An i32
    uint16_t arg = 0;
    Value integer;
  };
  // min <= fact <= max, and the bits of `mask` are zero.
  struct Condition {
    RecipeStep fact;
    int64_t min = INT64_MIN;
    int64_t max = INT64_MAX;
    int64_t mask = 0;
  };

  static Value ValueOf(const RecipeProgram& program);
  bool AddCondition(const RecipeProgram& program);

  // False when anything is wrong.
  static bool Compute(const Value& value, absl::Span<const Arg> args, const DeviceLimits& limits, int64_t* result);
  bool Holds(absl::Span<const Arg> args, const DeviceLimits& limits) const;
  bool Resolve(absl::Span<const Arg> args, const DeviceLimits& limits, ResolvedLaunch* launch) const;

  const LaunchRecipe recipe_;
  std::vector<Condition> conditions_;                   // A fact each
  std::vector<const RecipeProgram*> other_conditions_;  // Of recipe_
  std::vector<Value> grid_;
  std::vector<Param> params_;
};

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_PREPARED_RECIPE_H_
