#include "compiler/interp/tile/evaluate.h"

#include <utility>

#include "absl/status/status.h"
#include "compiler/interp/arith.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

bool IsUntypedLiteral(const Expr& e) {
  return (e->kind == ExprKind::kInt || e->kind == ExprKind::kFloat) && !e->type.Known() && !e->dtype.Known();
}

// An element counts as held where it is in both.
std::vector<uint8_t> Both(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  if (a.empty()) return b;
  std::vector<uint8_t> both = a;
  for (size_t k = 0; k < b.size(); ++k) both[k] = both[k] && b[k];
  return both;
}

int64_t Count(const ValuePtr& value) { return static_cast<int64_t>(value->data.size()); }

// Operands side by side: the same shape, except scalars, which stay one element.
struct Aligned {
  Shape shape;
  std::vector<uint8_t> held;
};
absl::StatusOr<Aligned> Align(std::vector<ValuePtr>& operands) {
  Aligned aligned;
  for (const ValuePtr& operand : operands) {
    KILN_ASSIGN_OR_RETURN(aligned.shape, BroadcastShape(aligned.shape, operand->shape));
  }
  KILN_RETURN_IF_ERROR(CheckTileSize(aligned.shape));
  for (ValuePtr& operand : operands) {
    if (!operand->IsScalar()) operand = BroadcastTo(operand, aligned.shape);
    aligned.held = Both(aligned.held, operand->held);
  }
  return aligned;
}

int StrideOf(const ValuePtr& operand) { return operand->IsScalar() ? 0 : 1; }

Value Result(DType dtype, const Aligned& aligned) {
  Value value;
  value.dtype = dtype;
  value.shape = aligned.shape;
  value.data.resize(static_cast<size_t>(ElementCount(aligned.shape)));
  value.held = aligned.held;
  return value;
}

// The dtype the typing pass gave the node; `computed` where it did not run.
ValuePtr AsTyped(const Expr& e, Value computed) {
  if (e->type.Known() && e->type.dtype != computed.dtype) {
    ConvertAll(e->type.dtype, computed.dtype, computed.data.data(), static_cast<int64_t>(computed.data.size()));
    computed.dtype = e->type.dtype;
  }
  return std::make_shared<const Value>(std::move(computed));
}

}  // namespace

ValuePtr ConvertValue(DType to, const ValuePtr& value) {
  if (value->dtype == to) return value;
  Value result = *value;
  ConvertAll(to, value->dtype, result.data.data(), Count(value));
  result.dtype = to;
  return std::make_shared<const Value>(std::move(result));
}

absl::StatusOr<ValuePtr> Evaluator::Eval(const Expr& e) {
  absl::StatusOr<ValuePtr> value = EvalNode(e);
  // The innermost node that failed set its place first.
  if (!value.ok() && place_.line == 0) place_ = e->at;
  return value;
}

absl::StatusOr<ValuePtr> Evaluator::EvalNode(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kBool:
      return EvalLiteral(e);
    case ExprKind::kVar:
      return EvalVar(e);
    case ExprKind::kUnary:
      return EvalUnary(e);
    case ExprKind::kBinary:
      return EvalBinary(e);
    case ExprKind::kSelect:
      return EvalSelect(e);
    case ExprKind::kMath:
      return EvalMath(e);
    case ExprKind::kCast: {
      KILN_ASSIGN_OR_RETURN(ValuePtr value, Eval(e->args[0]));
      return ConvertValue(e->dtype.dtype, value);
    }
    case ExprKind::kIndex:
      return EvalIndexOf(e);
    case ExprKind::kDim: {
      KILN_ASSIGN_OR_RETURN(View view, EvalView(e->args[0]));
      if (e->int_value < 0 || e->int_value >= static_cast<int64_t>(view.dims.size())) {
        return absl::InvalidArgumentError(
            StrCat("dim: axis ", e->int_value, " of a tensor of rank ", view.dims.size()));
      }
      DType dtype = e->type.Known() ? e->type.dtype : DType::kI64;
      return ScalarValue(dtype, IntSlot(view.dims[static_cast<size_t>(e->int_value)].extent));
    }
    case ExprKind::kSubscript:
    case ExprKind::kReshape:
    case ExprKind::kPermute:
    case ExprKind::kReinterpret: {
      KILN_ASSIGN_OR_RETURN(View view, EvalView(e));
      LoadOptions options = options_;
      if (Expr fill = FindAttr(*e, "fill")) {
        KILN_ASSIGN_OR_RETURN(ValuePtr value, Eval(fill));
        options.fill = ConvertValue(DType::kF64, value)->data[0].f;
      }
      return LoadView(view, options);
    }
    default:
      return absl::InvalidArgumentError(
          "an expression of the native level, or a slice outside of a subscript, in a tile kernel");
  }
}

