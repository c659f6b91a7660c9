// Expressions of native kernels.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compiler/codegen/llvm/kernel_printer.h"
#include "compiler/codegen/llvm/lanes.h"
#include "compiler/codegen/llvm/math_functions.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/visit.h"
#include "kiln/internal/status_macros.h"

namespace kiln::llvm_text {
namespace {

bool TouchesMemory(const Expr& e) {
  return Any(e, [](const Expr& node) { return node->kind == ExprKind::kLoad || node->kind == ExprKind::kCall; });
}

std::string FloatOp(Op op) {
  switch (op) {
    case Op::kAdd:
      return "fadd contract";
    case Op::kSub:
      return "fsub contract";
    default:
      return "fmul contract";
  }
}

std::string IntOp(Op op, bool is_signed) {
  switch (op) {
    case Op::kAdd:
      return "add";
    case Op::kSub:
      return "sub";
    case Op::kMul:
      return "mul";
    case Op::kBitAnd:
    case Op::kAnd:
      return "and";
    case Op::kBitOr:
    case Op::kOr:
      return "or";
    case Op::kBitXor:
      return "xor";
    case Op::kShl:
      return "shl";
    default:
      return is_signed ? "ashr" : "lshr";
  }
}

std::string Predicate(Op op, DType dtype) {
  std::string order;
  switch (op) {
    case Op::kEq:
      return IsFloat(dtype) ? "oeq" : "eq";
    case Op::kNe:
      return IsFloat(dtype) ? "une" : "ne";
    case Op::kLt:
      order = "lt";
      break;
    case Op::kLe:
      order = "le";
      break;
    case Op::kGt:
      order = "gt";
      break;
    default:
      order = "ge";
  }
  return (IsFloat(dtype) ? "o" : IsSigned(dtype) ? "s" : "u") + order;
}

bool IsComparison(Op op) { return op >= Op::kEq && op <= Op::kGe; }

std::string LibraryName(Op op) {
  switch (op) {
    case Op::kExp:
      return "exp";
    case Op::kExp2:
      return "exp2";
    case Op::kLog:
      return "log";
    case Op::kLog2:
      return "log2";
    case Op::kTanh:
      return "tanh";
    case Op::kSin:
      return "sin";
    case Op::kCos:
      return "cos";
    case Op::kErf:
      return "erf";
    default:
      return "pow";
  }
}

// What LLVM has an intrinsic for, correctly rounded.
std::string IntrinsicName(Op op) {
  switch (op) {
    case Op::kSqrt:
    case Op::kRsqrt:
      return "sqrt";
    case Op::kAbs:
      return "fabs";
    case Op::kFloor:
      return "floor";
    case Op::kCeil:
      return "ceil";
    case Op::kRound:
      return "rint";
    case Op::kFma:
      return "fma";
    default:
      return "";
  }
}

}  // namespace

absl::StatusOr<Value> KernelPrinter::Eval(const Expr& e) {
  KILN_CHECK(e, "an expression is missing");
  const Node& node = *e;
  DType written = node.dtype.dtype != DType::kNone ? node.dtype.dtype : DType::kNone;
  switch (node.kind) {
    case ExprKind::kInt: {
      Value v = Values::IntLiteral(node.int_value, written == DType::kNone ? DType::kI64 : written);
      v.literal = written == DType::kNone;
      return v;
    }
    case ExprKind::kFloat: {
      bool simple = written == DType::kNone || written == DType::kF32 || written == DType::kF64;
      Value v = Values::FloatLiteral(node.float_value, written == DType::kNone || !simple ? DType::kF32 : written);
      v.literal = written == DType::kNone;
      return simple ? v : values_.Convert(Values::FloatLiteral(node.float_value, DType::kF64), written);
    }
    case ExprKind::kBool:
      return Values::IntLiteral(node.int_value != 0, DType::kBool);
    case ExprKind::kVar:
      return Variable(node);
    case ExprKind::kUnary:
      return UnaryOp(node);
    case ExprKind::kBinary:
      return BinaryOp(e);
    case ExprKind::kSelect:
      return Selection(node);
    case ExprKind::kCast: {
      KILN_ASSIGN_OR_RETURN(Value v, Eval(node.args[0]));
      return values_.As(v, written);
    }
    case ExprKind::kMath:
      return MathFunction(node);
    case ExprKind::kCall:
      return IntrinsicCall(node);
    case ExprKind::kLoad:
      return ElementLoad(node);
    case ExprKind::kRamp:
      return LaneRamp(node);
    case ExprKind::kBroadcast: {
      KILN_ASSIGN_OR_RETURN(Value v, Eval(node.args[0]));
      // A literal waits for the type it meets; lanes follow there.
      return v.literal ? v : values_.Broadcast(v, static_cast<int>(node.int_value));
    }
    default:
      KILN_CHECK(false, "an expression that is not native, kind ", static_cast<int>(node.kind));
  }
}

absl::StatusOr<Value> KernelPrinter::EvalAs(const Expr& e, DType dtype) {
  KILN_ASSIGN_OR_RETURN(Value v, Eval(e));
  v = values_.As(v, dtype);
  return e->kind == ExprKind::kBroadcast ? values_.Broadcast(v, static_cast<int>(e->int_value)) : v;
}

absl::StatusOr<Value> KernelPrinter::Variable(const Node& node) {
  auto it = names_.find(node.name);
  KILN_CHECK(it != names_.end(), "no name \"", node.name, "\"");
  const Binding& binding = it->second;
  KILN_CHECK(binding.kind != Binding::Kind::kTensor, "tensor \"", node.name, "\" as a value");
  if (binding.kind == Binding::Kind::kValue) return binding.value;
  return Set(binding.value.dtype, binding.value.lanes,
             absl::StrCat("load ", binding.value.Type(), ", ptr ", binding.pointer));
}

absl::StatusOr<Value> KernelPrinter::UnaryOp(const Node& node) {
  KILN_ASSIGN_OR_RETURN(Value v, Eval(node.args[0]));
  if (v.literal && node.op == Op::kNeg) {
    Value negated = IsFloat(v.dtype)
                        ? Values::FloatLiteral(-v.number, v.dtype)
                        : Values::IntLiteral(static_cast<int64_t>(0 - static_cast<uint64_t>(v.integer)), v.dtype);
    negated.literal = true;
    return negated;
  }
  if (node.op == Op::kNot) {
    v = values_.Convert(v, DType::kBool);
    return Set(v.dtype, v.lanes, absl::StrCat("xor ", v.Typed(), ", ", IntConstant(1, "i1", v.lanes)));
  }
  v = values_.Convert(v, ComputedIn(v.dtype));
  if (node.op == Op::kBitNot)
    return Set(v.dtype, v.lanes, absl::StrCat("xor ", v.Typed(), ", ", IntConstant(-1, HeldAs(v.dtype), v.lanes)));
  if (IsFloat(v.dtype)) return Set(v.dtype, v.lanes, absl::StrCat("fneg ", v.Typed()));
  return Set(v.dtype, v.lanes,
             absl::StrCat("sub ", v.Type(), " ", IntConstant(0, HeldAs(v.dtype), v.lanes), ", ", v.text));
}

absl::StatusOr<Value> KernelPrinter::BinaryOp(const Expr& e) {
  const Node& node = *e;
  if (node.op == Op::kAnd || node.op == Op::kOr) return Logical(node);
  KILN_ASSIGN_OR_RETURN(Value a, Eval(node.args[0]));
  KILN_ASSIGN_OR_RETURN(Value b, Eval(node.args[1]));
  if (node.op == Op::kShl || node.op == Op::kShr) {
    a = values_.As(a, ComputedIn(a.dtype));
    b = values_.As(b, a.dtype);
    int lanes = std::max(a.lanes, b.lanes);
    a = values_.Broadcast(a, lanes);
    b = values_.Broadcast(b, lanes);
  } else {
    values_.Unify(&a, &b);
  }
  if (IsComparison(node.op)) return Comparison(node.op, a, b);
  switch (node.op) {
    case Op::kMin:
    case Op::kMax:
      return MinMax(node.op == Op::kMax, a, b);
    case Op::kDiv:
    case Op::kMod:
    case Op::kCeilDiv: {
      if (IsFloat(a.dtype)) return FloatDivision(node.op, a, b);
      bool nonnegative = BoundsOf(node.args[0], facts_).min >= 0 && BoundsOf(node.args[1], facts_).min >= 1;
      return IntDivision(node.op, a, b, nonnegative);
    }
    default:
      return Arithmetic(node.op, a, b);
  }
}

Value KernelPrinter::Arithmetic(Op op, const Value& a, const Value& b) {
  std::string spelled = IsFloat(a.dtype) ? FloatOp(op) : IntOp(op, IsSigned(a.dtype));
  return Set(a.dtype, a.lanes, absl::StrCat(spelled, " ", a.Typed(), ", ", b.text));
}

Value KernelPrinter::Comparison(Op op, const Value& a, const Value& b) {
  return Set(DType::kBool, a.lanes,
             absl::StrCat(IsFloat(a.dtype) ? "fcmp " : "icmp ", Predicate(op, a.dtype), " ", a.Typed(), ", ", b.text));
}

Value KernelPrinter::LlvmIntrinsic(const std::string& name, const Value& like, const std::vector<Value>& operands) {
  std::string arguments;
  for (const Value& operand : operands) absl::StrAppend(&arguments, arguments.empty() ? "" : ", ", operand.Typed());
  return Set(like.dtype, like.lanes,
             absl::StrCat("call ", like.Type(), " @llvm.", name, ".", Mangled(HeldAs(like.dtype), like.lanes), "(",
                          arguments, ")"));
}

Value KernelPrinter::MinMax(bool max, const Value& a, const Value& b) {
  if (IsFloat(a.dtype)) return LlvmIntrinsic(max ? "maxnum" : "minnum", a, {a, b});
  std::string sign = IsSigned(a.dtype) ? "s" : "u";
  return LlvmIntrinsic(sign + (max ? "max" : "min"), a, {a, b});
}

Value KernelPrinter::FloatDivision(Op op, const Value& a, const Value& b) {
  Value quotient = Set(a.dtype, a.lanes, absl::StrCat("fdiv ", a.Typed(), ", ", b.text));
  if (op == Op::kDiv) return quotient;
  if (op == Op::kCeilDiv) return LlvmIntrinsic("ceil", a, {quotient});
  return Arithmetic(Op::kSub, a, Arithmetic(Op::kMul, b, LlvmIntrinsic("floor", a, {quotient})));
}

// Floor division from the CPU's, which truncates: off by one where the remainder is not zero and has the other sign.
Value KernelPrinter::IntDivision(Op op, const Value& a, const Value& b, bool nonnegative) {
  auto set = [&](DType dtype, const auto&... pieces) { return Set(dtype, a.lanes, absl::StrCat(pieces...)); };
  if (nonnegative || !IsSigned(a.dtype)) {
    if (op == Op::kMod) return set(a.dtype, "urem ", a.Typed(), ", ", b.text);
    if (op == Op::kDiv) return set(a.dtype, "udiv ", a.Typed(), ", ", b.text);
    Value quotient = set(a.dtype, "udiv ", a.Typed(), ", ", b.text);
    Value rest = set(a.dtype, "urem ", a.Typed(), ", ", b.text);
    Value inexact = values_.Convert(rest, DType::kBool);
    return Arithmetic(Op::kAdd, quotient, values_.Convert(inexact, a.dtype));
  }
  // The least value divided by -1 is itself; the instruction would trap.
  Value minus_one = values_.Broadcast(Values::IntLiteral(-1, a.dtype), a.lanes);
  Value one = values_.Broadcast(Values::IntLiteral(1, a.dtype), a.lanes);
  Value zero = values_.Broadcast(Values::IntLiteral(0, a.dtype), a.lanes);
  Value negates = Comparison(Op::kEq, b, minus_one);
  auto select = [&](const Value& c, const Value& x, const Value& y) {
    return set(x.dtype, "select ", c.Typed(), ", ", x.Typed(), ", ", y.Typed());
  };
  Value divisor = select(negates, one, b);
  Value quotient = set(a.dtype, "sdiv ", a.Typed(), ", ", divisor.text);
  Value rest = set(a.dtype, "srem ", a.Typed(), ", ", divisor.text);
  Value inexact = values_.Convert(rest, DType::kBool);
  Value signs = Comparison(Op::kLt, Arithmetic(Op::kBitXor, rest, divisor), zero);
  if (op == Op::kCeilDiv) {
    Value same = Set(DType::kBool, a.lanes, absl::StrCat("xor ", signs.Typed(), ", ", IntConstant(1, "i1", a.lanes)));
    Value up = values_.Convert(Arithmetic(Op::kAnd, inexact, same), a.dtype);
    return select(negates, Arithmetic(Op::kSub, zero, a), Arithmetic(Op::kAdd, quotient, up));
  }
  Value off = Arithmetic(Op::kAnd, inexact, signs);
  if (op == Op::kMod) return select(off, Arithmetic(Op::kAdd, rest, divisor), rest);
  Value floor = Arithmetic(Op::kSub, quotient, values_.Convert(off, a.dtype));
  return select(negates, Arithmetic(Op::kSub, zero, a), floor);
}

absl::StatusOr<Value> KernelPrinter::Branched(const Value& condition,
                                              absl::FunctionRef<absl::StatusOr<Value>()> if_true,
                                              absl::FunctionRef<absl::StatusOr<Value>()> if_false) {
  std::string then = out_.NewLabel("then"), otherwise = out_.NewLabel("else"), join = out_.NewLabel("join");
  out_.BranchIf(condition.text, then, otherwise);
  out_.StartBlock(then);
  KILN_ASSIGN_OR_RETURN(Value a, if_true());
  std::string a_block = out_.block();
  out_.Branch(join);
  out_.StartBlock(otherwise);
  KILN_ASSIGN_OR_RETURN(Value b, if_false());
  std::string b_block = out_.block();
  out_.Branch(join);
  out_.StartBlock(join);
  return Set(a.dtype, a.lanes,
             absl::StrCat("phi ", a.Type(), " [ ", a.text, ", %", a_block, " ], [ ", b.text, ", %", b_block, " ]"));
}

int KernelPrinter::LanesOf(const Expr& e) const {
  switch (e->kind) {
    case ExprKind::kVar: {
      auto it = names_.find(e->name);
      return it != names_.end() && it->second.kind != Binding::Kind::kTensor ? it->second.value.lanes : 1;
    }
    case ExprKind::kLoad:
      return std::max(static_cast<int>(e->int_value), LanesOf(e->args[1]));
    case ExprKind::kRamp:
    case ExprKind::kBroadcast:
      return static_cast<int>(e->int_value);
    default: {
      int lanes = 1;
      if (e->kind == ExprKind::kCall && absl::StartsWith(e->name, "reduce_")) return lanes;
      for (const Expr& arg : e->args) lanes = std::max(lanes, LanesOf(arg));
      return lanes;
    }
  }
}

// The right operand may be a load that only the left one makes legal.
absl::StatusOr<Value> KernelPrinter::Logical(const Node& node) {
  KILN_ASSIGN_OR_RETURN(Value a, EvalAs(node.args[0], DType::kBool));
  if (a.lanes == 1 && TouchesMemory(node.args[1])) {
    const int lanes = LanesOf(node.args[1]);
    auto right = [&]() -> absl::StatusOr<Value> {
      KILN_ASSIGN_OR_RETURN(Value b, EvalAs(node.args[1], DType::kBool));
      return values_.Broadcast(b, lanes);
    };
    auto decided = [&]() -> absl::StatusOr<Value> {
      return values_.Broadcast(Values::IntLiteral(node.op == Op::kOr, DType::kBool), lanes);
    };
    return node.op == Op::kAnd ? Branched(a, right, decided) : Branched(a, decided, right);
  }
  KILN_ASSIGN_OR_RETURN(Value b, EvalAs(node.args[1], DType::kBool));
  int lanes = std::max(a.lanes, b.lanes);
  return Arithmetic(node.op, values_.Broadcast(a, lanes), values_.Broadcast(b, lanes));
}

absl::StatusOr<Value> KernelPrinter::Selection(const Node& node) {
  KILN_ASSIGN_OR_RETURN(Value condition, EvalAs(node.args[0], DType::kBool));
  if (condition.lanes == 1 && (TouchesMemory(node.args[1]) || TouchesMemory(node.args[2]))) {
    // Only the chosen arm is evaluated. Both are of one type in native form, but for a literal, which takes the
    // other's: the typed arm goes first.
    auto literal = [](const Expr& e) { return e->kind == ExprKind::kInt || e->kind == ExprKind::kFloat; };
    const bool swapped = literal(node.args[1]);
    if (swapped) condition = Set(DType::kBool, 1, absl::StrCat("xor ", condition.Typed(), ", 1"));
    const int lanes = std::max(LanesOf(node.args[1]), LanesOf(node.args[2]));
    Value first;
    return Branched(
        condition,
        [&]() -> absl::StatusOr<Value> {
          KILN_ASSIGN_OR_RETURN(first, Eval(node.args[swapped ? 2 : 1]));
          first = values_.Broadcast(first, lanes);
          return first;
        },
        [&]() -> absl::StatusOr<Value> {
          KILN_ASSIGN_OR_RETURN(Value second, EvalAs(node.args[swapped ? 1 : 2], first.dtype));
          return values_.Broadcast(second, lanes);
        });
  }
  KILN_ASSIGN_OR_RETURN(Value a, Eval(node.args[1]));
  KILN_ASSIGN_OR_RETURN(Value b, Eval(node.args[2]));
  if (a.dtype == b.dtype) {
    int lanes = std::max(a.lanes, b.lanes);
    a = values_.Broadcast(a, lanes);
    b = values_.Broadcast(b, lanes);
  } else {
    values_.Unify(&a, &b);
  }
  int lanes = std::max(a.lanes, condition.lanes);
  a = values_.Broadcast(a, lanes);
  b = values_.Broadcast(b, lanes);
  return Set(a.dtype, lanes, absl::StrCat("select ", condition.Typed(), ", ", a.Typed(), ", ", b.Typed()));
}

absl::StatusOr<Value> KernelPrinter::MathFunction(const Node& node) {
  std::vector<Value> operands;
  for (const Expr& arg : node.args) {
    KILN_ASSIGN_OR_RETURN(Value v, Eval(arg));
    operands.push_back(v);
  }
  Value& x = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) values_.Unify(&x, &operands[i]);
  for (size_t i = 1; i < operands.size(); ++i) values_.Unify(&operands[i], &x);
  if (IsInteger(x.dtype) && node.op == Op::kAbs) {
    x = values_.Convert(x, ComputedIn(x.dtype));
    if (IsUnsigned(x.dtype)) return x;
    return MinMax(true, x, Arithmetic(Op::kSub, values_.Broadcast(Values::IntLiteral(0, x.dtype), x.lanes), x));
  }
  for (Value& v : operands) v = values_.As(v, IsFloat(v.dtype) ? ComputedIn(v.dtype) : DType::kF32);
  if (node.op == Op::kIsNan) return Set(DType::kBool, x.lanes, absl::StrCat("fcmp uno ", x.Typed(), ", ", x.text));
  if (std::string name = IntrinsicName(node.op); !name.empty()) {
    Value v = LlvmIntrinsic(name, x, operands);
    if (node.op != Op::kRsqrt) return v;
    Value one = values_.Broadcast(Values::FloatLiteral(1, x.dtype), x.lanes);
    return Set(v.dtype, v.lanes, absl::StrCat("fdiv ", one.Typed(), ", ", v.text));
  }
  if (x.dtype == DType::kF32 && HasPolynomial(node.op))
    return Set(x.dtype, x.lanes,
               absl::StrCat("call ", x.Type(), " ", helpers_.Polynomial(node.op, x.lanes), "(", x.Typed(), ")"));
  // The rest has no vector form: lane by lane through libm.
  std::string name = LibraryName(node.op) + (x.dtype == DType::kF32 ? "f" : "");
  std::string scalar = HeldAs(x.dtype);
  std::string function = helpers_.Library(name, scalar, static_cast<int>(operands.size()));
  std::string result = "poison";
  for (int lane = 0; lane < x.lanes; ++lane) {
    std::string arguments;
    for (const Value& v : operands) {
      std::string element = v.lanes == 1 ? v.text : out_.Set("extractelement ", v.Typed(), ", i64 ", lane);
      absl::StrAppend(&arguments, arguments.empty() ? "" : ", ", scalar, " ", element);
    }
    std::string value = out_.Set("call ", scalar, " ", function, "(", arguments, ")");
    result = x.lanes == 1 ? value
                          : out_.Set("insertelement ", x.Type(), " ", result, ", ", scalar, " ", value, ", i64 ", lane);
  }
  return Value{result, x.dtype, x.lanes};
}

absl::StatusOr<Value> KernelPrinter::LaneRamp(const Node& node) {
  KILN_ASSIGN_OR_RETURN(Value base, Eval(node.args[0]));
  base.literal = false;
  int lanes = static_cast<int>(node.int_value);
  std::string scalar = HeldAs(base.dtype);
  std::string steps = "<";
  for (int i = 0; i < lanes; ++i) absl::StrAppend(&steps, i ? ", " : "", scalar, " ", i);
  Value wide = values_.Broadcast(base, lanes);
  return Set(base.dtype, lanes, absl::StrCat("add ", wide.Typed(), ", ", steps, ">"));
}

}  // namespace kiln::llvm_text
