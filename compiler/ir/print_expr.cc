#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "compiler/ir/print.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

void AppendInt(std::string& out, const Node& node) {
  if (node.dtype.dtype == DType::kU64) {
    StrAppend(&out, static_cast<uint64_t>(node.int_value));
  } else {
    StrAppend(&out, node.int_value);
  }
  if (node.dtype.Known()) out += Name(node.dtype.dtype);
}

void AppendFloat(std::string& out, const Node& node) {
  const double value = node.float_value;
  if (std::isnan(value) || std::isinf(value)) {
    StrAppend(&out, std::signbit(value) && std::isinf(value) ? "-" : "",
              node.dtype.Known() ? StrCat(Name(node.dtype.dtype), ".") : "", std::isnan(value) ? "nan" : "inf");
    return;
  }
  for (const NamedConstant& constant : NamedConstants()) {
    if (value != constant.value || node.dtype.Known()) continue;
    out += constant.name;
    return;
  }
  // The shortest digits that read back to the same value.
  std::array<char, 32> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
  if (node.dtype.Known()) out += Name(node.dtype.dtype);
}

bool IsNumber(const Expr& e) { return e->kind == ExprKind::kInt || e->kind == ExprKind::kFloat; }

int Precedence(const Node& node) {
  switch (node.kind) {
    case ExprKind::kInt:
      return node.int_value < 0 && node.dtype.dtype != DType::kU64 ? kPrecedenceUnary : kPrecedencePrimary;
    case ExprKind::kFloat:
      return std::signbit(node.float_value) && !std::isnan(node.float_value) ? kPrecedenceUnary : kPrecedencePrimary;
    case ExprKind::kUnary:
      return node.op == Op::kNot ? kPrecedenceNot : kPrecedenceUnary;
    case ExprKind::kBinary: {
      const BinaryOperator* row = FindBinary(node.op);
      return row && row->precedence > 0 ? row->precedence : kPrecedencePrimary;
    }
    case ExprKind::kSubscript:
    case ExprKind::kReshape:
    case ExprKind::kPermute:
    case ExprKind::kReinterpret:
    case ExprKind::kField:
      return kPrecedencePostfix;
    default:
      return kPrecedencePrimary;
  }
}

void AppendUnary(std::string& out, const Node& node) {
  if (node.op == Op::kNot) {
    out += "not ";
    return AppendExpr(out, node.args[0], kPrecedenceNot);
  }
  out += node.op == Op::kNeg ? "-" : "~";
  // `-5` is a literal; the negation of one keeps parentheses.
  AppendExpr(out, node.args[0], IsNumber(node.args[0]) ? kPrecedencePrimary + 1 : kPrecedenceUnary);
}

void AppendBinary(std::string& out, const Node& node) {
  const BinaryOperator* row = FindBinary(node.op);
  if (row->precedence == 0) {
    StrAppend(&out, row->text, "(");
    AppendExprs(out, node.args);
    out += ")";
    return;
  }
  // Left-associative; comparisons do not chain.
  int left = row->precedence + (row->precedence == kPrecedenceCompare ? 1 : 0);
  AppendExpr(out, node.args[0], left);
  StrAppend(&out, " ", row->text, " ");
  AppendExpr(out, node.args[1], row->precedence + 1);
}

// A number is no base for `[` or `.`: `5.permute` would not be read as one.
void AppendBase(std::string& out, const Expr& base) {
  AppendExpr(out, base, IsNumber(base) ? kPrecedencePrimary + 1 : kPrecedencePostfix);
}

void AppendAttrs(std::string& out, const std::vector<Attr>& attrs, bool first) {
  for (const Attr& attr : attrs) {
    StrAppend(&out, first ? "" : ", ", attr.name, " = ");
    AppendExpr(out, attr.value);
    first = false;
  }
}

void AppendTileOp(std::string& out, const Node& node) {
  if (IsRingOp(node.tile.op)) {
    StrAppend(&out, node.name, ".", FindTileOp(node.tile.op)->name, "()");
    return;
  }
  StrAppend(&out, Name(node.tile.team), ".", FindTileOp(node.tile.op)->name, "(");
  AppendExprs(out, node.args);
  AppendAttrs(out, node.attrs, node.args.empty());
  out += ")";
  if (node.tile.via.empty()) return;
  StrAppend(&out, " via ", node.tile.via);
  if (node.tile.via_config.empty()) return;
  out += "(";
  AppendAttrs(out, node.tile.via_config, true);
  out += ")";
}

