// Integer arithmetic. Index arithmetic means 64 bits; it is printed as int wherever the ranges of operands and result
// allow, and its first factor is widened where a result may leave 31 bits.
#include <bit>

#include "compiler/codegen/cuda/printer.h"
#include "compiler/codegen/cuda/types.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {

// Signed arithmetic wraps (docs/numerics.md) but overflow is undefined in C++. BoundsOf answers with the whole type for
// what it cannot hold within it.
bool Printer::MayWrap(const Expr& e, DType dtype) const {
  Bounds bounds = BoundsOf(e, facts_);
  if (dtype == DType::kI64) return bounds.min == INT64_MIN || bounds.max == INT64_MAX;
  if (dtype == DType::kI32)
    return !bounds.Within(INT32_MIN, INT32_MAX) || (bounds.min == INT32_MIN && bounds.max == INT32_MAX);
  return false;
}

Code Printer::Arithmetic(const Expr& e, DType dtype, std::string_view op, int precedence, std::string_view wrapped) {
  Code a = Converted(e->args[0], dtype), b = Converted(e->args[1], dtype);
  if (MayWrap(e, dtype)) {
    Use(wrapped);
    Code code = CallOf(StrCat(wrapped, "<", CType(dtype), ">"), {a.text, b.text});
    code.wide = dtype == DType::kI64;
    return code;
  }
  bool wide = a.wide || b.wide;
  if (dtype == DType::kI64 && !wide && !FitsInt(e)) {
    a = Widened(a);
    wide = true;
  }
  // The right operand of `-`, and of a product, binds closer than the operator; sums and products of integers do not
  // care about grouping but a product of a quotient does.
  return {StrCat(Operand(a, precedence), " ", op, " ", Operand(b, precedence + 1)), precedence, wide};
}

Code Printer::Division(const Expr& e, DType dtype) {
  bool is_div = e->op == Op::kDiv;
  const Expr &l = e->args[0], &r = e->args[1];
  Code a = Converted(l, dtype), b = Converted(r, dtype);
  bool wide = a.wide || b.wide;
  Bounds la = BoundsOf(l, facts_), lb = BoundsOf(r, facts_);
  bool is_plain = IsUnsigned(dtype) || (la.min >= 0 && lb.min >= 0);
  if (is_plain) return {StrCat(Operand(a, kProduct), is_div ? " / " : " % ", Operand(b, kPrefix)), kProduct, wide};
  if (lb.IsConstant() && lb.min > 0 && std::has_single_bit(static_cast<uint64_t>(lb.min))) {
    // An arithmetic shift is floor division, the mask its remainder, of negative values too.
    int shift = std::countr_zero(static_cast<uint64_t>(lb.min));
    if (is_div) return {StrCat(Operand(a, kShift), " >> ", shift), kShift, a.wide};
    return {StrCat(Operand(a, kBitwiseAnd), " & ", lb.min - 1), kBitwiseAnd, a.wide};
  }
  std::string_view function = is_div ? "floor_div" : "floor_mod";
  Use(function);
  std::string_view type = dtype == DType::kI64 ? (wide ? "long long" : "int") : CType(dtype);
  Code code = CallOf(StrCat(function, "<", type, ">"), {a.text, b.text});
  code.wide = wide;
  return code;
}

Code Printer::CeilDivision(const Expr& e, DType dtype) {
  const Expr &l = e->args[0], &r = e->args[1];
  Code a = Converted(l, dtype), b = Converted(r, dtype);
  Bounds la = BoundsOf(l, facts_), lb = BoundsOf(r, facts_);
  bool wide = a.wide || b.wide;
  if (la.min >= 0 && lb.IsConstant() && lb.min > 0 && la.max <= INT64_MAX - lb.min) {
    if (dtype == DType::kI64 && !wide && la.max > INT32_MAX - lb.min) a = Widened(a), wide = true;
    return {StrCat("(", Operand(a, kSum), " + ", lb.min - 1, ") / ", Operand(b, kPrefix)), kProduct, wide};
  }
  Use("ceil_div");
  std::string_view type = dtype == DType::kI64 ? (wide ? "long long" : "int") : CType(dtype);
  Code code = CallOf(StrCat("ceil_div<", type, ">"), {a.text, b.text});
  code.wide = wide;
  return code;
}

