// Modules: inline functions, ops, and where to go on after an error.
#include <utility>

#include "compiler/ir/intrinsics.h"
#include "compiler/ir/limits.h"
#include "compiler/ir/parse.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {

Module Parser::ParseModule() {
  Module module;
  CollectInlines();
  while (!AtEnd() && !diagnostics_.Full()) {
    SetRole(TokenRole::kDeclaration);
    if (At("kernel")) {
      ParseKernel(module);
    } else if (At("inline")) {
      ParseInline(module);
    } else if (At("op")) {
      ParseOp(module);
    } else if (!TakeIf(";")) {
      FailExpected("'kernel', 'inline' or 'op'");
    }
    if (panic_) SkipToDeclaration();
  }
  return module;
}

// A call may come before its function.
void Parser::CollectInlines() {
  const std::vector<Token>& tokens = lexed_.tokens;
  for (size_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i].first_on_line && IsWord(tokens[i], "inline") && tokens[i + 1].kind == TokenKind::kName)
      inlines_.emplace(tokens[i + 1].text);
}

void Parser::SkipToDeclaration() {
  panic_ = false;
  brackets_ = 0;
  blocks_ = 0;
  scope_.Release(0);
  do {
    Take();
  } while (!AtEnd() && !(Peek().first_on_line && (At("kernel") || At("inline") || At("op"))));
}

void Parser::ParseInline(Module& module) {
  Inline function;
  size_t mark = scope_.Mark();
  Take();
  if (!ExpectName("the name of the function", &function.name, &function.at)) return;
  if (IsFunction(function.name) || FindIntrinsic(function.name)) {
    Report(function.at, StrCat("'", function.name, "' is a builtin function and cannot be declared"));
  }
  if (!Expect("(")) return;
  ++brackets_;
  ParseList(")", "parameters", [&] {
    std::string name;
    Location at;
    if (!ExpectName("a parameter", &name, &at) || !Expect(":")) return;
    InlineParam param = ParseInlineType();
    param.name = name;
    Declare(name, at);
    function.params.push_back(std::move(param));
  });
  --brackets_;
  if (TakeIf("->")) {
    function.returns = true;
    function.result = ParseInlineType();
  }
  SetRole(TokenRole::kInlineBrace);
  function.body = ParseBlock();
  scope_.Release(mark);
  module.inlines.push_back(std::move(function));
}

// Extents and dtypes are bound at the call: an unknown name is one more of them.
InlineParam Parser::ParseInlineType() {
  InlineParam type;
  type.dtype = ParseDType(/*introduces=*/true);
  if (!TakeIf("[")) return type;
  type.is_tile = true;
  bool resolve = std::exchange(resolve_, false);
  type.shape = ParseExprs("]");
  resolve_ = resolve;
  if (!panic_) {
    DeclareExtents(type.shape);
    for (const Expr& extent : type.shape) ResolveAll(extent);
  }
  if (type.shape.size() > kMaxRank) {
    Fail(Peek().at, StrCat("tile of ", type.shape.size(), " dimensions: expected at most ", kMaxRank));
  }
  if (Expect("in")) type.space = ParseSpace();
  return type;
}

void Parser::ParseOp(Module& module) {
  OpDecl op;
  Take();
  if (!ExpectName("the name of the op", &op.name, &op.at) || !Expect("{")) return;
  ParseList("}", "members", [&] {
    SetRole(TokenRole::kStatement);
    op.members.push_back(ParseMember());
  });
  module.ops.push_back(std::move(op));
}

OpMember Parser::ParseMember() {
  OpMember member;
  if (!ExpectName("a kernel", &member.kernel, &member.at)) return member;
  if (TakeIf("generic")) {
    member.generic = true;
    return member;
  }
  if (!TakeIf("when")) return member;
  bool more = true;
  if (TakeIf("target")) {
    do {
      std::string target;
      if (!ExpectName("a target", &target)) return member;
      member.targets.push_back(std::move(target));
      if (member.targets.size() > kMaxList) return Fail(Peek().at, "too many targets"), member;
    } while (TakeIf("or"));
    more = TakeIf("and");
  }
  // The symbols are those of the kernels; Verify knows them.
  bool resolve = std::exchange(resolve_, false);
  if (more) member.when = ParseExpr();
  resolve_ = resolve;
  return member;
}

Module Parse(std::string_view text, Diagnostics& diagnostics) { return Parser(text, diagnostics).ParseModule(); }

absl::StatusOr<Module> Parse(std::string_view text, std::string_view file) {
  Diagnostics diagnostics(text, file);
  Module module = Parse(text, diagnostics);
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  return module;
}

absl::StatusOr<Expr> ParseExpr(std::string_view text, std::string_view file) {
  Diagnostics diagnostics(text, file);
  Expr e = Parser(text, diagnostics).ParseWholeExpr();
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  return e;
}

}  // namespace kiln::ir
