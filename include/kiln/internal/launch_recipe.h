// The launch recipe: how an artifact's arguments become a launch. A bounded postfix program over argument facts and
// device limits, evaluated in 64 bits without allocation; overflow, a division by zero and a failed guard are errors
// that name what failed. Serialized in the artifact; every backend and the fake device evaluate the same recipe
// (launch_recipe.cc of runtime/).
#ifndef KILN_INTERNAL_LAUNCH_RECIPE_H_
#define KILN_INTERNAL_LAUNCH_RECIPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kiln/internal/dtype.h"

namespace kiln {

// On-disk values: append only.
enum class RecipeOp : uint8_t {
  kConst = 1,    // push value
  kDim = 2,      // push extent `index` of argument `arg`
  kStride = 3,   // push stride `index` of argument `arg`, in elements
  kScalar = 4,   // push scalar argument `arg` as an integer
  kAddress = 5,  // push the address of argument `arg`
  kLimit = 6,    // push device limit `index` (RecipeLimit)
  kAdd = 16,
  kSub = 17,
  kMul = 18,
  kFloorDiv = 19,
  kCeilDiv = 20,
  kMod = 21,
  kMin = 22,
  kMax = 23,
  kEq = 32,
  kNe = 33,
  kLt = 34,
  kLe = 35,
  kAnd = 36,
  kOr = 37,
  kNot = 38,
};

enum class RecipeLimit : uint8_t { kMultiprocessors = 1, kMaxClusters = 2, kMaxSharedBytes = 3 };

struct RecipeStep {
  RecipeOp op = RecipeOp::kConst;
  uint16_t arg = 0;
  uint16_t index = 0;
  int64_t value = 0;
};

inline constexpr int kMaxRecipeSteps = 256;
inline constexpr int kMaxRecipeDepth = 16;
inline constexpr int kMaxTensorMaps = 16;

using RecipeProgram = std::vector<RecipeStep>;

// Must be nonzero, or the launch is refused with `message`.
struct RecipeGuard {
  RecipeProgram condition;
  std::string message;
};

// One native argument, in ABI order.
struct RecipeParam {
  enum class Kind : uint8_t { kPointer = 1, kInteger = 2, kScalar = 3, kTensorMap = 4 };
  Kind kind = Kind::kPointer;
  uint16_t arg = 0;            // kPointer, kTensorMap: a tensor argument; kScalar: a scalar argument
  DType dtype = DType::kNone;  // kInteger: i32 or i64 as the native function takes it; kScalar: the scalar's
  RecipeProgram value;         // kInteger
  // kTensorMap: CUDA's descriptor of the argument for the copy engine
  std::vector<int64_t> box;  // Elements of one copy, by dimension of the argument, outermost first
  int swizzle = 0;           // Bytes: 0, 32, 64, 128
};

struct LaunchRecipe {
  RecipeProgram grid[3];  // An empty program is 1
  int32_t block = 1;      // Threads of a CTA
  int32_t cluster = 1;
  int64_t shared_bytes = 0;   // Dynamic shared memory
  int64_t scratch_bytes = 0;  // CPU: a worker's scratch
  std::vector<RecipeParam> params;
  std::vector<RecipeGuard> guards;
};

}  // namespace kiln

#endif  // KILN_INTERNAL_LAUNCH_RECIPE_H_
