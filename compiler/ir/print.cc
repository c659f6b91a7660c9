#include "compiler/ir/print.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"

#include "compiler/ir/printer.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

constexpr size_t kColumns = 120;

// `items` with commas, in lines of at most kColumns that start with four blanks after the first.
void AppendWrapped(std::string& out, const std::vector<std::string>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ",";
    size_t column = out.size() - (out.rfind('\n') + 1);
    if (i > 0 && column + items[i].size() + 2 > kColumns) {
      out += "\n    ";
    } else if (i > 0) {
      out += " ";
    }
    out += items[i];
  }
}

std::string PrintMeta(const MetaParam& meta) {
  std::string out = meta.name;
  switch (meta.kind) {
    case MetaParam::Kind::kDType:
      out += ": dtype";
      for (size_t i = 0; i < meta.dtypes.size(); ++i) StrAppend(&out, i == 0 ? "(" : ", ", Name(meta.dtypes[i]));
      if (!meta.dtypes.empty()) out += ")";
      return out;
    case MetaParam::Kind::kLayout:
      return out + ": layout";
    case MetaParam::Kind::kInt:
      break;
  }
  if (!meta.candidates.empty()) {
    out += ": tune(";
    AppendInts(out, meta.candidates);
    out += ")";
  } else if (!meta.default_value) {
    out += ": int";
  }
  if (meta.default_value) {
    out += " = ";
    AppendExpr(out, meta.default_value, kPrecedenceAdd);
  }
  return out;
}

std::string PrintParam(const Param& param) {
  std::string out = StrCat(param.name, ": ");
  if (!param.is_tensor) return out + Print(param.dtype);
  if (param.direction == Direction::kOut) out += "out ";
  if (param.direction == Direction::kInOut) out += "inout ";
  StrAppend(&out, "tensor<", Print(param.dtype), ">[");
  AppendExprs(out, param.shape);
  return out + "]";
}

std::string PrintPolicy(const SymbolPolicy& policy) {
  std::string out = StrCat(policy.name, ": ");
  switch (policy.kind) {
    case SymbolPolicy::Kind::kDynamic:
      out += "dynamic";
      break;
    case SymbolPolicy::Kind::kStatic:
      out += "static";
      break;
    case SymbolPolicy::Kind::kBucket:
    case SymbolPolicy::Kind::kMultipleOf:
      out += policy.kind == SymbolPolicy::Kind::kBucket ? "bucket(" : "multiple_of(";
      AppendInts(out, policy.values);
      out += ")";
      break;
  }
  if (policy.tuned_pow2) out += " tuned(pow2)";
  return out;
}

std::string PrintLaunch(const Launch& launch) {
  std::string out;
  if (launch.persistent) {
    out = "persistent";
  } else {
    out = "grid(";
    AppendExprs(out, launch.grid);
    out += ")";
  }
  if (launch.block) StrAppend(&out, " block(", Print(launch.block), ")");
  if (launch.cluster.empty()) return out;
  out += " cluster(";
  AppendExprs(out, launch.cluster);
  return out + ")";
}

std::string PrintFact(const SymbolFact& fact) {
  std::string out = StrCat(fact.name, " in ", fact.min, " ..= ", fact.max);
  if (fact.divisor != 1) StrAppend(&out, " by ", fact.divisor);
  return out;
}

std::string PrintFact(const TensorFact& fact) {
  std::string out = StrCat(fact.param, " align ", fact.align);
  if (fact.strides.empty()) return out;
  out += " strides (";
  AppendExprs(out, fact.strides);
  return out + ")";
}

std::string PrintNativeParam(const NativeParam& param) {
  constexpr std::string_view kKinds[] = {"", "pointer", "symbol", "scalar", "map"};
  std::string out = StrCat(param.name, ": ", kKinds[static_cast<size_t>(param.kind)]);
  if (param.dtype != DType::kNone) StrAppend(&out, "<", Name(param.dtype), ">");
  if (param.kind == NativeParam::Kind::kTensorMap)
    StrAppend(&out, " of ", param.tensor, " box(", absl::StrJoin(param.box, ", "), ") swizzle ", param.swizzle);
  return out;
}

template <typename T, typename Fn>
std::vector<std::string> PrintAll(const std::vector<T>& list, Fn&& print) {
  std::vector<std::string> items;
  items.reserve(list.size());
  for (const T& item : list) items.push_back(print(item));
  return items;
}

