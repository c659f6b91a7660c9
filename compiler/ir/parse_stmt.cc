// Statements and blocks.
#include <algorithm>
#include <span>
#include <utility>

#include "compiler/expr/visit.h"
#include "compiler/ir/layout_text.h"
#include "compiler/ir/limits.h"
#include "compiler/ir/nearest.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

constexpr std::string_view kStatementWords[] = {"let",      "var",    "alloc",  "for",    "while",
                                                "if",       "assume", "assert", "return", "break",
                                                "continue", "store",  "ring",   "role",   "schedule"};
constexpr std::string_view kDeclarationWords[] = {"inline", "kernel", "op"};

bool IsOneOf(const Token& token, std::span<const std::string_view> words) {
  if (token.kind != TokenKind::kName) return false;
  for (std::string_view word : words)
    if (token.text == word) return true;
  return false;
}

Op CompoundOp(std::string_view text) {
  if (text == "+=") return Op::kAdd;
  if (text == "-=") return Op::kSub;
  if (text == "*=") return Op::kMul;
  if (text == "/=") return Op::kDiv;
  return Op::kNone;
}

}  // namespace

Block Parser::ParseBlock(bool scoped) {
  Block block;
  if (!Expect("{")) return block;
  if (++blocks_ > kMaxNesting) Fail(Peek().at, StrCat("blocks nested more than ", kMaxNesting, " deep"));
  size_t mark = scope_.Mark();
  int brackets = std::exchange(brackets_, 0);
  ParseStatements(block);
  brackets_ = brackets;
  if (scoped) scope_.Release(mark);
  --blocks_;
  Expect("}");
  return block;
}

void Parser::ParseStatements(Block& block) {
  while (!panic_ && !AtEnd() && !At("}")) {
    if (Peek().first_on_line && IsOneOf(Peek(), kDeclarationWords)) return FailExpected("a statement or '}'");
    if (TakeIf(";")) continue;
    size_t start = next_;
    SetRole(TokenRole::kStatement);
    Stmt stmt = ParseStatement();
    if (!panic_ && !Peek().first_on_line && !At(";") && !At("}") && !AtEnd()) {
      FailExpected("the end of the statement");
    }
    if (panic_) {
      Recover(start);
    } else {
      block.push_back(std::move(stmt));
    }
  }
}

// Skips the rest of the statement that began at token `start`: to a line end outside of brackets, a ';', the '}' of its
// block or the next statement word, over whole bodies.
void Parser::Recover(size_t start) {
  if (diagnostics_.Full()) return;
  panic_ = false;
  int brackets = panic_brackets_;
  int braces = 0;
  for (; !AtEnd(); Take()) {
    const Token& token = Peek();
    if (braces == 0 && next_ > start) {
      if (token.first_on_line && (brackets <= 0 || IsOneOf(token, kStatementWords))) return;
      if (token.first_on_line && IsOneOf(token, kDeclarationWords)) return;
      if (At(";") || At("}")) return;
    }
    if (At("{")) ++braces;
    if (At("}")) --braces;
    if (At("(") || At("[")) ++brackets;
    if (At(")") || At("]")) --brackets;
  }
}

Stmt Parser::ParseStatement() {
  StmtNode node;
  node.at = Peek().at;
  if (++statements_ > kMaxStatements) {
    Fail(node.at, StrCat("too many statements: expected at most ", kMaxStatements, " in a text"));
    return nullptr;
  }
  if (TakeIf("let")) {
    ParseLet(node);
  } else if (TakeIf("var")) {
    ParseVar(node);
  } else if (TakeIf("alloc")) {
    ParseAlloc(node);
  } else if (TakeIf("for")) {
    ParseFor(node);
  } else if (TakeIf("while")) {
    node.kind = StmtKind::kWhile;
    node.value = ParseExpr();
    node.body = ParseBlock();
  } else if (TakeIf("if")) {
    ParseIf(node);
  } else if (TakeIf("assume")) {
    node.kind = StmtKind::kAssume;
    node.value = ParseExpr();
  } else if (TakeIf("assert")) {
    ParseAssert(node);
  } else if (TakeIf("return")) {
    node.kind = StmtKind::kReturn;
    if (!Peek().first_on_line && !At(";") && !At("}") && !AtEnd()) node.value = ParseExpr();
  } else if (TakeIf("break")) {
    node.kind = StmtKind::kBreak;
  } else if (TakeIf("continue")) {
    node.kind = StmtKind::kContinue;
  } else if (TakeIf("ring")) {
    ParseRing(node);
  } else if (TakeIf("role")) {
    ParseRole(node);
  } else if (TakeIf("schedule")) {
    ParseSchedule(node);
  } else if (TakeIf("store")) {
    ParseStore(node);
  } else {
    ParseSimple(node);
  }
  return MakeStmt(std::move(node));
}

