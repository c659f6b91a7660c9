#include "runtime/launch_recipe.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"

namespace kiln::runtime {
namespace {

// What stopped a program. The text is made only then, by Describe.
enum class Fault { kNone, kOverflow, kZeroDivide };

const char* Describe(Fault fault) {
  return fault == Fault::kZeroDivide ? "division by zero" : "the value does not fit 64 bits";
}

// A scalar's bits as an integer, by its dtype. A u64 past the range of i64 comes out negative.
int64_t AsInteger(DType dtype, uint64_t bits) {
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
int64_t DenseStride(const TensorArg& tensor, int index) {
  int64_t stride = 1;
  for (int i = tensor.rank - 1; i > index; --i)
    if (__builtin_mul_overflow(stride, tensor.shape[i], &stride)) return std::numeric_limits<int64_t>::max();
  return stride;
}

int64_t Limit(uint16_t index, const DeviceLimits& limits) {
  switch (static_cast<RecipeLimit>(index)) {
    case RecipeLimit::kMultiprocessors:
      return limits.multiprocessors;
    case RecipeLimit::kMaxClusters:
      return limits.max_clusters;
    default:
      return limits.max_shared_bytes;
  }
}

bool IsLeaf(RecipeOp op) { return op <= RecipeOp::kLimit; }

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

// The newest value lives in `top`, the others below it in `stack`. Steps and bounds hold by Validate.
Fault Run(absl::Span<const RecipeStep> program, absl::Span<const Arg> args, const DeviceLimits& limits,
          int64_t* result) {
  int64_t stack[kMaxRecipeDepth + 1];
  int64_t* below = stack;
  int64_t top = 0;
  for (const RecipeStep& step : program) {
    if (IsLeaf(step.op)) *below++ = top;
    switch (step.op) {
      case RecipeOp::kConst:
        top = step.value;
        break;
      case RecipeOp::kDim:
        top = args[step.arg].tensor.shape[step.index];
        break;
      case RecipeOp::kStride: {
        const TensorArg& tensor = args[step.arg].tensor;
        top = tensor.strides ? tensor.strides[step.index] : DenseStride(tensor, step.index);
        break;
      }
      case RecipeOp::kScalar:
        top = AsInteger(args[step.arg].scalar_dtype, args[step.arg].scalar);
        break;
      case RecipeOp::kAddress:
        top = static_cast<int64_t>(reinterpret_cast<uintptr_t>(args[step.arg].tensor.data));
        break;
      case RecipeOp::kLimit:
        top = Limit(step.index, limits);
        break;
      case RecipeOp::kAdd:
        if (__builtin_add_overflow(*--below, top, &top)) return Fault::kOverflow;
        break;
      case RecipeOp::kSub:
        if (__builtin_sub_overflow(*--below, top, &top)) return Fault::kOverflow;
        break;
      case RecipeOp::kMul:
        if (__builtin_mul_overflow(*--below, top, &top)) return Fault::kOverflow;
        break;
      case RecipeOp::kFloorDiv:
      case RecipeOp::kCeilDiv:
      case RecipeOp::kMod:
        if (Fault fault = Divide(step.op, *--below, top, &top); fault != Fault::kNone) return fault;
        break;
      case RecipeOp::kMin:
        top = std::min(*--below, top);
        break;
      case RecipeOp::kMax:
        top = std::max(*--below, top);
        break;
      case RecipeOp::kEq:
        top = *--below == top;
        break;
      case RecipeOp::kNe:
        top = *--below != top;
        break;
      case RecipeOp::kLt:
        top = *--below < top;
        break;
      case RecipeOp::kLe:
        top = *--below <= top;
        break;
      case RecipeOp::kAnd:
        top = (*--below != 0) & (top != 0);
        break;
      case RecipeOp::kOr:
        top = (*--below != 0) | (top != 0);
        break;
      case RecipeOp::kNot:
        top = top == 0;
        break;
    }
  }
  *result = top;
  return Fault::kNone;
}

// "argument 0 extent 1 = 1001": every fact the program reads, once, in its order.
std::string Facts(const RecipeProgram& program, absl::Span<const Arg> args, const DeviceLimits& limits) {
  std::string text;
  for (const RecipeStep& step : program) {
    if (!IsLeaf(step.op) || step.op == RecipeOp::kConst) continue;
    int64_t value = 0;
    Run(absl::MakeConstSpan(&step, 1), args, limits, &value);
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
