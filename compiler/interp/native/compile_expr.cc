#include <bit>
#include <utility>

#include "compiler/interp/arith.h"
#include "compiler/interp/native/compiler.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

constexpr int kMaxLanes = 256;

bool IsUntypedLiteral(const Expr& e) {
  return (e->kind == ExprKind::kInt || e->kind == ExprKind::kFloat) && !e->type.Known() && !e->dtype.Known();
}

}  // namespace

absl::StatusOr<int> NativeCompiler::TensorOf(const Expr& e) const {
  auto it = e->kind == ExprKind::kVar ? tensors_.find(e->name) : tensors_.end();
  if (it == tensors_.end()) return Fail(e, StrCat("\"", e->name, "\" is no tensor of the native function"));
  return it->second;
}

absl::StatusOr<int64_t> NativeCompiler::ConstantOf(const Expr& e) const {
  if (e->kind == ExprKind::kInt || e->kind == ExprKind::kBool) return e->int_value;
  if (e->kind == ExprKind::kCast) return ConstantOf(e->args[0]);
  return Fail(e, "expected an integer constant");
}

Reg NativeCompiler::ConvertReg(Reg value, DType dtype) {
  if (value.dtype == dtype) return value;
  // Floats of every dtype share one form: nothing to do where every value is already one of the dtype.
  bool free = IsFloat(dtype) && IsFloat(value.dtype) &&
              (dtype == DType::kF64 || (dtype == DType::kF32 && value.dtype != DType::kF64));
  if (free) return {value.base, dtype, value.lanes};
  Reg result = Fresh(dtype, value.lanes);
  Instruction& in = Emit(Code::kConvert);
  in.dtype = dtype;
  in.from = value.dtype;
  in.lanes = value.lanes;
  in.dst = result.base;
  in.arg[0] = value.base;
  return result;
}

Reg NativeCompiler::SpreadReg(Reg value, int lanes) {
  if (value.lanes == lanes) return value;
  Reg result = Fresh(value.dtype, lanes);
  Instruction& in = Emit(Code::kSpread);
  in.lanes = lanes;
  in.dst = result.base;
  in.arg[0] = value.base;
  return result;
}

Reg NativeCompiler::AsTyped(const Expr& e, Reg computed) {
  return e->type.Known() && !e->type.tile ? ConvertReg(computed, e->type.dtype) : computed;
}

absl::StatusOr<Reg> NativeCompiler::CompileAs(const Expr& e, DType dtype, int lanes) {
  KILN_ASSIGN_OR_RETURN(Reg value, CompileExpr(e));
  if (value.lanes != 1 && value.lanes != lanes) {
    return Fail(e, StrCat("expected a value of ", lanes, lanes == 1 ? " lane" : " lanes", ", got ", value.lanes));
  }
  return SpreadReg(ConvertReg(value, dtype), lanes);
}

absl::StatusOr<Reg> NativeCompiler::CompileIndex(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(Reg value, CompileExpr(e));
  if (IsFloat(value.dtype)) return Fail(e, "expected an integer index");
  return ConvertReg(value, DType::kI64);
}

absl::StatusOr<Reg> NativeCompiler::CompileExpr(const Expr& e) {
  if (!e) return Fail(e, "an operand is missing");
  if (e->kind == ExprKind::kRamp || e->kind == ExprKind::kBroadcast || e->kind == ExprKind::kLoad) {
    if (e->int_value < 1 || e->int_value > kMaxLanes)
      return Fail(e, StrCat("expected 1 .. ", kMaxLanes, " lanes, got ", e->int_value));
  }
  switch (e->kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kBool:
      return CompileLiteral(e);
    case ExprKind::kVar: {
      auto it = variables_.find(e->name);
      if (it == variables_.end()) return Fail(e, StrCat("\"", e->name, "\" is not passed to the native function"));
      return it->second;
    }
    case ExprKind::kUnary: {
      KILN_ASSIGN_OR_RETURN(Reg operand, CompileExpr(e->args[0]));
      operand = ConvertReg(operand, e->op == Op::kNot ? DType::kBool : ComputeType(operand.dtype));
      Reg result = Fresh(operand.dtype, operand.lanes);
      Instruction& in = Emit(Code::kUnary);
      in.op = e->op;
      in.dtype = operand.dtype;
      in.lanes = operand.lanes;
      in.dst = result.base;
      in.arg[0] = operand.base;
      return AsTyped(e, result);
    }
    case ExprKind::kBinary:
      return e->op == Op::kAnd || e->op == Op::kOr ? CompileLogical(e) : CompileBinary(e);
    case ExprKind::kSelect:
      return CompileSelect(e);
    case ExprKind::kCast: {
      KILN_ASSIGN_OR_RETURN(Reg operand, CompileExpr(e->args[0]));
      return ConvertReg(operand, e->dtype.dtype);
    }
    case ExprKind::kMath:
      return CompileMath(e);
    case ExprKind::kCall:
      return CompileCall(e);
    case ExprKind::kLoad:
      return CompileLoad(e);
    case ExprKind::kBroadcast: {
      KILN_ASSIGN_OR_RETURN(Reg operand, CompileExpr(e->args[0]));
      int lanes = static_cast<int>(e->int_value);
      if (operand.lanes != 1 && operand.lanes != lanes)
        return Fail(e, StrCat("broadcast of ", operand.lanes, " lanes to ", lanes));
      return AsTyped(e, SpreadReg(operand, lanes));
    }
    case ExprKind::kRamp: {
      KILN_ASSIGN_OR_RETURN(Reg base, CompileExpr(e->args[0]));
      Reg result = Fresh(base.dtype, static_cast<int>(e->int_value));
      Instruction& in = Emit(Code::kRamp);
      in.dtype = base.dtype;
      in.lanes = result.lanes;
      in.dst = result.base;
      in.arg[0] = base.base;
      return AsTyped(e, result);
    }
    default:
      return Fail(e, "an expression of the tile level in a native kernel");
  }
}

