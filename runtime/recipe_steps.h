// The steps of a launch recipe, one by one: what both ways to evaluate a recipe are made of. Internal to runtime/.
#ifndef KILN_RUNTIME_RECIPE_STEPS_H_
#define KILN_RUNTIME_RECIPE_STEPS_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "kiln/internal/launch_recipe.h"
#include "runtime/device.h"

namespace kiln::runtime {

// What stopped a program.
enum class Fault { kNone, kOverflow, kZeroDivide };

// A scalar's bits as an integer, by its dtype. A u64 past the range of i64 comes out negative.
inline int64_t AsInteger(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::kI8:
      return static_cast<int8_t>(bits);
    case DType::kI16:
      return static_cast<int16_t>(bits);
    case DType::kI32:
      return static_cast<int32_t>(bits);
    case DType::kU8:
      return static_cast<uint8_t>(bits);
    case DType::kU16:
      return static_cast<uint16_t>(bits);
    case DType::kU32:
      return static_cast<uint32_t>(bits);
    case DType::kBool:
      return (bits & 0xff) != 0;
    default:
      return static_cast<int64_t>(bits);
  }
}

// Stride of a dense row-major tensor.
inline int64_t DenseStride(const TensorArg& tensor, int index) {
  int64_t stride = 1;
  for (int i = tensor.rank - 1; i > index; --i)
    if (__builtin_mul_overflow(stride, tensor.shape[i], &stride)) return std::numeric_limits<int64_t>::max();
  return stride;
}

inline bool IsLeaf(RecipeOp op) { return op <= RecipeOp::kLimit; }

// The value of a step without operands. Indices hold by Validate.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline int64_t FactOf(const RecipeStep& step, absl::Span<const Arg> args,
                                                   const DeviceLimits& limits) {
  switch (step.op) {
    case RecipeOp::kDim:
      return args[step.arg].tensor.shape[step.index];
    case RecipeOp::kStride: {
      const TensorArg& tensor = args[step.arg].tensor;
      return tensor.strides ? tensor.strides[step.index] : DenseStride(tensor, step.index);
    }
    case RecipeOp::kScalar:
      return AsInteger(args[step.arg].scalar_dtype, args[step.arg].scalar);
    case RecipeOp::kAddress:
      return static_cast<int64_t>(reinterpret_cast<uintptr_t>(args[step.arg].tensor.data));
    case RecipeOp::kLimit:
      switch (static_cast<RecipeLimit>(step.index)) {
        case RecipeLimit::kMultiprocessors:
          return limits.multiprocessors;
        case RecipeLimit::kMaxClusters:
          return limits.max_clusters;
        default:
          return limits.max_shared_bytes;
      }
    default:
      return step.value;
  }
}

// Floor division and the two that follow from it. INT64_MIN / -1 overflows.
inline Fault Divide(RecipeOp op, int64_t a, int64_t b, int64_t* value) {
  // Nearly every division is of an extent or an address by a small power of two; the divide instruction costs more than
  // the rest of a program.
  if (a >= 0 && b > 0 && (b & (b - 1)) == 0) {
    int64_t rest = a & (b - 1);
    *value = op == RecipeOp::kMod ? rest : (a >> __builtin_ctzll(b)) + (op == RecipeOp::kCeilDiv && rest != 0);
    return Fault::kNone;
  }
  if (b == 0) return Fault::kZeroDivide;
  if (b == -1 && a == std::numeric_limits<int64_t>::min()) return Fault::kOverflow;
  int64_t quotient = a / b;
  int64_t rest = a % b;
  bool floors_down = rest != 0 && ((rest < 0) != (b < 0));
  switch (op) {
    case RecipeOp::kFloorDiv:
      *value = quotient - floors_down;
      break;
    case RecipeOp::kCeilDiv:
      *value = quotient + (rest != 0 && !floors_down);
      break;
    default:
      *value = floors_down ? rest + b : rest;
      break;
  }
  return Fault::kNone;
}

// A step of two operands.
inline Fault Apply(RecipeOp op, int64_t a, int64_t b, int64_t* value) {
  switch (op) {
    case RecipeOp::kAdd:
      return __builtin_add_overflow(a, b, value) ? Fault::kOverflow : Fault::kNone;
    case RecipeOp::kSub:
      return __builtin_sub_overflow(a, b, value) ? Fault::kOverflow : Fault::kNone;
    case RecipeOp::kMul:
      return __builtin_mul_overflow(a, b, value) ? Fault::kOverflow : Fault::kNone;
    case RecipeOp::kFloorDiv:
    case RecipeOp::kCeilDiv:
    case RecipeOp::kMod:
      return Divide(op, a, b, value);
    case RecipeOp::kMin:
      *value = std::min(a, b);
      break;
    case RecipeOp::kMax:
      *value = std::max(a, b);
      break;
    case RecipeOp::kEq:
      *value = a == b;
      break;
    case RecipeOp::kNe:
      *value = a != b;
      break;
    case RecipeOp::kLt:
      *value = a < b;
      break;
    case RecipeOp::kLe:
      *value = a <= b;
      break;
    case RecipeOp::kAnd:
      *value = (a != 0) & (b != 0);
      break;
    default:  // kOr
      *value = (a != 0) | (b != 0);
      break;
  }
  return Fault::kNone;
}

// The value of a program.
Fault Run(absl::Span<const RecipeStep> program, absl::Span<const Arg> args, const DeviceLimits& limits,
          int64_t* result);

}  // namespace kiln::runtime

#endif  // KILN_RUNTIME_RECIPE_STEPS_H_