void AppendCall(std::string& out, const Node& node) {
  out += node.name;
  if (node.dtype.Known() || !node.dtype.param.empty()) StrAppend(&out, "<", Print(node.dtype), ">");
  out += "(";
  AppendExprs(out, node.args);
  AppendAttrs(out, node.attrs, node.args.empty());
  out += ")";
}

void AppendFunction(std::string& out, std::string_view name, const Node& node, bool constant) {
  StrAppend(&out, name, "(");
  AppendExprs(out, node.args);
  if (constant) StrAppend(&out, ", ", node.int_value);
  out += ")";
}

void AppendTail(std::string& out, const Node& node, size_t first) {
  for (size_t i = first; i < node.args.size(); ++i) {
    if (i > first) out += ", ";
    AppendExpr(out, node.args[i]);
  }
}

void AppendNode(std::string& out, const Node& node) {
  switch (node.kind) {
    case ExprKind::kInt:
      return AppendInt(out, node);
    case ExprKind::kFloat:
      return AppendFloat(out, node);
    case ExprKind::kBool:
      out += node.int_value ? "true" : "false";
      return;
    case ExprKind::kVar:
      out += node.name;
      return;
    case ExprKind::kUnary:
      return AppendUnary(out, node);
    case ExprKind::kBinary:
      return AppendBinary(out, node);
    case ExprKind::kSelect:
      return AppendFunction(out, "select", node, false);
    case ExprKind::kCast:
      return AppendFunction(out, Print(node.dtype), node, false);
    case ExprKind::kMath:
      return AppendFunction(out, StrCat(node.int_value ? "precise." : "", FindMath(node.op)->name), node, false);
    case ExprKind::kSubscript:
      AppendBase(out, node.args[0]);
      out += "[";
      AppendTail(out, node, 1);
      out += "]";
      return;
    case ExprKind::kSlice:
      AppendExpr(out, node.args[0]);
      out += " +: ";
      return AppendExpr(out, node.args[1]);
    case ExprKind::kFull:
      out += ":";
      return;
    case ExprKind::kNewAxis:
      out += "_";
      return;
    case ExprKind::kReshape:
      AppendBase(out, node.args[0]);
      out += ".reshape(";
      AppendTail(out, node, 1);
      out += ")";
      return;
    case ExprKind::kPermute:
      AppendBase(out, node.args[0]);
      out += ".permute(";
      AppendInts(out, node.ints);
      out += ")";
      return;
    case ExprKind::kReinterpret:
      AppendBase(out, node.args[0]);
      StrAppend(&out, ".reinterpret(", Print(node.dtype), ")");
      return;
    case ExprKind::kField:
      AppendExpr(out, node.args[0], kPrecedencePostfix);
      StrAppend(&out, ".", node.name);
      return;
    case ExprKind::kIndex:
      return AppendFunction(out, "index", node, true);
    case ExprKind::kDim:
      return AppendFunction(out, "dim", node, true);
    case ExprKind::kTileOp:
      return AppendTileOp(out, node);
    case ExprKind::kCall:
      return AppendCall(out, node);
    case ExprKind::kLoad:
      return AppendFunction(out, "load", node, node.int_value != 1);
    case ExprKind::kRamp:
      return AppendFunction(out, "ramp", node, true);
    case ExprKind::kBroadcast:
      return AppendFunction(out, "broadcast", node, true);
  }
}

}  // namespace

void AppendExpr(std::string& out, const Expr& expr, int min_precedence) {
  if (!expr) {
    out += "?";
    return;
  }
  bool parentheses = Precedence(*expr) < min_precedence;
  if (parentheses) out += "(";
  AppendNode(out, *expr);
  if (parentheses) out += ")";
}

void AppendExprs(std::string& out, const std::vector<Expr>& list) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    AppendExpr(out, list[i]);
  }
}

void AppendInts(std::string& out, const std::vector<int64_t>& list) {
  for (size_t i = 0; i < list.size(); ++i) StrAppend(&out, i > 0 ? ", " : "", list[i]);
}

std::string Print(const Expr& expr) {
  std::string out;
  AppendExpr(out, expr);
  return out;
}

std::string Print(const DTypeRef& dtype) { return dtype.Known() ? std::string(Name(dtype.dtype)) : dtype.param; }

}  // namespace kiln::ir
