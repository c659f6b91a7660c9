#include "compiler/codegen/llvm/helpers.h"

#include "compiler/codegen/llvm/convert.h"
#include "compiler/codegen/llvm/math_functions.h"

namespace kiln::llvm_text {
namespace {

absl::string_view NameOf(Op op) {
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
    case Op::kErf:
      return "erf";
    case Op::kSin:
      return "sin";
    default:
      return "cos";
  }
}

}  // namespace

std::string HeldAs(DType dtype) {
  if (dtype == DType::kBool) return "i1";
  if (dtype == DType::kF32 || dtype == DType::kTF32) return "float";
  if (dtype == DType::kF64) return "double";
  return absl::StrCat("i", Bits(dtype));
}

std::string Helpers::Define(const std::string& name, int lanes, const std::string& result, const std::string& parameter,
                            absl::FunctionRef<std::string(Lanes&)> body) {
  std::string full = absl::StrCat("@kiln.", name, ".x", lanes);
  if (!definitions_.contains(full)) {
    FunctionText out;
    Lanes v(out, lanes);
    std::string value = body(v);
    out.Return(absl::StrCat(v.Type(result), " ", value));
    definitions_[full] = absl::StrCat("define internal ", v.Type(result), " ", full, "(", v.Type(parameter),
                                      " %x) #1 {\n", out.Finish(), "}\n");
  }
  return full;
}

std::string Helpers::Polynomial(Op op, int lanes) {
  return Define(std::string(NameOf(op)), lanes, "float", "float",
                [&](Lanes& v) { return EmitPolynomial(v, op, "%x"); });
}

std::string Helpers::ToF32(DType from, int lanes) {
  return Define(absl::StrCat("f32_from_", std::string(Name(from))), lanes, "float", HeldAs(from),
                [&](Lanes& v) { return EmitToF32(v, from, "%x", native_f16_); });
}

std::string Helpers::FromF32(DType to, int lanes) {
  return Define(absl::StrCat(std::string(Name(to)), "_from_f32"), lanes, HeldAs(to), "float",
                [&](Lanes& v) { return EmitFromF32(v, to, "%x", native_f16_); });
}

std::string Helpers::RoundToOdd(int lanes) {
  return Define("f32_from_f64_to_odd", lanes, "float", "double", [&](Lanes& v) { return EmitRoundToOdd(v, "%x"); });
}

std::string Helpers::Library(const std::string& name, const std::string& scalar, int count) {
  std::string parameters = scalar;
  for (int i = 1; i < count; ++i) absl::StrAppend(&parameters, ", ", scalar);
  declarations_.insert(absl::StrCat("declare ", scalar, " @", name, "(", parameters, ") #2\n"));
  return "@" + name;
}

std::string Helpers::Text() const {
  std::string text;
  for (const auto& [name, definition] : definitions_) absl::StrAppend(&text, "\n", definition);
  if (!declarations_.empty()) text += "\n";
  for (const std::string& declaration : declarations_) text += declaration;
  return text;
}

}  // namespace kiln::llvm_text
