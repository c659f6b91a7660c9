// Loads, and the moves of several elements at once.
#include "compiler/codegen/cuda/printer.h"
#include "compiler/codegen/cuda/types.h"
#include "compiler/expr/simplify.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {
namespace {

// The C++ type that moves `bytes` bytes of elements of `dtype`; empty when there is none.
std::string_view VectorType(DType dtype, int64_t bytes) {
  bool is_float = dtype == DType::kF32, is_int = dtype == DType::kI32;
  switch (bytes) {
    case 2:
      return "unsigned short";
    case 4:
      return is_float ? "float" : is_int ? "int" : "unsigned";
    case 8:
      if (Bits(dtype) == 64) return CType(dtype);
      return is_float ? "float2" : is_int ? "int2" : "uint2";
    case 16:
      if (dtype == DType::kF64) return "double2";
      if (Bits(dtype) == 64) return dtype == DType::kI64 ? "longlong2" : "ulonglong2";
      return is_float ? "float4" : is_int ? "int4" : "uint4";
    default:
      return "";
  }
}

}  // namespace

std::string Printer::WordIndex(const Expr& index, DType dtype) {
  int per = PerWord(dtype);
  return Value(Typed(per == 1 ? index : Simplify(FloorDiv(index, Int(per)), facts_))).text;
}

Code Printer::ScalarLoad(const Node& node) {
  const Variable* tensor = Tensor(node.args[0]);
  if (!tensor) return {"0"};
  const std::string& name = names_.Of(node.args[0]->name);
  const DType dtype = tensor->type.dtype;
  std::string index = Value(node.args[1]).text;
  // An i64 element is a long long whatever its range.
  bool wide = dtype == DType::kI64;
  if (tensor->space != ir::Space::kLocal || !IsPacked(dtype)) return {StrCat(name, "[", index, "]"), kPrimary, wide};
  std::string bits;
  if (Bits(dtype) == 32) {
    bits = StrCat(name, "[", index, "]");
  } else {
    std::string_view get = Bits(dtype) == 16 ? "get16" : "get8";
    Use(get);
    bits = StrCat(get, "(", name, ", ", index, ")");
  }
  if (IsFloat(dtype)) return {StrCat(Name(dtype), "{", bits, "}"), kPrimary, false};
  if (dtype == DType::kBool) return {StrCat(bits, " != 0"), kEquality, false};
  return IsSigned(dtype) ? CastTo(CType(dtype), {bits}) : Code{bits};
}

std::string Printer::Place(const Variable& tensor, const std::string& name, const Expr& index, int64_t bytes,
                           DType dtype) {
  std::string_view type = VectorType(dtype, bytes);
  if (type.empty()) {
    Fail(StrCat("a move of ", bytes, " bytes at once: expected 2, 4, 8 or 16"));
    return "";
  }
  bool packed = tensor.space == ir::Space::kLocal && IsPacked(dtype);
  if (packed && bytes < 4) {
    Fail(StrCat("a move of ", bytes, " bytes within a register"));
    return "";
  }
  std::string element = StrCat(name, "[", packed ? WordIndex(index, dtype) : Value(index).text, "]");
  bool single = packed ? bytes == 4 : bytes == Bytes(dtype) && !IsNarrowFloat(dtype);
  if (single) return element;
  return StrCat("*(", tensor.constant ? "const " : "", type, "*)&", element);
}

Code Printer::Splat(const Expr& scalar, DType dtype, int64_t bytes) {
  std::string_view type = VectorType(dtype, bytes);
  if (type.empty()) return Fail(StrCat("a fill of ", bytes, " bytes at once: expected 2, 4, 8 or 16"));
  bool zero = (scalar->kind == ExprKind::kInt && scalar->int_value == 0) ||
              (scalar->kind == ExprKind::kFloat && scalar->float_value == 0);
  int64_t element = Bits(dtype) == 64 ? 8 : 4;
  if (zero) return {bytes <= element ? "0" : StrCat(type, "{}"), kPrimary, false};
  Code code = Converted(scalar, dtype);
  std::string word = code.text;
  if (IsFloat(dtype) && IsPacked(dtype)) word = StrCat(Operand(code, kPrimary), ".bits");
  if (Bits(dtype) < 32) {
    std::string_view splat = Bits(dtype) == 16 ? "splat16" : "splat8";
    Use(splat);
    word = StrCat(splat, "(", word, ")");
  }
  if (bytes <= element) return {word, code.precedence, false};
  std::string words = word;
  for (int64_t i = element; i < bytes; i += element) StrAppend(&words, ", ", word);
  return {StrCat(type, "{", words, "}"), kPrimary, false};
}

Code Printer::VectorValue(const Expr& e, DType dtype, int64_t bytes) {
  const Node& node = *e;
  if (node.kind == ExprKind::kBroadcast) return Splat(node.args[0], dtype, bytes);
  if (node.kind != ExprKind::kSelect && node.type.dtype != dtype)
    return Fail(
        StrCat("a vector of ", kiln::Name(node.type.dtype), " where one of ", kiln::Name(dtype), " is expected"));
  switch (node.kind) {
    case ExprKind::kLoad: {
      const Variable* tensor = Tensor(node.args[0]);
      if (!tensor) return {"0"};
      std::string place = Place(*tensor, names_.Of(node.args[0]->name), node.args[1], bytes, node.type.dtype);
      return {place, place[0] == '*' ? kPrefix : kPrimary, false};
    }
    case ExprKind::kVar:
      return {names_.Of(node.name)};
    case ExprKind::kSelect: {
      Code condition = Condition(node.args[0]);
      Code a = VectorValue(node.args[1], dtype, bytes), b = VectorValue(node.args[2], dtype, bytes);
      return {StrCat(Operand(condition, kTernary + 1), " ? ", Operand(a, kTernary + 1), " : ", Operand(b, kTernary)),
              kTernary, false};
    }
    case ExprKind::kCast:
      if (node.type.dtype == node.args[0]->type.dtype) return VectorValue(node.args[0], dtype, bytes);
      return Fail("a conversion of a vector: CUDA code converts pairs (pack2) and scalars");
    case ExprKind::kCall:
      if (node.name == "pack2") return Pack2(node);
      return Fail(StrCat("a vector from ", node.name));
    default:
      return Fail("a vector in arithmetic: CUDA code moves vectors and computes on scalars");
  }
}

}  // namespace kiln::cuda