absl::StatusOr<Reg> NativeCompiler::CompileLiteral(const Expr& e) {
  bool is_float = e->kind == ExprKind::kFloat;
  DType dtype = e->type.Known()              ? e->type.dtype
                : e->dtype.Known()           ? e->dtype.dtype
                : e->kind == ExprKind::kBool ? DType::kBool
                : is_float                   ? DType::kF32
                                             : DType::kI64;
  Slot slot = is_float ? Convert(dtype, DType::kF64, FloatSlot(e->float_value))
                       : Convert(dtype, DType::kI64, IntSlot(e->int_value));
  return SpreadReg(Constant(dtype, slot), e->type.Known() ? e->type.lanes : 1);
}

absl::StatusOr<Reg> NativeCompiler::CompileBinary(const Expr& e) {
  Reg operands[2];
  for (size_t k = 0; k < 2; ++k) {
    KILN_ASSIGN_OR_RETURN(operands[k], CompileExpr(e->args[k]));
  }
  bool shift = e->op == Op::kShl || e->op == Op::kShr;
  for (size_t k = 0; k < 2 && !shift; ++k) {
    // A literal takes the type of the other operand.
    if (!IsUntypedLiteral(e->args[k]) || IsUntypedLiteral(e->args[1 - k])) continue;
    DType least = e->args[k]->kind == ExprKind::kFloat ? DType::kF32 : DType::kI32;
    operands[k] = ConvertReg(operands[k], CommonType(operands[1 - k].dtype, least));
  }
  DType dtype = shift ? ComputeType(operands[0].dtype) : CommonType(operands[0].dtype, operands[1].dtype);
  int lanes = std::max(operands[0].lanes, operands[1].lanes);
  for (size_t k = 0; k < 2; ++k) {
    if (operands[k].lanes != 1 && operands[k].lanes != lanes)
      return Fail(e, StrCat("vectors of ", operands[0].lanes, " and ", operands[1].lanes, " lanes meet"));
    operands[k] = SpreadReg(ConvertReg(operands[k], shift && k == 1 ? DType::kI64 : dtype), lanes);
  }
  Reg result = Fresh(IsComparison(e->op) ? DType::kBool : dtype, lanes);
  Location outer = std::exchange(place_, e->at.line > 0 ? e->at : place_);
  Instruction& in = Emit(Code::kBinary);
  place_ = outer;
  in.op = e->op;
  in.dtype = dtype;
  in.lanes = lanes;
  in.dst = result.base;
  in.arg[0] = operands[0].base;
  in.arg[1] = operands[1].base;
  return AsTyped(e, result);
}

// The left side decides whether the right one is evaluated, unless they are vectors.
absl::StatusOr<Reg> NativeCompiler::CompileLogical(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(Reg left, CompileExpr(e->args[0]));
  left = ConvertReg(left, DType::kBool);
  auto combine = [&](Reg a, Reg b, Reg result) {
    Instruction& in = Emit(Code::kBinary);
    in.op = e->op;
    in.dtype = DType::kBool;
    in.lanes = result.lanes;
    in.dst = result.base;
    in.arg[0] = a.base;
    in.arg[1] = b.base;
  };
  if (left.lanes > 1 || e->args[1]->type.lanes > 1) {
    KILN_ASSIGN_OR_RETURN(Reg right, CompileExpr(e->args[1]));
    right = ConvertReg(right, DType::kBool);
    int lanes = std::max(left.lanes, right.lanes);
    Reg result = Fresh(DType::kBool, lanes);
    left = SpreadReg(left, lanes);
    right = SpreadReg(right, lanes);
    combine(left, right, result);
    return result;
  }
  Reg result = Fresh(DType::kBool, 1);
  combine(left, left, result);
  int skip = Here();
  Emit(e->op == Op::kAnd ? Code::kJumpIfZero : Code::kJumpIfOne).arg[0] = left.base;
  KILN_ASSIGN_OR_RETURN(Reg right, CompileExpr(e->args[1]));
  right = ConvertReg(right, DType::kBool);
  if (right.lanes > 1) return Fail(e, "a vector right of a scalar condition whose type does not say so");
  combine(right, right, result);
  program_.code[static_cast<size_t>(skip)].target = Here();
  return result;
}

