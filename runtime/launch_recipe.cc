#include "runtime/launch_recipe.h"

#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"

namespace kiln::runtime {
namespace {

// What stopped a program. The text is made only then, by Describe.
enum class Fault { kNone, kOverflow, kZeroDivide, kArgument, kIndex, kFloat, kStep, kDepth };

const char* Describe(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "nothing";
    case Fault::kOverflow:
      return "the value does not fit 64 bits";
    case Fault::kZeroDivide:
      return "division by zero";
    case Fault::kArgument:
      return "an argument is missing or of the other kind, tensor or scalar";
    case Fault::kIndex:
      return "a dimension is past the rank of its tensor, or a device limit is unknown";
    case Fault::kFloat:
      return "a floating point argument where an integer is needed";
    case Fault::kStep:
      return "unknown step";
    case Fault::kDepth:
      return "the program does not leave exactly one value within its stack";
  }
  return "nothing";
}

// A scalar's bits as an integer, by its dtype.
bool AsInteger(DType dtype, uint64_t bits, int64_t* value) {
  switch (dtype) {
    case DType::kBool:
      *value = (bits & 0xff) != 0;
      return true;
    case DType::kI8:
      *value = static_cast<int8_t>(bits);
      return true;
    case DType::kI16:
      *value = static_cast<int16_t>(bits);
      return true;
    case DType::kI32:
      *value = static_cast<int32_t>(bits);
      return true;
    case DType::kI64:
      *value = static_cast<int64_t>(bits);
      return true;
    case DType::kU8:
      *value = static_cast<uint8_t>(bits);
      return true;
    case DType::kU16:
      *value = static_cast<uint16_t>(bits);
      return true;
    case DType::kU32:
      *value = static_cast<uint32_t>(bits);
      return true;
    case DType::kU64:
      *value = static_cast<int64_t>(bits);
      return *value >= 0;
    default:
      return false;
  }
}

// Extent or stride; null strides mean dense row-major.
Fault TensorFact(const RecipeStep& step, const Arg& arg, int64_t* value) {
  const TensorArg& tensor = arg.tensor;
  if (step.index >= tensor.rank) return Fault::kIndex;
  if (step.op == RecipeOp::kDim) {
    *value = tensor.shape[step.index];
    return Fault::kNone;
  }
  if (tensor.strides) {
    *value = tensor.strides[step.index];
    return Fault::kNone;
  }
  int64_t stride = 1;
  for (int i = tensor.rank - 1; i > step.index; --i)
    if (__builtin_mul_overflow(stride, tensor.shape[i], &stride)) return Fault::kOverflow;
  *value = stride;
  return Fault::kNone;
}

Fault Limit(uint16_t index, const DeviceLimits& limits, int64_t* value) {
  switch (static_cast<RecipeLimit>(index)) {
    case RecipeLimit::kMultiprocessors:
      *value = limits.multiprocessors;
      return Fault::kNone;
    case RecipeLimit::kMaxClusters:
      *value = limits.max_clusters;
      return Fault::kNone;
    case RecipeLimit::kMaxSharedBytes:
      *value = limits.max_shared_bytes;
      return Fault::kNone;
  }
  return Fault::kIndex;
}

// The value that a leaf pushes.
Fault Leaf(const RecipeStep& step, absl::Span<const Arg> args, const DeviceLimits& limits, int64_t* value) {
  if (step.op == RecipeOp::kConst) {
    *value = step.value;
    return Fault::kNone;
  }
  if (step.op == RecipeOp::kLimit) return Limit(step.index, limits, value);
  if (step.arg >= args.size()) return Fault::kArgument;
  const Arg& arg = args[step.arg];
  if (arg.is_tensor == (step.op == RecipeOp::kScalar)) return Fault::kArgument;
  if (step.op == RecipeOp::kScalar) {
    return AsInteger(arg.scalar_dtype, arg.scalar, value) ? Fault::kNone : Fault::kFloat;
  }
  if (step.op == RecipeOp::kAddress) {
    *value = static_cast<int64_t>(reinterpret_cast<uintptr_t>(arg.tensor.data));
    return Fault::kNone;
  }
  return TensorFact(step, arg, value);
}

bool IsLeaf(RecipeOp op) { return op >= RecipeOp::kConst && op <= RecipeOp::kLimit; }

// Floor division and the two that follow from it. INT64_MIN / -1 overflows.
Fault Divide(RecipeOp op, int64_t a, int64_t b, int64_t* value) {
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

Fault Apply(RecipeOp op, int64_t a, int64_t b, int64_t* value) {
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
      *value = a < b ? a : b;
      return Fault::kNone;
    case RecipeOp::kMax:
      *value = a > b ? a : b;
      return Fault::kNone;
    case RecipeOp::kEq:
      *value = a == b;
      return Fault::kNone;
    case RecipeOp::kNe:
      *value = a != b;
      return Fault::kNone;
    case RecipeOp::kLt:
      *value = a < b;
      return Fault::kNone;
    case RecipeOp::kLe:
      *value = a <= b;
      return Fault::kNone;
    case RecipeOp::kAnd:
      *value = a != 0 && b != 0;
      return Fault::kNone;
    case RecipeOp::kOr:
      *value = a != 0 || b != 0;
      return Fault::kNone;
    default:
      return Fault::kStep;
  }
}

Fault Run(const RecipeProgram& program, absl::Span<const Arg> args, const DeviceLimits& limits, int64_t* result) {
  if (program.size() > kMaxRecipeSteps) return Fault::kDepth;
  int64_t stack[kMaxRecipeDepth];
  int depth = 0;
  for (const RecipeStep& step : program) {
    Fault fault = Fault::kNone;
    if (IsLeaf(step.op)) {
      if (depth == kMaxRecipeDepth) return Fault::kDepth;
      fault = Leaf(step, args, limits, &stack[depth++]);
    } else if (step.op == RecipeOp::kNot) {
      if (depth < 1) return Fault::kDepth;
      stack[depth - 1] = stack[depth - 1] == 0;
    } else {
      if (depth < 2) return Fault::kDepth;
      --depth;
      fault = Apply(step.op, stack[depth - 1], stack[depth], &stack[depth - 1]);
    }
    if (fault != Fault::kNone) return fault;
  }
  if (depth != 1) return Fault::kDepth;
  *result = stack[0];
  return Fault::kNone;
}

// "argument 0 extent 1 = 1001": every fact the program reads, once, in its order.
std::string Facts(const RecipeProgram& program, absl::Span<const Arg> args, const DeviceLimits& limits) {
  std::string text;
  for (const RecipeStep& step : program) {
    int64_t value = 0;
    if (!IsLeaf(step.op) || step.op == RecipeOp::kConst || Leaf(step, args, limits, &value) != Fault::kNone) continue;
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

[[gnu::cold, gnu::noinline]] absl::Status BadParam(int index, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("launch: native argument ", index, ": ", what));
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

absl::Status ResolveParam(const RecipeParam& param, int index, absl::Span<const Arg> args, const DeviceLimits& limits,
                          uint64_t* out) {
  if (param.kind == RecipeParam::Kind::kInteger) {
    int64_t value = 0;
    Fault fault = Run(param.value, args, limits, &value);
    if (fault != Fault::kNone) return Failed(absl::StrCat("native argument ", index), fault, param.value, args, limits);
    if (param.dtype == DType::kI32 && value != static_cast<int32_t>(value))
      return BadParam(index, absl::StrCat("expected a value of 32 bits, found ", value));
    *out = static_cast<uint64_t>(value);
    return absl::OkStatus();
  }
  if (param.arg >= args.size()) return BadParam(index, Describe(Fault::kArgument));
  const Arg& arg = args[param.arg];
  bool pointer = param.kind == RecipeParam::Kind::kPointer;
  if (arg.is_tensor != pointer) return BadParam(index, Describe(Fault::kArgument));
  if (!pointer && arg.scalar_dtype != param.dtype)
    return BadParam(index, absl::StrCat("expected a scalar of ", std::string(Name(param.dtype)), ", found ",
                                        std::string(Name(arg.scalar_dtype))));
  *out = pointer ? reinterpret_cast<uintptr_t>(arg.tensor.data) : arg.scalar;
  return absl::OkStatus();
}

}  // namespace

absl::Status Evaluate(const LaunchRecipe& recipe, absl::Span<const Arg> args, const DeviceLimits& limits,
                      ResolvedLaunch* launch) {
  for (const RecipeGuard& guard : recipe.guards) {
    int64_t holds = 0;
    Fault fault = Run(guard.condition, args, limits, &holds);
    if (fault != Fault::kNone) return Failed(guard.message, fault, guard.condition, args, limits);
    if (!holds) return GuardFailed(guard, args, limits);
  }
  if (absl::Status status = ResolveGrid(recipe, args, limits, launch); !status.ok()) return status;
  if (recipe.params.size() > kMaxNativeParams)
    return BadParam(kMaxNativeParams, "past the last that a launch can hold");
  launch->count = static_cast<int>(recipe.params.size());
  for (int i = 0; i < launch->count; ++i)
    if (absl::Status status = ResolveParam(recipe.params[i], i, args, limits, &launch->params[i]); !status.ok())
      return status;
  return absl::OkStatus();
}

}  // namespace kiln::runtime
