#include "compiler/codegen/cuda/printer.h"

#include "absl/strings/str_join.h"
#include "compiler/codegen/cuda/types.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {

std::string Operand(const Code& code, int precedence) {
  return code.precedence >= precedence ? code.text : StrCat("(", code.text, ")");
}

Code Widened(Code code) {
  if (code.wide) return code;
  bool literal = code.text.find_first_not_of("0123456789") == std::string::npos;
  if (literal) return {code.text + "ll", kPrimary, true};
  code = CastTo("long long", code);
  code.wide = true;
  return code;
}

Code CastTo(std::string_view type, const Code& code) {
  return {StrCat("(", type, ")", Operand(code, kPrefix)), kPrefix, false};
}

Code CallOf(std::string_view function, std::initializer_list<std::string> arguments) {
  return {StrCat(function, "(", absl::StrJoin(arguments, ", "), ")"), kPrimary, false};
}

Printer::Printer(const ir::Kernel& kernel, const Target& target) : kernel_(kernel), target_(target), prelude_(target) {}

Code Printer::Fail(std::string_view what) {
  if (error_.ok()) error_ = absl::UnimplementedError(StrCat("codegen: kernel \"", kernel_.name, "\": ", what));
  return {"0", kPrimary, false};
}

void Printer::Use(std::string_view piece) { prelude_.Use(piece); }

std::string Printer::Name(DType dtype) {
  if (IsNarrowFloat(dtype)) {
    if (dtype == DType::kF4E2M1) Fail("f4e2m1 elements are half a byte: no CUDA form");
    Use(kiln::Name(dtype));
  }
  return std::string(CType(dtype));
}

const Printer::Variable* Printer::Find(const std::string& name) const {
  auto it = variables_.find(name);
  return it == variables_.end() ? nullptr : &it->second;
}

const Printer::Variable* Printer::Tensor(const Expr& e) {
  const Variable* variable = e && e->kind == ExprKind::kVar ? Find(e->name) : nullptr;
  if (variable && variable->tensor) return variable;
  Fail(StrCat("expected a tensor, found \"", e && e->kind == ExprKind::kVar ? e->name : "an expression", "\""));
  return nullptr;
}

Expr Printer::Typed(const Expr& e) const {
  return WithTypes(e, [this](const Node& leaf) -> Type {
    switch (leaf.kind) {
      case ExprKind::kVar: {
        const Variable* variable = Find(leaf.name);
        if (variable) return variable->type;
        return builtins_.count(leaf.name) ? Type{DType::kI64, 1, false, {}} : Type{};
      }
      case ExprKind::kLoad: {
        Type type = leaf.args[0]->type;
        type.lanes = leaf.int_value > 1 ? static_cast<int>(leaf.int_value) : 1;
        return type;
      }
      case ExprKind::kCall: {
        if (leaf.name == "pack2") return {leaf.dtype.dtype, 2, false, {}};
        return leaf.args.empty() ? Type{} : leaf.args[0]->type;
      }
      default:
        return {};
    }
  });
}

}  // namespace kiln::cuda