void Parser::ParseLet(StmtNode& node) {
  node.kind = StmtKind::kLet;
  Location at;
  if (!ExpectName("a name", &node.name, &at)) return;
  if (TakeIf(":")) node.dtype = ParseDType();
  if (Expect("=")) node.value = ParseExpr();
  const bool slot = node.value && node.value->kind == ExprKind::kTileOp && IsRingOp(node.value->tile.op);
  DeclareAnyway(node.name, at, slot ? NameKind::kSlot : NameKind::kValue);
}

void Parser::ParseVar(StmtNode& node) {
  node.kind = StmtKind::kMutable;
  Location at;
  if (!ExpectName("a name", &node.name, &at) || !Expect(":")) return;
  node.dtype = ParseDType();
  if (Expect("=")) node.value = ParseExpr();
  DeclareAnyway(node.name, at);
}

void Parser::ParseAlloc(StmtNode& node) {
  node.kind = StmtKind::kAlloc;
  TensorDecl& tensor = node.tensor;
  if (FindTeam(Peek().text) != Team::kNone && IsWord(Peek(1), ".")) {
    tensor.owner = FindTeam(Take().text);
    Take();
  }
  Location at;
  if (!ExpectName("a name", &tensor.name, &at) || !Expect(":")) return;
  tensor.dtype = ParseDType();
  if (Expect("[")) {
    ++brackets_;
    tensor.shape = ParseExprs("]");
    --brackets_;
  }
  if (tensor.shape.size() > kMaxRank) {
    Fail(at, StrCat("'", tensor.name, "' has ", tensor.shape.size(), " dimensions: expected at most ", kMaxRank));
  }
  if (Expect("in")) tensor.space = ParseSpace();
  if (TakeIf("layout")) tensor.layout = ParseLayout();
  if (TakeIf("padded") && Expect("[")) {
    ++brackets_;
    ParseList("]", "extents", [&] {
      int64_t extent = 0;
      if (ExpectInt("an extent", &extent)) tensor.padded.push_back(extent);
    });
    --brackets_;
  }
  if (TakeIf("align")) ExpectInt("an alignment in bytes", &tensor.align);
  if (TakeIf("offset")) tensor.offset = ParseBoundedInt("an offset in bytes", 0, INT64_MAX);
  if (TakeIf("=")) node.value = ParseExpr();
  DeclareAnyway(tensor.name, at);
}

// Tokens up to the end of the line or the next part of the declaration.
std::string Parser::ParseLayout() {
  std::string layout;
  int depth = 0;
  Location at = Peek().at;
  while (!AtEnd()) {
    const Token& token = Peek();
    if (token.first_on_line) break;
    if (depth == 0 && (At("padded") || At("align") || At("offset") || At("=") || At(";") || At("}"))) break;
    if (At("(") || At("[")) ++depth;
    if (At(")") || At("]")) --depth;
    bool joins = depth == 0 && (At("+") || At("o"));
    StrAppend(&layout, joins ? " " : "", token.text, joins ? " " : "");
    SetRole(TokenRole::kInLayout);
    Take();
    if (layout.size() > kMaxStringBytes) {
      Fail(at, StrCat("layout of more than ", kMaxStringBytes, " characters"));
    }
  }
  if (layout.empty()) FailExpected("a layout");
  if (panic_) return "";
  absl::StatusOr<std::string> canonical = CanonicalLayout(layout);
  if (canonical.ok()) return *std::move(canonical);
  Report(at, StrCat("expected a layout, found '", layout, "': ", canonical.status().message()));
  return "";
}

void Parser::ParseFor(StmtNode& node) {
  if (At("(")) return ParseTiles(node);
  node.kind = StmtKind::kFor;
  Location at;
  if (!ExpectName("a loop variable", &node.name, &at) || !Expect("in")) return;
  for (LoopKind loop : {LoopKind::kSerial, LoopKind::kUnroll, LoopKind::kVectorized, LoopKind::kPipelined}) {
    if (!TakeIf(Name(loop))) continue;
    node.loop = loop;
    break;
  }
  node.begin = ParseExpr();
  if (!Expect("..")) return;
  node.end = ParseExpr();
  if (TakeIf("step")) node.step = ParseExpr();
  if (TakeIf("stages")) node.stages = ParseExpr();
  size_t mark = scope_.Mark();
  if (!panic_) Declare(node.name, at);
  node.body = ParseBlock();
  scope_.Release(mark);
}