absl::StatusOr<int64_t> Evaluator::EvalInt(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(ValuePtr value, Eval(e));
  if (!value->IsScalar() || IsFloat(value->dtype)) return absl::InvalidArgumentError("expected an integer");
  return value->data[0].i;
}

absl::StatusOr<bool> Evaluator::EvalBool(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(ValuePtr value, Eval(e));
  if (!value->IsScalar()) return absl::InvalidArgumentError("expected a scalar condition");
  return ConvertValue(DType::kBool, value)->data[0].i != 0;
}

absl::StatusOr<ValuePtr> Evaluator::EvalLiteral(const Expr& e) {
  bool is_float = e->kind == ExprKind::kFloat;
  DType dtype = e->type.Known()              ? e->type.dtype
                : e->dtype.Known()           ? e->dtype.dtype
                : e->kind == ExprKind::kBool ? DType::kBool
                : is_float                   ? DType::kF32
                                             : DType::kI64;
  if (is_float) return ScalarValue(dtype, Convert(dtype, DType::kF64, FloatSlot(e->float_value)));
  return ScalarValue(dtype, Convert(dtype, DType::kI64, IntSlot(e->int_value)));
}

absl::StatusOr<const Variable*> Evaluator::Find(const Expr& var) {
  auto it = program_.names.find(var->name);
  const Variable* variable =
      it == program_.names.end() ? nullptr : &frame_.variables[static_cast<size_t>(it->second.id)];
  if (!variable || (!variable->value && !variable->view)) {
    return absl::InvalidArgumentError(StrCat("\"", var->name, "\" has no value here"));
  }
  return variable;
}

absl::StatusOr<ValuePtr> Evaluator::EvalVar(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(const Variable* variable, Find(e));
  if (variable->value) return variable->value;
  return LoadView(*variable->view, options_);
}

absl::StatusOr<View> Evaluator::EvalView(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kVar: {
      KILN_ASSIGN_OR_RETURN(const Variable* variable, Find(e));
      if (variable->view) return *variable->view;
      return ValueView(variable->value);
    }
    case ExprKind::kSubscript: {
      KILN_ASSIGN_OR_RETURN(View view, EvalView(e->args[0]));
      std::vector<SubscriptItem> items;
      for (size_t k = 1; k < e->args.size(); ++k) {
        const Expr& arg = e->args[k];
        SubscriptItem item;
        if (arg->kind == ExprKind::kSlice) {
          item.kind = SubscriptItem::Kind::kSlice;
          KILN_ASSIGN_OR_RETURN(item.begin, EvalInt(arg->args[0]));
          KILN_ASSIGN_OR_RETURN(item.extent, EvalInt(arg->args[1]));
          if (arg->args.size() > 2) {
            KILN_ASSIGN_OR_RETURN(item.limit, EvalInt(arg->args[2]));
          }
        } else if (arg->kind == ExprKind::kFull) {
          item.kind = SubscriptItem::Kind::kFull;
        } else if (arg->kind == ExprKind::kNewAxis) {
          item.kind = SubscriptItem::Kind::kNewAxis;
        } else {
          KILN_ASSIGN_OR_RETURN(item.begin, EvalInt(arg));
        }
        items.push_back(item);
      }
      return SubscriptOf(view, items);
    }
    case ExprKind::kReshape: {
      KILN_ASSIGN_OR_RETURN(View view, EvalView(e->args[0]));
      Shape shape;
      for (size_t k = 1; k < e->args.size(); ++k) {
        KILN_ASSIGN_OR_RETURN(int64_t extent, EvalInt(e->args[k]));
        shape.push_back(extent);
      }
      return ReshapeOf(view, shape);
    }
    case ExprKind::kPermute: {
      KILN_ASSIGN_OR_RETURN(View view, EvalView(e->args[0]));
      return PermuteOf(view, e->ints);
    }
    case ExprKind::kReinterpret: {
      KILN_ASSIGN_OR_RETURN(View view, EvalView(e->args[0]));
      return ReinterpretOf(view, e->dtype.dtype);
    }
    default: {
      KILN_ASSIGN_OR_RETURN(ValuePtr value, Eval(e));
      return ValueView(value);
    }
  }
}

