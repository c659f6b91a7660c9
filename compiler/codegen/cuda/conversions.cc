// Conversions between dtypes, by docs/numerics.md: one rounding to nearest even, clamped where the destination clamps.
#include "compiler/codegen/cuda/printer.h"
#include "compiler/codegen/cuda/types.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {
namespace {

std::string_view OddPiece(DType from) {
  switch (from) {
    case DType::kF64:
      return "odd_f64";
    case DType::kU32:
      return "odd_u32";
    case DType::kI64:
      return "odd_i64";
    case DType::kU64:
      return "odd_u64";
    default:
      return "odd_i32";
  }
}

}  // namespace

Code Printer::ToNarrowFloat(Code code, DType from, DType to) {
  bool exact_in_f32 = from == DType::kF32 || from == DType::kBool || (IsInteger(from) && Bits(from) <= 16);
  if (!exact_in_f32) {
    Use(from == DType::kI64 && !code.wide ? "odd_i32" : OddPiece(from));
    code = CallOf("to_odd", {code.text});
  } else if (from != DType::kF32) {
    code = CastTo("float", code);
  }
  std::string function = StrCat("to_", kiln::Name(to));
  if (!Prelude::HasPiece(function)) return Fail(StrCat("a conversion to ", kiln::Name(to)));
  Use(function);
  return CallOf(function, {code.text});
}

Code Printer::ToInteger(Code code, DType from, DType to, const Expr& e) {
  if (IsFloat(from)) {
    if (Bits(to) < 32) {
      Use("to_int");
      int64_t most = (int64_t{1} << (Bits(to) - (IsSigned(to) ? 1 : 0))) - 1;
      int64_t least = IsSigned(to) ? -most - 1 : 0;
      return CastTo(CType(to), {StrCat("min(max(to_int(", code.text, "), ", least, "), ", most, ")"), kPrimary, false});
    }
    bool is_long = Bits(to) == 64, is_signed = IsSigned(to);
    std::string_view function = is_long ? (is_signed ? "to_long" : "to_ulong") : (is_signed ? "to_int" : "to_uint");
    Use(function);
    code = CallOf(function, {code.text});
    code.wide = to == DType::kI64;
    return code;
  }
  if (to == DType::kI64) {
    if (Bits(from) < 32 || from == DType::kI32) return code;
    bool small = BoundsOf(e, facts_).max <= INT32_MAX;
    code = CastTo(from == DType::kU32 && small ? "int" : "long long", code);
    code.wide = !(from == DType::kU32 && small);
    return code;
  }
  if (to == DType::kI32 && (Bits(from) < 32 || (from == DType::kI64 && !code.wide)))
    return {code.text, code.precedence};
  return CastTo(CType(to), code);
}

Code Printer::Converted(const Expr& e, DType to) {
  if (e->type.lanes > 1) return Fail("a vector in arithmetic: CUDA code moves vectors and computes on scalars");
  DType from = e->type.dtype;
  if (!e->type.Known()) return Fail("an expression whose type is not known");
  bool literal = e->kind == ExprKind::kInt || e->kind == ExprKind::kFloat || e->kind == ExprKind::kBool;
  if (literal && IsNarrowFloat(to)) return ToNarrowFloat(Literal(*e, DType::kF32), DType::kF32, to);
  if (e->kind == ExprKind::kInt && to != DType::kBool && (IsFloat(to) || Bits(to) >= 32)) return Literal(*e, to);
  if (e->kind == ExprKind::kFloat && IsFloat(to)) return Literal(*e, to);
  Code code = literal ? Literal(*e, from) : Value(e);
  if (from == to) return code;
  if (IsNarrowFloat(from)) {
    Use(StrCat("to_f32_", kiln::Name(from)));
    code = CallOf("to_f32", {code.text});
    from = DType::kF32;
    if (to == from) return code;
  }
  if (to == DType::kBool) {
    std::string_view zero = from == DType::kF32 ? "0.0f" : from == DType::kF64 ? "0.0" : "0";
    return {StrCat(Operand(code, kShift), " != ", zero), kEquality, false};
  }
  if (IsNarrowFloat(to)) return ToNarrowFloat(code, from, to);
  if (IsFloat(to)) return CastTo(CType(to), code);
  return ToInteger(code, from, to, e);
}

}  // namespace kiln::cuda