void Parser::ParseIf(StmtNode& node) {
  node.kind = StmtKind::kIf;
  node.value = ParseExpr();
  node.body = ParseBlock();
  if (!TakeIf("else")) return;
  if (!At("if")) {
    node.orelse = ParseBlock();
    return;
  }
  // A ladder of `else if` nests as deep as it is long.
  if (++blocks_ > kMaxNesting) return Fail(Peek().at, StrCat("blocks nested more than ", kMaxNesting, " deep"));
  node.orelse.push_back(ParseStatement());
  --blocks_;
}

// Fields that are allocs are visible where the ring is; those of a slot, by the slot's name alone.
void Parser::ParseRing(StmtNode& node) {
  node.kind = StmtKind::kRing;
  Location at;
  if (!ExpectName("the name of a ring", &node.name, &at) || !Expect("[")) return;
  ++brackets_;
  node.stages = ParseExpr();
  Expect("]");
  --brackets_;
  if (Expect("in")) Expect("shared");
  if (!panic_ && TakeIf("across")) node.across_cluster = Expect("cluster");
  if (!panic_ && TakeIf("read") && Expect("by")) node.readers = ParseBoundedInt("a number of threads", 1, INT32_MAX);
  DeclareAnyway(node.name, at, NameKind::kRing);
  if (Peek(1).text != "alloc" && At("{") && !IsWord(Peek(1), "}")) return ParseFields(node);
  node.body = ParseBlock(/*scoped=*/false);
  for (const Stmt& field : node.body) {
    if (field->kind != StmtKind::kAlloc)
      Report(field->at, StrCat("expected an 'alloc', a field of the ring '", node.name, "', or '}'"));
  }
}

// { at: T[BM, BK]  bt: T[BN, BK] }
void Parser::ParseFields(StmtNode& node) {
  Take();
  const int brackets = std::exchange(brackets_, 0);
  while (!panic_ && !AtEnd() && !At("}")) {
    if (TakeIf(";")) continue;
    SetRole(TokenRole::kStatement);
    StmtNode field;
    field.kind = StmtKind::kAlloc;
    field.tensor.space = Space::kNone;
    field.at = Peek().at;
    if (!ExpectName("a field of the ring", &field.tensor.name) || !Expect(":")) break;
    field.tensor.dtype = ParseDType();
    if (Expect("[")) {
      ++brackets_;
      field.tensor.shape = ParseExprs("]");
      --brackets_;
    }
    if (panic_) break;
    if (TakeIf("layout")) field.tensor.layout = ParseLayout();
    node.body.push_back(MakeStmt(std::move(field)));
  }
  brackets_ = brackets;
  Expect("}");
}

// role math = warpgroup(1, 2) regs(232) { ... }
void Parser::ParseRole(StmtNode& node) {
  node.kind = StmtKind::kRole;
  Location at;
  if (!ExpectName("the name of a role", &node.name, &at) || !Expect("=") || !Expect("warpgroup") || !Expect("("))
    return;
  ++brackets_;
  ParseList(")", "warpgroups", [&] { node.members.push_back(ParseBoundedInt("a warpgroup", 0, 255)); });
  if (!panic_ && node.members.empty()) Fail(at, StrCat("role '", node.name, "' has no warpgroup"));
  --brackets_;
  if (!panic_ && TakeIf("regs") && Expect("(")) {
    ++brackets_;
    node.value = ParseExpr();
    Expect(")");
    --brackets_;
  }
  const size_t mark = scope_.Mark();
  if (!panic_)
    for (std::string_view word : {kRoleRank, kFirstWarp}) Declare(std::string(word), at);
  node.body = ParseBlock();
  scope_.Release(mark);
}

// schedule work over (ROWS, COLUMNS) order grouped(8)
void Parser::ParseSchedule(StmtNode& node) {
  node.kind = StmtKind::kSchedule;
  Location at;
  if (!ExpectName("the name of a schedule", &node.name, &at)) return;
  if (Expect("over") && Expect("(")) {
    ++brackets_;
    node.extents = ParseExprs(")");
    --brackets_;
    if (!panic_ && node.extents.empty()) Fail(at, StrCat("schedule '", node.name, "' has no dimension"));
  }
  if (!panic_ && TakeIf("order")) ParseOrder(node);
  DeclareAnyway(node.name, at, NameKind::kSchedule);
}