absl::StatusOr<ValuePtr> Evaluator::EvalUnary(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(ValuePtr operand, Eval(e->args[0]));
  DType dtype = e->op == Op::kNot ? DType::kBool : ComputeType(operand->dtype);
  operand = ConvertValue(dtype, operand);
  Value result = *operand;
  if (Fault fault = ApplyUnary(e->op, dtype, operand->data.data(), Count(operand), result.data.data())) {
    return absl::FailedPreconditionError(fault);
  }
  return AsTyped(e, std::move(result));
}

absl::StatusOr<ValuePtr> Evaluator::EvalBinary(const Expr& e) {
  std::vector<ValuePtr> operands(2);
  bool logical = e->op == Op::kAnd || e->op == Op::kOr;
  for (size_t k = 0; k < 2; ++k) {
    KILN_ASSIGN_OR_RETURN(operands[k], Eval(e->args[k]));
    // A decided condition guards what stands right of it.
    bool scalar = logical && operands[k]->IsScalar();
    if (k == 0 && scalar && (ConvertValue(DType::kBool, operands[0])->data[0].i != 0) == (e->op == Op::kOr)) {
      return ConvertValue(DType::kBool, operands[0]);
    }
  }
  bool shift = e->op == Op::kShl || e->op == Op::kShr;
  for (size_t k = 0; k < 2 && !shift && !logical; ++k) {
    if (IsUntypedLiteral(e->args[k]) && !IsUntypedLiteral(e->args[1 - k])) {
      operands[k] = ConvertValue(
          CommonType(operands[1 - k]->dtype, e->args[k]->kind == ExprKind::kFloat ? DType::kF32 : DType::kI32),
          operands[k]);
    }
  }
  DType dtype = logical ? DType::kBool
                : shift ? ComputeType(operands[0]->dtype)
                        : CommonType(operands[0]->dtype, operands[1]->dtype);
  operands[0] = ConvertValue(dtype, operands[0]);
  operands[1] = ConvertValue(shift ? DType::kI64 : dtype, operands[1]);
  KILN_ASSIGN_OR_RETURN(Aligned aligned, Align(operands));
  Value result = Result(IsComparison(e->op) ? DType::kBool : dtype, aligned);
  Fault fault = ApplyBinary(e->op, dtype, operands[0]->data.data(), StrideOf(operands[0]), operands[1]->data.data(),
                            StrideOf(operands[1]), static_cast<int64_t>(result.data.size()), result.data.data());
  if (fault) {
    if (e->at.line > 0) place_ = e->at;
    return absl::FailedPreconditionError(fault);
  }
  return AsTyped(e, std::move(result));
}