Code Printer::Extreme(const Node& node, DType dtype) {
  Code a = Converted(node.args[0], dtype), b = Converted(node.args[1], dtype);
  bool wide = a.wide || b.wide;
  if (wide) a = Widened(a), b = Widened(b);
  Code code = CallOf(node.op == Op::kMin ? "min" : "max", {a.text, b.text});
  code.wide = wide;
  return code;
}

Code Printer::Shift(const Expr& e, DType dtype) {
  Code a = Converted(e->args[0], dtype), b = Value(e->args[1]);
  if (e->op == Op::kShr) return {StrCat(Operand(a, kShift), " >> ", Operand(b, kSum)), kShift, a.wide};
  if (MayWrap(e, dtype)) {
    Use("wrap_shl");
    Code code = CallOf(StrCat("wrap_shl<", CType(dtype), ">"), {a.text, b.text});
    code.wide = dtype == DType::kI64;
    return code;
  }
  if (dtype == DType::kI64 && !FitsInt(e)) a = Widened(a);
  return {StrCat(Operand(a, kShift), " << ", Operand(b, kSum)), kShift, a.wide};
}

Code Printer::Negated(const Expr& e) {
  DType dtype = e->type.dtype;
  Code a = Converted(e->args[0], dtype);
  if (MayWrap(e, dtype)) {
    Use("wrap_sub");
    Code code = CallOf(StrCat("wrap_sub<", CType(dtype), ">"), {"0", a.text});
    code.wide = dtype == DType::kI64;
    return code;
  }
  if (dtype == DType::kI64 && !FitsInt(e)) a = Widened(a);
  return {StrCat("-", Operand(a, kPrimary)), kPrefix, a.wide};
}

Code Printer::IntegerBinary(const Expr& e, DType dtype) {
  switch (e->op) {
    case Op::kAdd: {
      // `x - 1` for `x + -1`.
      int64_t constant = 0;
      if (IsConst(e->args[1], &constant) && constant < 0 && constant > INT32_MIN && IsSigned(dtype) &&
          !MayWrap(e, dtype)) {
        Code a = Converted(e->args[0], dtype);
        if (dtype == DType::kI64 && !FitsInt(e)) a = Widened(a);
        return {StrCat(Operand(a, kSum), " - ", -constant), kSum, a.wide};
      }
      return Arithmetic(e, dtype, "+", kSum, "wrap_add");
    }
    case Op::kSub:
      return Arithmetic(e, dtype, "-", kSum, "wrap_sub");
    case Op::kMul:
      return Arithmetic(e, dtype, "*", kProduct, "wrap_mul");
    case Op::kDiv:
    case Op::kMod:
      return Division(e, dtype);
    case Op::kCeilDiv:
      return CeilDivision(e, dtype);
    case Op::kMin:
    case Op::kMax:
      return Extreme(*e, dtype);
    case Op::kShl:
    case Op::kShr:
      return Shift(e, dtype);
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor: {
      Code a = Converted(e->args[0], dtype), b = Converted(e->args[1], dtype);
      int precedence = e->op == Op::kBitAnd ? kBitwiseAnd : e->op == Op::kBitOr ? kBitwiseOr : kBitwiseXor;
      const char* text = e->op == Op::kBitAnd ? " & " : e->op == Op::kBitOr ? " | " : " ^ ";
      // Compilers warn of `a & b + c`, so anything but a primary or a product takes parentheses.
      return {StrCat(Operand(a, kProduct), text, Operand(b, kProduct)), precedence, a.wide || b.wide};
    }
    default:
      return Fail("an operator that integers do not have");
  }
}

}  // namespace kiln::cuda