void Parser::ParseOrder(StmtNode& node) {
  const std::span<const std::string_view> orders = TileOrders();
  size_t order = 0;
  while (order < orders.size() && !At(orders[order])) ++order;
  if (order == orders.size()) {
    FailExpected("an order: row, column, grouped(ROWS) or serpentine");
    return;
  }
  Take();
  node.order = static_cast<TileOrder>(order);
  if (node.order != TileOrder::kGrouped || !Expect("(")) return;
  ++brackets_;
  node.value = ParseExpr();
  Expect(")");
  --brackets_;
}

// for (i, j) in work { ... }
void Parser::ParseTiles(StmtNode& node) {
  node.kind = StmtKind::kTiles;
  Take();
  ++brackets_;
  std::vector<Location> places;
  ParseList(")", "indices", [&] {
    std::string name;
    Location at;
    if (!ExpectName("an index", &name, &at)) return;
    node.names.push_back(std::move(name));
    places.push_back(at);
  });
  --brackets_;
  if (!panic_ && node.names.empty())
    return Fail(node.at, "a loop over a schedule has an index a dimension, found none");
  Location at;
  if (!Expect("in") || !ExpectName("a schedule", &node.name, &at)) return;
  const Scope::Entry* entry = scope_.Find(node.name);
  if (resolve_ && !(entry && entry->kind == NameKind::kSchedule)) {
    Report(at, entry ? StrCat("'", node.name, "' is no schedule")
                     : StrCat("unknown schedule '", node.name, "'",
                              DidYouMean(node.name, scope_.Names(NameKind::kSchedule))));
  }
  const size_t mark = scope_.Mark();
  for (size_t i = 0; i < node.names.size(); ++i) Declare(node.names[i], places[i]);
  node.body = ParseBlock();
  scope_.Release(mark);
}

void Parser::ParseAssert(StmtNode& node) {
  node.kind = StmtKind::kAssert;
  node.value = ParseExpr();
  if (!TakeIf(",")) return;
  if (Peek().kind != TokenKind::kString) return FailExpected("a message in quotes");
  Token message = Take();
  node.text = Unquote(message.text);
  if (node.text.size() > kMaxStringBytes) {
    Fail(message.at, StrCat("message of ", node.text.size(), " bytes: expected at most ", kMaxStringBytes));
  }
}

void Parser::ParseStore(StmtNode& node) {
  node.kind = StmtKind::kStore;
  if (!Expect("(")) return;
  ++brackets_;
  Token name = Peek();
  std::vector<Expr> args = ParseExprs(")");
  --brackets_;
  if (panic_) return;
  if (args.size() != 3)
    return Fail(name.at, StrCat("'store' takes a tensor, an index and a value, found ", args.size(),
                                args.size() == 1 ? " argument" : " arguments"));
  if (args[0]->kind != ExprKind::kVar) return Fail(name.at, "'store' takes a tensor's name first");
  node.target = args[0];
  node.begin = args[1];
  node.value = args[2];
}

// An assignment, or a call for its effect.
void Parser::ParseSimple(StmtNode& node) {
  const Token first = Peek();
  const bool word = first.kind == TokenKind::kName && IsReserved(first.text) && FindTeam(first.text) == Team::kNone;
  if (word || (first.kind != TokenKind::kName && !At("("))) return FailExpected("a statement");
  Expr e = ParseExpr();
  if (panic_) return;
  Op compound = CompoundOp(Peek().text);
  if (At("=") || compound != Op::kNone) {
    const Token sign = Take();
    if (e->kind != ExprKind::kVar && e->kind != ExprKind::kSubscript) {
      return Fail(first.at, "expected a variable or a subscript left of the assignment");
    }
    node.kind = StmtKind::kAssign;
    node.target = e;
    node.value = ParseExpr();
    if (compound == Op::kNone || panic_) return;
    Node sum;
    sum.kind = ExprKind::kBinary;
    sum.op = compound;
    sum.at = sign.at;
    int height = std::max(height_, TreeHeight(e));
    sum.args = {e, node.value};
    node.value = Finish(std::move(sum), height);
    return;
  }
  node.kind = StmtKind::kEval;
  node.value = e;
  if (e->kind != ExprKind::kTileOp && e->kind != ExprKind::kCall) {
    Fail(first.at,
         StrCat("expected a statement: this expression has no effect; expected '=' or a call, found ", Found()));
  }
}

}  // namespace kiln::ir