absl::StatusOr<ValuePtr> Evaluator::EvalSelect(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(ValuePtr condition, Eval(e->args[0]));
  condition = ConvertValue(DType::kBool, condition);
  // Of a scalar condition only the chosen side is evaluated, so that it guards the other one's accesses.
  if (condition->IsScalar()) {
    KILN_ASSIGN_OR_RETURN(ValuePtr chosen, Eval(e->args[condition->data[0].i ? 1 : 2]));
    return e->type.Known() ? ConvertValue(e->type.dtype, chosen) : chosen;
  }
  std::vector<ValuePtr> operands = {condition, nullptr, nullptr};
  KILN_ASSIGN_OR_RETURN(operands[1], Eval(e->args[1]));
  KILN_ASSIGN_OR_RETURN(operands[2], Eval(e->args[2]));
  DType dtype = operands[1]->dtype == operands[2]->dtype ? operands[1]->dtype
                                                         : CommonType(operands[1]->dtype, operands[2]->dtype);
  for (size_t k : {1, 2}) operands[k] = ConvertValue(dtype, operands[k]);
  KILN_ASSIGN_OR_RETURN(Aligned aligned, Align(operands));
  Value result = Result(dtype, aligned);
  for (size_t k = 0; k < result.data.size(); ++k) {
    const ValuePtr& side = operands[operands[0]->data[k].i ? 1 : 2];
    result.data[k] = side->data[side->IsScalar() ? 0 : k];
  }
  return AsTyped(e, std::move(result));
}

absl::StatusOr<ValuePtr> Evaluator::EvalMath(const Expr& e) {
  std::vector<ValuePtr> operands;
  DType dtype = DType::kNone;
  for (const Expr& arg : e->args) {
    KILN_ASSIGN_OR_RETURN(ValuePtr operand, Eval(arg));
    dtype = dtype == DType::kNone ? ComputeType(operand->dtype) : CommonType(dtype, operand->dtype);
    operands.push_back(std::move(operand));
  }
  if (static_cast<int>(operands.size()) != MathArity(e->op))
    return absl::InvalidArgumentError("function with a wrong number of arguments");
  if (!IsFloat(dtype) && e->op != Op::kAbs) dtype = DType::kF32;
  for (ValuePtr& operand : operands) operand = ConvertValue(dtype, operand);
  KILN_ASSIGN_OR_RETURN(Aligned aligned, Align(operands));
  const Slot* data[3] = {};
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k]->IsScalar()) operands[k] = BroadcastTo(operands[k], aligned.shape);
    data[k] = operands[k]->data.data();
  }
  Value result = Result(e->op == Op::kIsNan ? DType::kBool : dtype, aligned);
  Fault fault = ApplyMath(e->op, dtype, data, static_cast<int64_t>(result.data.size()), result.data.data());
  if (fault) return absl::FailedPreconditionError(fault);
  return AsTyped(e, std::move(result));
}

absl::StatusOr<ValuePtr> Evaluator::EvalIndexOf(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(View view, EvalView(e->args[0]));
  Value result;
  result.dtype = e->type.Known() ? e->type.dtype : DType::kI64;
  result.shape = view.shape();
  auto rank = static_cast<int64_t>(result.shape.size());
  if (e->int_value < 0 || e->int_value >= rank) {
    return absl::InvalidArgumentError(StrCat("index: axis ", e->int_value, " of a tensor of rank ", rank));
  }
  KILN_RETURN_IF_ERROR(CheckTileSize(result.shape));
  auto axis = static_cast<size_t>(e->int_value);
  int64_t inner = ElementCount(absl::MakeConstSpan(result.shape).subspan(axis + 1));
  result.data.resize(static_cast<size_t>(ElementCount(result.shape)));
  for (size_t k = 0; k < result.data.size(); ++k) {
    result.data[k] = Convert(result.dtype, DType::kI64, IntSlot(static_cast<int64_t>(k) / inner % result.shape[axis]));
  }
  return std::make_shared<const Value>(std::move(result));
}

}  // namespace kiln::interp
