#include <charconv>
#include <cmath>

#include "compiler/codegen/cuda/printer.h"
#include "compiler/codegen/cuda/types.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {
namespace {

struct MathForm {
  Op op;
  std::string_view f32;  // A function of the prelude, or one that is there without a header
  std::string_view f64;
  std::string_view precise;  // Of f32; empty = f32's own
};
constexpr MathForm kMath[] = {
    {Op::kExp, "exp_approx", "exp", "expf"},
    {Op::kExp2, "exp2_approx", "exp2", "exp2f"},
    {Op::kLog, "log_approx", "log", "logf"},
    {Op::kLog2, "log2_approx", "log2", "log2f"},
    {Op::kSqrt, "sqrtf", "sqrt", ""},
    {Op::kRsqrt, "rsqrt_approx", "rsqrt", "rsqrtf"},
    {Op::kTanh, "tanh_approx", "tanh", "tanhf"},
    {Op::kSin, "sin_approx", "sin", ""},
    {Op::kCos, "cos_approx", "cos", ""},
    {Op::kErf, "erff", "erf", ""},
    {Op::kAbs, "fabsf", "fabs", ""},
    {Op::kFloor, "floorf", "floor", ""},
    {Op::kCeil, "ceilf", "ceil", ""},
    {Op::kRound, "rintf", "rint", ""},
    {Op::kFma, "fmaf", "fma", ""},
    {Op::kPow, "powf", "pow", ""},
    {Op::kIsNan, "isnan", "isnan", ""},
};

std::string_view ComparisonText(Op op) {
  switch (op) {
    case Op::kEq:
      return "==";
    case Op::kNe:
      return "!=";
    case Op::kLt:
      return "<";
    case Op::kLe:
      return "<=";
    case Op::kGt:
      return ">";
    default:
      return ">=";
  }
}

bool IsComparison(Op op) { return op >= Op::kEq && op <= Op::kGe; }

// The shortest decimal that reads back as `value`, always with a point or an exponent.
template <typename Float>
std::string Decimal(Float value) {
  char buffer[64];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Code Printer::FloatLiteral(double value, DType dtype) {
  bool is_double = dtype == DType::kF64;
  double rounded = is_double ? value : static_cast<double>(static_cast<float>(value));
  if (std::isnan(rounded) || std::isinf(rounded)) {
    std::string_view name = std::isnan(rounded) ? "nan" : "inf";
    Use(name);
    bool negative = rounded < 0;
    return {StrCat(negative ? "-" : "", name, "()"), negative ? kPrefix : kPrimary, false};
  }
  std::string text = is_double ? Decimal(value) : Decimal(static_cast<float>(value)) + "f";
  return {text, text[0] == '-' ? kPrefix : kPrimary, false};
}

Code Printer::Literal(const Node& node, DType dtype) {
  if (node.kind == ExprKind::kBool) return {node.int_value ? "true" : "false", kPrimary, false};
  if (node.kind == ExprKind::kFloat) return FloatLiteral(node.float_value, dtype);
  int64_t value = node.int_value;
  if (IsFloat(dtype)) return FloatLiteral(static_cast<double>(value), dtype);
  if (dtype == DType::kU64) return {StrCat(static_cast<uint64_t>(value), "ull"), kPrimary, false};
  if (dtype == DType::kU32) return {StrCat(static_cast<uint32_t>(value), "u"), kPrimary, false};
  if (value == INT64_MIN) return {"(-9223372036854775807ll - 1)", kPrimary, true};
  if (value == INT32_MIN) return {"(-2147483647 - 1)", kPrimary, false};
  bool wide = value > INT32_MAX || value < INT32_MIN;
  return {StrCat(value, wide ? "ll" : ""), value < 0 ? kPrefix : kPrimary, wide};
}

Code Printer::VariableValue(const Node& node) {
  if (const Variable* variable = Find(node.name)) {
    if (variable->tensor) return Fail(StrCat("tensor \"", node.name, "\" where a scalar is expected"));
    return {names_.Of(node.name), kPrimary, variable->wide};
  }
  auto builtin = builtins_.find(node.name);
  if (builtin == builtins_.end()) return Fail(StrCat("there is nothing named \"", node.name, "\""));
  builtin->second = true;
  if (node.name == "cta_rank") Use("cta_rank");
  return {names_.Of(node.name), kPrimary, false};
}

Code Printer::Value(const Expr& e) {
  const Node& node = *e;
  if (node.type.lanes > 1) return Fail("a vector in arithmetic: CUDA code moves vectors and computes on scalars");
  switch (node.kind) {
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kBool:
      return Converted(e, node.type.dtype);
    case ExprKind::kVar:
      return VariableValue(node);
    case ExprKind::kCast:
      return Converted(node.args[0], node.type.dtype);
    case ExprKind::kLoad:
      return ScalarLoad(node);
    case ExprKind::kCall:
      return CallValue(node);
    case ExprKind::kMath:
      return MathValue(node);
    case ExprKind::kSelect:
      return SelectValue(node);
    case ExprKind::kBinary:
      return BinaryValue(e);
    case ExprKind::kUnary:
      if (node.op == Op::kNot) return {StrCat("!", Operand(Condition(node.args[0]), kPrefix)), kPrefix, false};
      if (node.op == Op::kNeg && IsInteger(node.type.dtype)) return Negated(e);
      {
        Code a = Converted(node.args[0], node.type.dtype);
        return {StrCat(node.op == Op::kNeg ? "-" : "~", Operand(a, kPrimary)), kPrefix, a.wide};
      }
    default:
      return Fail("an expression that native kernels do not have");
  }
}

Code Printer::BinaryValue(const Expr& e) {
  const Node& node = *e;
  if (IsComparison(node.op)) return Comparison(node);
  if (node.op == Op::kAnd || node.op == Op::kOr) {
    bool is_and = node.op == Op::kAnd;
    int precedence = is_and ? kLogicalAnd : kLogicalOr;
    Code a = Condition(node.args[0]), b = Condition(node.args[1]);
    // Compilers warn of `a || b && c`: parentheses around the other kind.
    auto operand = [&](const Code& code) {
      return Operand(code, code.precedence == precedence ? precedence : kBitwiseOr);
    };
    return {StrCat(operand(a), is_and ? " && " : " || ", operand(b)), precedence, false};
  }
  return IsFloat(node.type.dtype) ? FloatBinary(node, node.type.dtype) : IntegerBinary(e, node.type.dtype);
}

Code Printer::Comparison(const Node& node) {
  const Expr &a = node.args[0], &b = node.args[1];
  DType common = Promote(a->type.dtype, b->type.dtype);
  if (a->kind == ExprKind::kInt && !a->dtype.Known()) common = Promote(b->type.dtype, b->type.dtype);
  if (b->kind == ExprKind::kInt && !b->dtype.Known()) common = Promote(a->type.dtype, a->type.dtype);
  int precedence = node.op == Op::kEq || node.op == Op::kNe ? kEquality : kRelation;
  Code x = Converted(a, common), y = Converted(b, common);
  return {StrCat(Operand(x, kShift), " ", ComparisonText(node.op), " ", Operand(y, kShift)), precedence, false};
}

// Contraction is allowed inside one expression and nowhere else (docs/numerics.md), so it is written out, and NVRTC is
// told not to contract.
Code Printer::FusedMultiplyAdd(const Expr& a, const Expr& b, const Expr& c, DType dtype, bool negate_a, bool negate_c) {
  auto operand = [&](const Expr& e, bool negate) {
    Code code = Converted(e, dtype);
    return negate ? StrCat("-", Operand(code, kPrimary)) : code.text;
  };
  return CallOf(dtype == DType::kF64 ? "fma" : "fmaf", {operand(a, negate_a), operand(b, false), operand(c, negate_c)});
}

Code Printer::FloatBinary(const Node& node, DType dtype) {
  const Expr &l = node.args[0], &r = node.args[1];
  auto is_product = [&](const Expr& e) {
    return e->kind == ExprKind::kBinary && e->op == Op::kMul && e->type.dtype == dtype;
  };
  bool is_add = node.op == Op::kAdd;
  if (is_add || node.op == Op::kSub) {
    if (is_product(l)) return FusedMultiplyAdd(l->args[0], l->args[1], r, dtype, false, !is_add);
    if (is_product(r)) return FusedMultiplyAdd(r->args[0], r->args[1], l, dtype, !is_add, false);
  }
  Code a = Converted(l, dtype), b = Converted(r, dtype);
  bool is_double = dtype == DType::kF64;
  switch (node.op) {
    case Op::kAdd:
      return {StrCat(Operand(a, kSum), " + ", Operand(b, kProduct)), kSum, false};
    case Op::kSub:
      return {StrCat(Operand(a, kSum), " - ", Operand(b, kProduct)), kSum, false};
    case Op::kMul:
      return {StrCat(Operand(a, kProduct), " * ", Operand(b, kPrefix)), kProduct, false};
    case Op::kDiv:
      // A literal divisor is the vendor compiler's to turn into a product where that is exact.
      if (is_double || r->kind == ExprKind::kFloat)
        return {StrCat(Operand(a, kProduct), " / ", Operand(b, kPrefix)), kProduct, false};
      Use("divide");
      return CallOf("divide", {a.text, b.text});
    case Op::kMin:
      return CallOf(is_double ? "fmin" : "fminf", {a.text, b.text});
    case Op::kMax:
      return CallOf(is_double ? "fmax" : "fmaxf", {a.text, b.text});
    case Op::kMod:
      Use("float_mod");
      return CallOf("float_mod", {a.text, b.text});
    default:
      return Fail("an integer operator on floats");
  }
}

Code Printer::MathValue(const Node& node) {
  DType dtype = node.op == Op::kIsNan ? Promote(node.args[0]->type.dtype, DType::kF32) : node.type.dtype;
  if (IsInteger(dtype)) {
    Code a = Converted(node.args[0], dtype);
    if (node.op != Op::kAbs || IsUnsigned(dtype)) return a;
    Code result = CallOf("abs", {a.text});
    result.wide = a.wide;
    return result;
  }
  for (const MathForm& form : kMath) {
    if (form.op != node.op) continue;
    std::string_view function = dtype == DType::kF64 ? form.f64 : form.f32;
    if (dtype != DType::kF64 && node.int_value != 0 && !form.precise.empty()) function = form.precise;
    if (Prelude::HasPiece(function)) Use(function);
    std::string arguments;
    for (const Expr& arg : node.args) StrAppend(&arguments, arguments.empty() ? "" : ", ", Converted(arg, dtype).text);
    return {StrCat(function, "(", arguments, ")"), kPrimary, false};
  }
  return Fail("a function that has no CUDA form");
}

Code Printer::SelectValue(const Node& node) {
  Code condition = Condition(node.args[0]);
  Code a = Converted(node.args[1], node.type.dtype), b = Converted(node.args[2], node.type.dtype);
  return {StrCat(Operand(condition, kTernary + 1), " ? ", Operand(a, kTernary + 1), " : ", Operand(b, kTernary)),
          kTernary, a.wide || b.wide};
}

}  // namespace kiln::cuda