void AppendClause(std::string& out, std::string_view word, const std::vector<std::string>& items) {
  if (items.empty()) return;
  StrAppend(&out, "\n  ", word, " ");
  AppendWrapped(out, items);
}

void AppendNative(std::string& out, const Kernel& kernel) {
  if (!kernel.native) return;
  out += "\n  native(";
  AppendWrapped(out, PrintAll(kernel.native_params, PrintNativeParam));
  out += ")";
  if (kernel.shared_bytes != 0) StrAppend(&out, " shared ", kernel.shared_bytes);
  if (kernel.scratch_bytes != 0) StrAppend(&out, " scratch ", kernel.scratch_bytes);
}

void AppendHead(std::string& out, const Kernel& kernel) {
  StrAppend(&out, "kernel ", kernel.name);
  if (!kernel.metas.empty()) {
    out += "<";
    AppendWrapped(out, PrintAll(kernel.metas, PrintMeta));
    out += ">";
  }
  out += "(";
  std::vector<std::string> params = PrintAll(kernel.params, PrintParam);
  size_t width = out.size() - (out.rfind('\n') + 1) + 1;
  for (const std::string& param : params) width += param.size() + 2;
  if (width > kColumns && !params.empty()) out += "\n    ";
  AppendWrapped(out, params);
  out += ")";
}

void AppendGiven(std::string& out, const Kernel& kernel) {
  if (!kernel.specialized) return;
  std::vector<std::string> facts =
      PrintAll(kernel.symbol_facts, [](const SymbolFact& fact) { return PrintFact(fact); });
  for (const TensorFact& fact : kernel.tensor_facts) facts.push_back(PrintFact(fact));
  if (facts.empty()) facts.push_back("nothing");
  AppendClause(out, "given", facts);
}

std::string PrintInlineType(const InlineParam& type) {
  std::string out = Print(type.dtype);
  if (!type.is_tile) return out;
  out += "[";
  AppendExprs(out, type.shape);
  StrAppend(&out, "] in ", Name(type.space));
  return out;
}

std::string PrintMember(const OpMember& member) {
  if (member.generic) return member.kernel + " generic";
  if (member.targets.empty() && !member.when) return member.kernel;
  std::string out = member.kernel + " when ";
  for (size_t i = 0; i < member.targets.size(); ++i) StrAppend(&out, i == 0 ? "target " : " or ", member.targets[i]);
  if (!member.when) return out;
  if (!member.targets.empty()) out += " and ";
  AppendExpr(out, member.when);
  return out;
}

}  // namespace

std::string Print(const Kernel& kernel) {
  std::string out;
  AppendHead(out, kernel);
  AppendClause(out, "where", PrintAll(kernel.symbols, PrintPolicy));
  AppendClause(out, "requires", PrintAll(kernel.required, [](const Expr& e) { return Print(e); }));
  AppendClause(out, "target", kernel.targets);
  if (kernel.launch.persistent || !kernel.launch.grid.empty()) {
    StrAppend(&out, "\n  launch ", PrintLaunch(kernel.launch));
  }
  AppendGiven(out, kernel);
  AppendNative(out, kernel);
  out += "\n{\n";
  AppendBlock(out, kernel.body, 2);
  return out + "}\n";
}

std::string Print(const Inline& function) {
  std::string out = StrCat("inline ", function.name, "(");
  AppendWrapped(out, PrintAll(function.params, [](const InlineParam& param) {
                  return StrCat(param.name, ": ", PrintInlineType(param));
                }));
  out += ")";
  if (function.returns) StrAppend(&out, " -> ", PrintInlineType(function.result));
  out += " {\n";
  AppendBlock(out, function.body, 2);
  return out + "}\n";
}

std::string Print(const OpDecl& op) {
  std::string out = StrCat("op ", op.name, " {\n");
  for (size_t i = 0; i < op.members.size(); ++i)
    StrAppend(&out, "  ", PrintMember(op.members[i]), i + 1 < op.members.size() ? ",\n" : "\n");
  return out + "}\n";
}

std::string Print(const Module& module) {
  std::string out;
  auto append = [&](const auto& declarations) {
    for (const auto& declaration : declarations) StrAppend(&out, out.empty() ? "" : "\n", Print(declaration));
  };
  append(module.inlines);
  append(module.kernels);
  append(module.ops);
  return out;
}

}  // namespace kiln::ir
