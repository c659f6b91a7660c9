#include "compiler/codegen/llvm/values.h"

#include <algorithm>

#include "compiler/codegen/llvm/lanes.h"

namespace kiln::llvm_text {

DType ComputedIn(DType dtype) {
  if (IsNarrowFloat(dtype)) return DType::kF32;
  if (dtype == DType::kBool || (IsInteger(dtype) && Bits(dtype) < 32)) return DType::kI32;
  return dtype;
}

DType CommonType(DType a, DType b) {
  a = ComputedIn(a);
  b = ComputedIn(b);
  if (IsFloat(a) && IsFloat(b)) return a == DType::kF64 ? a : b;
  if (IsFloat(a)) return a;
  if (IsFloat(b)) return b;
  if (Bits(a) != Bits(b)) return Bits(a) > Bits(b) ? a : b;
  return IsUnsigned(a) ? a : b;
}

Value Values::IntLiteral(int64_t value, DType dtype) {
  std::string text = IsFloat(dtype) ? FloatConstant(static_cast<double>(value), HeldAs(dtype), 1)
                                    : IntConstant(value, HeldAs(dtype), 1);
  return {text, dtype, 1, false, value, static_cast<double>(value)};
}

Value Values::FloatLiteral(double value, DType dtype) {
  return {FloatConstant(value, HeldAs(dtype), 1), dtype, 1, false, 0, value};
}

Value Values::Broadcast(const Value& v, int lanes) {
  if (v.lanes == lanes) return v;
  std::string type = VectorType(HeldAs(v.dtype), lanes);
  std::string first = out_.Set("insertelement ", type, " poison, ", v.Typed(), ", i64 0");
  return {out_.Set("shufflevector ", type, " ", first, ", ", type, " poison, ", VectorType("i32", lanes),
                   " zeroinitializer"),
          v.dtype, lanes};
}

Value Values::Cast(const std::string& op, const Value& v, DType to) {
  return Set(to, v.lanes, absl::StrCat(op, " ", v.Typed(), " to ", VectorType(HeldAs(to), v.lanes)));
}

Value Values::ToBool(const Value& v) {
  if (IsNarrowFloat(v.dtype)) return ToBool(Convert(v, DType::kF32));
  if (IsFloat(v.dtype))
    return Set(DType::kBool, v.lanes,
               absl::StrCat("fcmp une ", v.Typed(), ", ", FloatConstant(0, HeldAs(v.dtype), v.lanes)));
  return Set(DType::kBool, v.lanes,
             absl::StrCat("icmp ne ", v.Typed(), ", ", IntConstant(0, HeldAs(v.dtype), v.lanes)));
}

Value Values::IntToInt(const Value& v, DType to) {
  int from_bits = v.dtype == DType::kBool ? 1 : Bits(v.dtype);
  if (from_bits == Bits(to)) return {v.text, to, v.lanes};
  if (from_bits > Bits(to)) return Cast("trunc", v, to);
  return Cast(IsSigned(v.dtype) ? "sext" : "zext", v, to);
}

Value Values::FloatToInt(const Value& v, DType to) {
  if (IsNarrowFloat(v.dtype)) return FloatToInt(Convert(v, DType::kF32), to);
  std::string from = Mangled(HeldAs(v.dtype), v.lanes);
  Value rounded = Set(v.dtype, v.lanes, absl::StrCat("call ", v.Type(), " @llvm.rint.", from, "(", v.Typed(), ")"));
  std::string result = VectorType(HeldAs(to), v.lanes);
  return Set(to, v.lanes,
             absl::StrCat("call ", result, IsSigned(to) ? " @llvm.fptosi.sat." : " @llvm.fptoui.sat.",
                          Mangled(HeldAs(to), v.lanes), ".", from, "(", rounded.Typed(), ")"));
}

Value Values::IntToFloat(const Value& v, DType to) {
  std::string op = IsSigned(v.dtype) ? "sitofp" : "uitofp";
  if (to == DType::kF32 || to == DType::kF64) return Cast(op, v, to);
  // Every integer of 32 bits is exact in f64, and the way from there rounds once. A wider one keeps, of the bits that
  // f64 has no room for, whether there were any.
  if (Bits(v.dtype) <= 32) return Convert(Cast(op, v, DType::kF64), to);
  std::string type = v.Type();
  auto constant = [&](int64_t value) { return IntConstant(value, "i64", v.lanes); };
  std::string low = out_.Set("and ", type, " ", v.text, ", ", constant(0x7FF));
  std::string some = out_.Set("icmp ne ", type, " ", low, ", ", constant(0));
  std::string sticky = out_.Set("select ", VectorType("i1", v.lanes), " ", some, ", ", type, " ", constant(0x800), ", ",
                                type, " ", constant(0));
  std::string cut = out_.Set("and ", type, " ", v.text, ", ", constant(~int64_t{0x7FF}));
  std::string marked = out_.Set("or ", type, " ", cut, ", ", sticky);
  // Values this small are exact as they are.
  std::string shifted = out_.Set(IsSigned(v.dtype) ? "ashr " : "lshr ", type, " ", v.text, ", ", constant(52));
  std::string biased = out_.Set("add ", type, " ", shifted, ", ", constant(1));
  std::string small = out_.Set("icmp ult ", type, " ", biased, ", ", constant(2));
  std::string chosen =
      out_.Set("select ", VectorType("i1", v.lanes), " ", small, ", ", v.Typed(), ", ", type, " ", marked);
  return Convert(Cast(op, {chosen, v.dtype, v.lanes}, DType::kF64), to);
}

Value Values::FloatToFloat(const Value& v, DType to) {
  if (v.dtype == DType::kF64 && to == DType::kF32) return Cast("fptrunc", v, to);
  if (v.dtype == DType::kF32 && to == DType::kF64) return Cast("fpext", v, to);
  auto call = [&](const std::string& function, const Value& from, DType result) {
    return Set(result, v.lanes,
               absl::StrCat("call ", VectorType(HeldAs(result), v.lanes), " ", function, "(", from.Typed(), ")"));
  };
  Value single = v;
  if (v.dtype == DType::kF64)
    single = call(helpers_.RoundToOdd(v.lanes), v, DType::kF32);
  else if (v.dtype != DType::kF32)
    single = call(helpers_.ToF32(v.dtype, v.lanes), v, DType::kF32);
  if (to == DType::kF32) return single;
  if (to == DType::kF64) return Cast("fpext", single, to);
  return call(helpers_.FromF32(to, v.lanes), single, to);
}

Value Values::Convert(const Value& v, DType to) {
  if (v.dtype == to) return v;
  if (to == DType::kBool) return ToBool(v);
  if (IsFloat(v.dtype)) return IsFloat(to) ? FloatToFloat(v, to) : FloatToInt(v, to);
  return IsFloat(to) ? IntToFloat(v, to) : IntToInt(v, to);
}

Value Values::As(const Value& v, DType to) {
  bool simple = to == DType::kF32 || to == DType::kF64 || (IsInteger(to) && IsInteger(v.dtype));
  if (!v.literal || !simple) return Convert(v, to);
  return IsFloat(v.dtype) ? FloatLiteral(v.number, to) : IntLiteral(v.integer, to);
}

void Values::Unify(Value* a, Value* b) {
  DType common = a->literal == b->literal ? CommonType(a->dtype, b->dtype)
                 : a->literal ? (IsFloat(a->dtype) ? CommonType(DType::kF32, b->dtype) : ComputedIn(b->dtype))
                              : (IsFloat(b->dtype) ? CommonType(DType::kF32, a->dtype) : ComputedIn(a->dtype));
  int lanes = std::max(a->lanes, b->lanes);
  *a = Broadcast(As(*a, common), lanes);
  *b = Broadcast(As(*b, common), lanes);
}

}  // namespace kiln::llvm_text
