#include "compiler/ir/parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "compiler/ir/limits.h"
#include "compiler/ir/nearest.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {

Parser::Parser(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {
  if (text.size() > kMaxTextBytes) {
    diagnostics.Add({1, 1}, StrCat("text of ", text.size(), " bytes: expected at most ", kMaxTextBytes));
    lexed_.tokens.emplace_back();
  } else {
    lexed_ = Lex(text, diagnostics);
  }
  end_ = lexed_.tokens.back();
}

const Token& Parser::Peek(size_t ahead) const {
  if (panic_) return end_;
  return lexed_.tokens[std::min(next_ + ahead, lexed_.tokens.size() - 1)];
}

bool Parser::IsWord(const Token& token, std::string_view text) {
  return (token.kind == TokenKind::kName || token.kind == TokenKind::kPunct) && token.text == text;
}

Token Parser::Take() {
  Token token = Peek();
  if (!panic_ && next_ + 1 < lexed_.tokens.size()) ++next_;
  return token;
}

bool Parser::TakeIf(std::string_view text) {
  if (!At(text)) return false;
  Take();
  return true;
}

bool Parser::Expect(std::string_view text) {
  if (TakeIf(text)) return true;
  FailExpected(StrCat("'", text, "'"));
  return false;
}

void Parser::SetRole(TokenRole role) {
  if (!panic_) lexed_.tokens[next_].role = role;
}

std::string Parser::Found() const {
  const Token& token = Peek();
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  constexpr size_t kShown = 40;
  if (token.text.size() > kShown) return StrCat("'", token.text.substr(0, kShown), "...'");
  return StrCat("'", token.text, "'");
}

void Parser::FailExpected(std::string_view what) {
  if (panic_) return;
  Fail(Peek().at, StrCat("expected ", what, ", found ", Found()));
}

void Parser::Fail(Location at, std::string message) {
  Report(at, std::move(message));
  if (!panic_) panic_brackets_ = brackets_;
  panic_ = true;
}

void Parser::Report(Location at, std::string message) {
  if (!panic_) diagnostics_.Add(at, std::move(message));
}

bool Parser::CountNode() {
  if (++nodes_ <= kMaxNodes) return true;
  Fail(Peek().at, StrCat("too many expressions: expected at most ", kMaxNodes, " in a text"));
  return false;
}

bool Parser::ExpectName(std::string_view what, std::string* name, Location* at) {
  const Token& token = Peek();
  if (token.kind != TokenKind::kName) {
    FailExpected(what);
    return false;
  }
  if (IsReserved(token.text)) {
    Fail(token.at, StrCat("expected ", what, ", found the reserved word '", token.text, "'"));
    return false;
  }
  if (token.text.size() > kMaxNameBytes) {
    Fail(token.at, StrCat("name of ", token.text.size(), " characters: expected at most ", kMaxNameBytes));
    return false;
  }
  *name = token.text;
  if (at) *at = token.at;
  Take();
  return true;
}

bool Parser::ExpectInt(std::string_view what, int64_t* value) {
  bool negative = At("-") && Peek(1).kind == TokenKind::kInt;
  if (negative) {
    SetRole(TokenRole::kPrefix);
    Take();
  }
  if (Peek().kind != TokenKind::kInt) {
    FailExpected(what);
    return false;
  }
  Token token = Peek();
  Expr number = ParseNumber(negative);
  if (!number) return false;
  if (number->kind != ExprKind::kInt || number->dtype.Known()) {
    Fail(token.at, StrCat("expected ", what, " without a dtype, found '", token.text, "'"));
    return false;
  }
  *value = number->int_value;
  return true;
}

// `item` reads one entry; entries are separated by ',' and end at `close`, which is taken. A ',' may come last.
void Parser::ParseList(std::string_view close, std::string_view what, absl::FunctionRef<void()> item) {
  size_t count = 0;
  while (!panic_ && !At(close)) {
    if (++count > kMaxList) return Fail(Peek().at, StrCat("too many ", what, ": expected at most ", kMaxList));
    item();
    if (!TakeIf(",") && !At(close)) return FailExpected(StrCat("',' or '", close, "'"));
  }
  Expect(close);
}

void Parser::Declare(const std::string& name, Location at, NameKind kind) {
  if (IsBuiltin(name)) return Report(at, StrCat("'", name, "' is a builtin and cannot be declared"));
  if (scope_.Declare(name, kind, at)) return;
  Location first = scope_.Find(name)->at;
  Report(at, StrCat("'", name, "' is already declared at ", first.line, ":", first.column));
}

// Also in a panic: a declaration with a broken value still declares, so that its uses are not errors too.
void Parser::DeclareAnyway(const std::string& name, Location at, NameKind kind) {
  bool panic = std::exchange(panic_, false);
  Declare(name, at, kind);
  panic_ = panic;
}

void Parser::ResolveValue(const std::string& name, Location at) {
  if (!resolve_ || panic_ || IsBuiltin(name)) return;
  std::string_view param;
  int dimension = 0;
  std::string_view looked_up = SplitStride(name, &param, &dimension) ? param : std::string_view(name);
  const Scope::Entry* entry = scope_.Find(looked_up);
  if (entry && (entry->kind == NameKind::kValue || entry->kind == NameKind::kSlot)) return;
  if (entry && entry->kind == NameKind::kDType) {
    return Report(at, StrCat("'", name, "' is a dtype: expected a value; a cast is ", name, "(x)"));
  }
  if (entry && entry->kind == NameKind::kRing) {
    return Report(at, StrCat("'", name, "' is a ring: expected a value; ", name, ".push() and ", name,
                             ".pop() give a slot of it"));
  }
  if (entry && entry->kind == NameKind::kSchedule) {
    return Report(at,
                  StrCat("'", name, "' is a schedule: expected a value; a loop over it is 'for (i, j) in ", name, "'"));
  }
  if (entry) return Report(at, StrCat("'", name, "' is a layout: expected a value"));
  std::vector<std::string_view> known = scope_.Names(NameKind::kValue);
  known.insert(known.end(), Builtins().begin(), Builtins().end());
  Report(at, StrCat("unknown name '", name, "'", DidYouMean(name, known)));
}

}  // namespace kiln::ir