absl::StatusOr<Reg> NativeCompiler::CompileSelect(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(Reg condition, CompileExpr(e->args[0]));
  condition = ConvertReg(condition, DType::kBool);
  if (condition.lanes > 1) {
    KILN_ASSIGN_OR_RETURN(Reg yes, CompileExpr(e->args[1]));
    KILN_ASSIGN_OR_RETURN(Reg no, CompileExpr(e->args[2]));
    DType dtype = e->type.Known() ? e->type.dtype : yes.dtype == no.dtype ? yes.dtype : CommonType(yes.dtype, no.dtype);
    yes = SpreadReg(ConvertReg(yes, dtype), condition.lanes);
    no = SpreadReg(ConvertReg(no, dtype), condition.lanes);
    Reg result = Fresh(dtype, condition.lanes);
    Instruction& in = Emit(Code::kSelect);
    in.lanes = condition.lanes;
    in.dst = result.base;
    in.arg[0] = condition.base;
    in.arg[1] = yes.base;
    in.arg[2] = no.base;
    return result;
  }
  // Of a scalar condition only the chosen side is evaluated, so that it guards the other one's accesses. A side that is
  // a literal comes second: it takes the other one's type.
  bool swapped = IsUntypedLiteral(e->args[1]) && !IsUntypedLiteral(e->args[2]);
  int test = Here();
  Emit(swapped ? Code::kJumpIfOne : Code::kJumpIfZero).arg[0] = condition.base;
  auto move = [&](Reg to, Reg value) {
    Instruction& in = Emit(Code::kMove);
    in.lanes = to.lanes;
    in.dst = to.base;
    in.arg[0] = value.base;
  };
  KILN_ASSIGN_OR_RETURN(Reg first, CompileExpr(e->args[swapped ? 2 : 1]));
  Reg joined =
      e->type.Known() ? Fresh(e->type.dtype, std::max(first.lanes, e->type.lanes)) : Fresh(first.dtype, first.lanes);
  first = SpreadReg(ConvertReg(first, joined.dtype), joined.lanes);
  move(joined, first);
  int skip = Here();
  Emit(Code::kJump);
  program_.code[static_cast<size_t>(test)].target = Here();
  KILN_ASSIGN_OR_RETURN(Reg second, CompileAs(e->args[swapped ? 1 : 2], joined.dtype, joined.lanes));
  move(joined, second);
  program_.code[static_cast<size_t>(skip)].target = Here();
  return joined;
}

absl::StatusOr<Reg> NativeCompiler::CompileMath(const Expr& e) {
  std::vector<Reg> operands;
  DType dtype = DType::kNone;
  int lanes = 1;
  for (const Expr& arg : e->args) {
    KILN_ASSIGN_OR_RETURN(Reg operand, CompileExpr(arg));
    dtype = dtype == DType::kNone ? ComputeType(operand.dtype) : CommonType(dtype, operand.dtype);
    lanes = std::max(lanes, operand.lanes);
    operands.push_back(operand);
  }
  if (static_cast<int>(operands.size()) != MathArity(e->op))
    return Fail(e, "function with a wrong number of arguments");
  if (!IsFloat(dtype) && e->op != Op::kAbs) dtype = DType::kF32;
  for (Reg& operand : operands) {
    if (operand.lanes != 1 && operand.lanes != lanes) return Fail(e, "vectors of different lanes meet");
    operand = SpreadReg(ConvertReg(operand, dtype), lanes);
  }
  Reg result = Fresh(e->op == Op::kIsNan ? DType::kBool : dtype, lanes);
  Instruction& in = Emit(Code::kMath);
  in.op = e->op;
  in.dtype = dtype;
  in.lanes = lanes;
  in.dst = result.base;
  for (size_t k = 0; k < operands.size(); ++k) in.arg[k] = operands[k].base;
  return AsTyped(e, result);
}

absl::StatusOr<Reg> NativeCompiler::CompileLoad(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(int tensor, TensorOf(e->args[0]));
  KILN_ASSIGN_OR_RETURN(Reg index, CompileIndex(e->args[1]));
  if (index.lanes > 1 && e->int_value > 1) return Fail(e, "a vector load at a vector of indices");
  DType dtype = program_.tensors[static_cast<size_t>(tensor)].dtype;
  Reg result = Fresh(dtype, index.lanes > 1 ? index.lanes : static_cast<int>(e->int_value));
  Location outer = std::exchange(place_, e->at.line > 0 ? e->at : place_);
  Instruction& in = Emit(index.lanes > 1 ? Code::kGather : Code::kLoad);
  place_ = outer;
  in.dtype = dtype;
  in.lanes = result.lanes;
  in.dst = result.base;
  in.arg[0] = tensor;
  in.arg[1] = index.base;
  return AsTyped(e, result);
}

}  // namespace kiln::interp
