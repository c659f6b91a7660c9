#include <string>
#include <string_view>

#include "compiler/ir/lex.h"
#include "compiler/ir/print.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

void AppendStmt(std::string& out, const Stmt& stmt, int indent);

void AppendIndent(std::string& out, int indent) { out.append(static_cast<size_t>(indent), ' '); }

void AppendBody(std::string& out, const Block& body, int indent) {
  out += " {\n";
  AppendBlock(out, body, indent + 2);
  AppendIndent(out, indent);
  out += "}";
}

void AppendAlloc(std::string& out, const StmtNode& node) {
  const TensorDecl& tensor = node.tensor;
  if (tensor.space != Space::kNone) out += "alloc ";
  if (tensor.owner != Team::kNone) StrAppend(&out, Name(tensor.owner), ".");
  StrAppend(&out, tensor.name, ": ", Print(tensor.dtype), "[");
  AppendExprs(out, tensor.shape);
  out += "]";
  if (tensor.space != Space::kNone) StrAppend(&out, " in ", Name(tensor.space));
  if (!tensor.layout.empty()) StrAppend(&out, " layout ", tensor.layout);
  if (!tensor.padded.empty()) {
    out += " padded [";
    AppendInts(out, tensor.padded);
    out += "]";
  }
  if (tensor.align != 0) StrAppend(&out, " align ", tensor.align);
  if (tensor.offset >= 0) StrAppend(&out, " offset ", tensor.offset);
  if (node.value) {
    out += " = ";
    AppendExpr(out, node.value);
  }
}

void AppendFor(std::string& out, const StmtNode& node, int indent) {
  StrAppend(&out, "for ", node.name, " in ");
  if (node.loop != LoopKind::kSerial) StrAppend(&out, Name(node.loop), " ");
  AppendExpr(out, node.begin);
  out += " .. ";
  AppendExpr(out, node.end);
  if (node.step) {
    out += " step ";
    AppendExpr(out, node.step);
  }
  if (node.stages) {
    out += " stages ";
    AppendExpr(out, node.stages);
  }
  AppendBody(out, node.body, indent);
}

void AppendIf(std::string& out, const StmtNode& node, int indent) {
  out += "if ";
  AppendExpr(out, node.value);
  AppendBody(out, node.body, indent);
  if (node.orelse.empty()) return;
  out += " else";
  if (node.orelse.size() == 1 && node.orelse[0]->kind == StmtKind::kIf) {
    out += " ";
    AppendIf(out, *node.orelse[0], indent);
  } else {
    AppendBody(out, node.orelse, indent);
  }
}

void AppendComment(std::string& out, std::string_view text, int indent) {
  while (true) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    StrAppend(&out, "//", line.empty() ? "" : " ", line);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
    out += "\n";
    AppendIndent(out, indent);
  }
}

void AppendWord(std::string& out, std::string_view word, const Expr& value) {
  out += word;
  if (!value) return;
  out += " ";
  AppendExpr(out, value);
}

void AppendStmt(std::string& out, const Stmt& stmt, int indent) {
  const StmtNode& node = *stmt;
  AppendIndent(out, indent);
  switch (node.kind) {
    case StmtKind::kLet:
    case StmtKind::kMutable:
      StrAppend(&out, node.kind == StmtKind::kLet ? "let " : "var ", node.name);
      if (std::string dtype = Print(node.dtype); !dtype.empty()) StrAppend(&out, ": ", dtype);
      out += " = ";
      AppendExpr(out, node.value);
      break;
    case StmtKind::kAlloc:
      AppendAlloc(out, node);
      break;
    case StmtKind::kAssign:
      AppendExpr(out, node.target);
      out += " = ";
      AppendExpr(out, node.value);
      break;
    case StmtKind::kEval:
      AppendExpr(out, node.value);
      break;
    case StmtKind::kFor:
      AppendFor(out, node, indent);
      break;
    case StmtKind::kWhile:
      AppendWord(out, "while", node.value);
      AppendBody(out, node.body, indent);
      break;
    case StmtKind::kIf:
      AppendIf(out, node, indent);
      break;
    case StmtKind::kAssume:
      AppendWord(out, "assume", node.value);
      break;
    case StmtKind::kAssert:
      AppendWord(out, "assert", node.value);
      if (!node.text.empty()) StrAppend(&out, ", ", Quote(node.text));
      break;
    case StmtKind::kReturn:
      AppendWord(out, "return", node.value);
      break;
    case StmtKind::kBreak:
      out += "break";
      break;
    case StmtKind::kContinue:
      out += "continue";
      break;
    case StmtKind::kStore:
      out += "store(";
      AppendExprs(out, {node.target, node.begin, node.value});
      out += ")";
      break;
    case StmtKind::kRing:
      StrAppend(&out, "ring ", node.name, "[");
      AppendExpr(out, node.stages);
      out += "] in shared";
      if (node.across_cluster) out += " across cluster";
      if (node.readers > 0) StrAppend(&out, " read by ", node.readers);
      AppendBody(out, node.body, indent);
      break;
    case StmtKind::kRole:
      StrAppend(&out, "role ", node.name, " = warpgroup(");
      AppendInts(out, node.members);
      out += ")";
      if (node.value) {
        out += " regs(";
        AppendExpr(out, node.value);
        out += ")";
      }
      AppendBody(out, node.body, indent);
      break;
    case StmtKind::kSchedule:
      StrAppend(&out, "schedule ", node.name, " over (");
      AppendExprs(out, node.extents);
      out += ")";
      if (node.order != TileOrder::kRow) StrAppend(&out, " order ", Name(node.order));
      if (node.value) {
        out += "(";
        AppendExpr(out, node.value);
        out += ")";
      }
      break;
    case StmtKind::kTiles:
      out += "for (";
      for (size_t i = 0; i < node.names.size(); ++i) StrAppend(&out, i > 0 ? ", " : "", node.names[i]);
      StrAppend(&out, ") in ", node.name);
      AppendBody(out, node.body, indent);
      break;
    case StmtKind::kComment:
      AppendComment(out, node.text, indent);
      break;
  }
  out += "\n";
}

}  // namespace

void AppendBlock(std::string& out, const Block& block, int indent) {
  for (const Stmt& stmt : block) AppendStmt(out, stmt, indent);
}

std::string Print(const Stmt& stmt) {
  std::string out;
  AppendStmt(out, stmt, 0);
  return out;
}

std::string Print(const Block& block) {
  std::string out;
  AppendBlock(out, block, 0);
  return out;
}

}  // namespace kiln::ir
