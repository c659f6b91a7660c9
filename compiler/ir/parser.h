// The recursive-descent parser behind parse.h and format.h, one method a rule of the grammar. Its methods are spread
// over parse_module.cc, parse_kernel.cc, parse_stmt.cc and parse_expr.cc.
//
// After an error of syntax the parser panics: Peek gives the end of the text, so that every loop ends and every
// expectation fails in silence, until the statement or declaration that holds the error is skipped (Recover).
#ifndef KILN_COMPILER_IR_PARSER_H_
#define KILN_COMPILER_IR_PARSER_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compiler/expr/expr.h"
#include "compiler/ir/diagnostics.h"
#include "compiler/ir/kernel.h"
#include "compiler/ir/lex.h"
#include "compiler/ir/scope.h"

namespace kiln::ir {

class Parser {
 public:
  // `text` is borrowed by the parser and by its tokens.
  Parser(std::string_view text, Diagnostics& diagnostics);

  Module ParseModule();
  // The whole text as one expression; names are not resolved.
  Expr ParseWholeExpr();

  // With the roles that parsing found.
  const Lexed& lexed() const { return lexed_; }

 private:
  // parser.cc: tokens, errors, names.
  const Token& Peek(size_t ahead = 0) const;
  bool At(std::string_view text) const { return IsWord(Peek(), text); }
  static bool IsWord(const Token& token, std::string_view text);
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }
  // The token again, or the one after; never past the end.
  Token Take();
  bool TakeIf(std::string_view text);
  bool Expect(std::string_view text);
  void SetRole(TokenRole role);
  std::string Found() const;
  void FailExpected(std::string_view what);
  void Fail(Location at, std::string message);
  void Report(Location at, std::string message);
  bool CountNode();
  bool ExpectName(std::string_view what, std::string* name, Location* at = nullptr);
  bool ExpectInt(std::string_view what, int64_t* value);
  void ParseList(std::string_view close, std::string_view what, absl::FunctionRef<void()> item);
  void Declare(const std::string& name, Location at, NameKind kind = NameKind::kValue);
  void DeclareAnyway(const std::string& name, Location at, NameKind kind = NameKind::kValue);
  void ResolveValue(const std::string& name, Location at);

  // parse_module.cc
  void ParseInline(Module& module);
  InlineParam ParseInlineType();
  void ParseOp(Module& module);
  OpMember ParseMember();
  void SkipToDeclaration();
  void CollectInlines();

  // parse_kernel.cc
  void ParseKernel(Module& module);
  void ParseMetas(Kernel& kernel);
  MetaParam ParseMeta();
  void ParseParams(Kernel& kernel);
  Param ParseParam();
  void ResolveAll(const Expr& root);
  void DeclareExtents(const std::vector<Expr>& shape);
  void ParseClauses(Kernel& kernel);
  bool ParseClause(Kernel& kernel);
  void ParseCommaList(absl::FunctionRef<void()> item);
  SymbolPolicy ParsePolicy();
  void ParseLaunch(Kernel& kernel);
  void ParseGiven(Kernel& kernel);
  void ParseNative(Kernel& kernel);
  bool ParseTensorMap(NativeParam& param);
  DTypeRef ParseDType(bool introduces = false);
  DTypeRef ParseAngleDType();
  Space ParseSpace();

  // parse_stmt.cc
  // Without a scope of its own, what a block declares stays visible after it.
  Block ParseBlock(bool scoped = true);
  void ParseStatements(Block& block);
  void Recover(size_t start);
  Stmt ParseStatement();
  void ParseLet(StmtNode& node);
  void ParseVar(StmtNode& node);
  void ParseAlloc(StmtNode& node);
  std::string ParseLayout();
  void ParseFor(StmtNode& node);
  void ParseIf(StmtNode& node);
  void ParseRing(StmtNode& node);
  void ParseFields(StmtNode& node);
  void ParseRole(StmtNode& node);
  void ParseSchedule(StmtNode& node);
  void ParseOrder(StmtNode& node);
  void ParseTiles(StmtNode& node);
  Expr ParseField(Expr slot, int height);
  void ParseAssert(StmtNode& node);
  void ParseStore(StmtNode& node);
  void ParseSimple(StmtNode& node);

  // parse_expr.cc. A method leaves the height of what it returns in height_.
  Expr ParseExpr(int min_precedence = 1);
  Expr ParseOperand(int min_precedence);
  Expr ParseUnary();
  Expr ParsePostfix();
  Expr ParseMethod(Expr base);
  Expr ParseSubscript(Expr base);
  Expr ParseItem();
  Expr ParsePrimary();
  Expr ParseNumber(bool negative);
  Expr ParseName();
  Expr ParsePrecise();
  bool AtRingCall() const;
  Expr ParseRingCall();
  Expr ParseTeamCall();
  Expr ParseCall(const Token& name, DTypeRef dtype);
  bool ParseFunction(Node& node, const Token& name);
  void ParseArgs(Node& node, int* height);
  void ParseVia(Node& node, int* height);
  int64_t ParseBoundedInt(std::string_view what, int64_t min, int64_t max);
  void CheckAttr(const Token& name, size_t count);
  std::vector<Expr> ParseExprs(std::string_view close);
  Expr Finish(Node node, int height);
  bool AtGenericCall() const;

  std::string_view text_;
  Diagnostics& diagnostics_;
  Lexed lexed_;
  Token end_;  // What Peek gives in a panic.
  size_t next_ = 0;
  bool panic_ = false;
  int panic_brackets_ = 0;  // Open when it began.
  bool resolve_ = true;     // Unknown names are errors.
  int brackets_ = 0;        // Open ( and [: inside, line ends mean nothing.
  int nesting_ = 0;         // Of the parser's own recursion in expressions.
  int blocks_ = 0;
  int height_ = 0;
  int64_t nodes_ = 0;
  int64_t statements_ = 0;
  Scope scope_;
  std::set<std::string, std::less<>> inlines_;  // Of the whole module: a call may come before its function.
};

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_PARSER_H_
