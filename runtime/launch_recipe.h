// Evaluates an artifact's launch recipe: arguments and device limits to a grid and native arguments.
//
// Every backend evaluates the same recipe through Evaluate, on every launch: it allocates nothing (but the text of an
// error) and runs a bounded number of steps. Validate, once when an artifact is loaded, is what lets it trust indices
// and stack depths. Pure; thread-safe.
#ifndef KILN_RUNTIME_LAUNCH_RECIPE_H_
#define KILN_RUNTIME_LAUNCH_RECIPE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "kiln/internal/artifact.h"
#include "kiln/internal/launch_recipe.h"
#include "runtime/device.h"

namespace kiln::runtime {

inline constexpr int kMaxNativeParams = 64;
inline constexpr int kMaxGuards = 64;

// What a launch takes. params[i] holds native argument i in its low bytes (little endian): a pointer, an i32 or i64, or
// the bits of a scalar in its own width.
struct ResolvedLaunch {
  int64_t grid[3] = {1, 1, 1};
  uint64_t params[kMaxNativeParams];
  int count = 0;

  bool empty() const { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }
};

// REQUIRES: Validate(recipe, specs).ok(), and `args` agree with those specs in number, kind, rank and scalar dtype.
// Errors: InvalidArgument when a guard fails (its message, with the value of every fact it reads), a step overflows 64
// bits or divides by zero, a value does not fit its native argument, a grid extent is negative or the number of CTAs
// overflows. With a zero grid everything else is evaluated all the same.
absl::Status Evaluate(const LaunchRecipe& recipe, absl::Span<const Arg> args, const DeviceLimits& limits,
                      ResolvedLaunch* launch);

// Whether every program is well formed for arguments of this signature: known steps, bounded length and stack, one
// result, indices that exist, and block, cluster and byte counts that make sense. For artifacts from outside.
absl::Status Validate(const LaunchRecipe& recipe, absl::Span<const ArgSpec> args);

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_LAUNCH_RECIPE_H_
