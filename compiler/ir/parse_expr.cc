// Expressions: C precedence with words for the logical operators, then calls, casts, tile operations and views.
#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "compiler/ir/intrinsics.h"
#include "compiler/ir/limits.h"
#include "compiler/ir/nearest.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

Node NodeAt(ExprKind kind, Location at) {
  Node node;
  node.kind = kind;
  node.at = at;
  return node;
}

// Adds to a counter for the length of a scope.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

// A declared name may not begin so; `inf` and `nan` of a dtype are `f32.inf` and `f32.nan`.
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Expr Parser::ParseWholeExpr() {
  resolve_ = false;
  Expr e = ParseExpr();
  if (!panic_ && !AtEnd()) FailExpected("the end of the expression");
  return diagnostics_.ok() ? e : nullptr;
}

Expr Parser::Finish(Node node, int height) {
  height_ = height + 1;
  if (height_ > kMaxHeight) {
    Fail(node.at, StrCat("expression nested more than ", kMaxHeight, " deep"));
    return nullptr;
  }
  if (!CountNode()) return nullptr;
  return MakeExpr(std::move(node));
}

Expr Parser::ParseExpr(int min_precedence) {
  Deeper deeper(nesting_);
  if (nesting_ > kMaxHeight) {
    Fail(Peek().at, StrCat("expression nested more than ", kMaxHeight, " deep"));
    return nullptr;
  }
  Expr left = ParseOperand(min_precedence);
  int height = height_;
  bool compared = false;
  while (!panic_) {
    const Token& token = Peek();
    if (token.first_on_line && brackets_ == 0) break;  // A statement ends with its line.
    if (token.kind == TokenKind::kEnd || (token.kind != TokenKind::kPunct && token.kind != TokenKind::kName)) break;
    const BinaryOperator* row = FindBinary(token.text);
    if (!row || row->precedence < min_precedence) break;
    bool compares = row->precedence == kPrecedenceCompare;
    if (compares && compared) {
      Fail(token.at, StrCat("comparisons do not chain: expected 'and', found '", token.text, "'"));
      break;
    }
    compared = compares;
    Node node = NodeAt(ExprKind::kBinary, Take().at);
    node.op = row->op;
    Expr right = ParseExpr(row->precedence + 1);
    height = std::max(height, height_);
    node.args = {std::move(left), std::move(right)};
    left = Finish(std::move(node), height);
    height = height_;
  }
  height_ = height;
  return left;
}

Expr Parser::ParseOperand(int min_precedence) {
  if (!At("not")) return ParseUnary();
  if (min_precedence > kPrecedenceNot) {
    Fail(Peek().at, "'not' binds weaker than the operator before it: expected '(' around it");
    return nullptr;
  }
  Node node = NodeAt(ExprKind::kUnary, Take().at);
  node.op = Op::kNot;
  node.args = {ParseExpr(kPrecedenceNot)};
  return Finish(std::move(node), height_);
}

Expr Parser::ParseUnary() {
  if (!At("-") && !At("~")) return ParsePostfix();
  SetRole(TokenRole::kPrefix);
  Token sign = Take();
  if (sign.text == "-") {
    TokenKind kind = Peek().kind;
    // A literal takes its sign; `-(5)` is a negation.
    if (kind == TokenKind::kInt || kind == TokenKind::kFloat) return ParseNumber(/*negative=*/true);
    bool typed_inf = Peek().kind == TokenKind::kName && kiln::ParseDType(Peek().text) && IsWord(Peek(1), ".") &&
                     IsWord(Peek(2), "inf");
    if (At("inf") || typed_inf) {
      Expr inf = ParsePrimary();
      if (!inf) return nullptr;
      Node node = *inf;
      node.float_value = -kInfinity;
      return MakeExpr(std::move(node));
    }
  }
  Deeper deeper(nesting_);
  if (nesting_ > kMaxHeight) {
    Fail(sign.at, StrCat("expression nested more than ", kMaxHeight, " deep"));
    return nullptr;
  }
  Node node = NodeAt(ExprKind::kUnary, sign.at);
  node.op = sign.text == "-" ? Op::kNeg : Op::kBitNot;
  node.args = {ParseUnary()};
  return Finish(std::move(node), height_);
}

Expr Parser::ParsePostfix() {
  Expr base = ParsePrimary();
  while (!panic_ && base) {
    if (Peek().first_on_line && brackets_ == 0) break;
    if (At("[")) {
      base = ParseSubscript(std::move(base));
    } else if (At(".")) {
      base = ParseMethod(std::move(base));
    } else {
      break;
    }
  }
  return base;
}

Expr Parser::ParseMethod(Expr base) {
  int height = height_;
  Take();
  Token name = Take();
  Node node = NodeAt(ExprKind::kReshape, name.at);
  node.args = {std::move(base)};
  if (name.kind != TokenKind::kName ||
      (name.text != "reshape" && name.text != "permute" && name.text != "reinterpret")) {
    Fail(name.at, StrCat("expected 'reshape', 'permute' or 'reinterpret' after '.', found '", name.text, "'"));
    return nullptr;
  }
  if (!Expect("(")) return nullptr;
  Deeper brackets(brackets_);
  if (name.text == "reshape") {
    for (Expr& extent : ParseExprs(")")) node.args.push_back(std::move(extent));
    height = std::max(height, height_);
  } else if (name.text == "permute") {
    node.kind = ExprKind::kPermute;
    ParseList(")", "dimensions", [&] {
      int64_t dimension = 0;
      if (ExpectInt("a dimension", &dimension)) node.ints.push_back(dimension);
    });
  } else {
    node.kind = ExprKind::kReinterpret;
    node.dtype = ParseDType();
    Expect(")");
  }
  return panic_ ? nullptr : Finish(std::move(node), height);
}

Expr Parser::ParseSubscript(Expr base) {
  int height = height_;
  Node node = NodeAt(ExprKind::kSubscript, base->at);
  node.args = {std::move(base)};
  Take();
  Deeper brackets(brackets_);
  ParseList("]", "subscripts", [&] {
    node.args.push_back(ParseItem());
    height = std::max(height, height_);
  });
  return panic_ ? nullptr : Finish(std::move(node), height);
}

Expr Parser::ParseItem() {
  height_ = 0;
  Location at = Peek().at;
  if (TakeIf(":")) return Finish(NodeAt(ExprKind::kFull, at), 0);
  if (TakeIf("_")) return Finish(NodeAt(ExprKind::kNewAxis, at), 0);
  Expr start = ParseExpr();
  if (!At("+:")) return start;
  int height = height_;
  Node node = NodeAt(ExprKind::kSlice, Take().at);
  Expr extent = ParseExpr();
  height = std::max(height, height_);
  node.args = {std::move(start), std::move(extent)};
  return Finish(std::move(node), height);
}

Expr Parser::ParsePrimary() {
  const Token& token = Peek();
  height_ = 0;
  switch (token.kind) {
    case TokenKind::kInt:
    case TokenKind::kFloat:
      return ParseNumber(/*negative=*/false);
    case TokenKind::kName:
      return ParseName();
    default:
      break;
  }
  if (!At("(")) {
    FailExpected("an expression");
    return nullptr;
  }
  Take();
  Deeper brackets(brackets_);
  Expr inner = ParseExpr();
  Expect(")");
  return inner;
}

Expr Parser::ParseNumber(bool negative) {
  height_ = 0;
  Token token = Take();
  std::string_view digits = token.text;
  Node node = NodeAt(token.kind == TokenKind::kInt ? ExprKind::kInt : ExprKind::kFloat, token.at);
  bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  const char* end = digits.data() + digits.size();
  // The longest number; what follows is the suffix.
  double real = 0;
  uint64_t integer = 0;
  std::from_chars_result read = hex                             ? std::from_chars(digits.data(), end, integer, 16)
                                : token.kind == TokenKind::kInt ? std::from_chars(digits.data(), end, integer)
                                                                : std::from_chars(digits.data(), end, real);
  std::string_view suffix(read.ptr, static_cast<size_t>(end - read.ptr));
  if (!suffix.empty()) {
    auto dtype = kiln::ParseDType(suffix);
    bool fits = !hex && dtype && (IsFloat(*dtype) || (IsInteger(*dtype) && token.kind == TokenKind::kInt));
    if (!fits || read.ec == std::errc::invalid_argument) {
      Fail(token.at, StrCat("expected a number, found '", token.text, "'"));
      return nullptr;
    }
    node.dtype.dtype = *dtype;
  } else if (read.ec == std::errc::invalid_argument) {
    Fail(token.at, StrCat("expected a number, found '", token.text, "'"));
    return nullptr;
  }
  if (token.kind == TokenKind::kInt && IsFloat(node.dtype.dtype)) {
    node.kind = ExprKind::kFloat;
    read = std::from_chars(digits.data(), end - suffix.size(), real);
  }
  constexpr uint64_t kTop = uint64_t{1} << 63;
  bool wide = node.dtype.dtype == DType::kU64;
  bool too_large = node.kind == ExprKind::kInt && !wide && integer > kTop - (negative ? 0 : 1);
  if (read.ec == std::errc::result_out_of_range || too_large) {
    Fail(token.at, StrCat("number '", token.text, "' is out of range"));
    return nullptr;
  }
  if (node.kind == ExprKind::kInt) {
    node.int_value = static_cast<int64_t>(negative ? ~integer + 1 : integer);
  } else {
    node.float_value = negative ? -real : real;
  }
  return Finish(std::move(node), 0);
}

bool Parser::AtGenericCall() const {
  if (!IsWord(Peek(1), "<") || !IsWord(Peek(3), ">") || !IsWord(Peek(4), "(")) return false;
  const Token& dtype = Peek(2);
  if (dtype.kind != TokenKind::kName) return false;
  if (kiln::ParseDType(dtype.text)) return true;
  const Scope::Entry* entry = scope_.Find(dtype.text);
  return entry && entry->kind == NameKind::kDType;
}

Expr Parser::ParseName() {
  const Token name = Peek();
  const Token after = Peek(1);
  bool joined = !after.first_on_line || brackets_ > 0;
  if (FindTeam(name.text) != Team::kNone) return ParseTeamCall();
  if (name.text == "precise") return ParsePrecise();
  if (AtRingCall()) return ParseRingCall();
  if (joined && IsWord(after, "(")) {
    Take();
    return ParseCall(name, {});
  }
  if (AtGenericCall()) {
    Take();
    DTypeRef dtype = ParseAngleDType();
    return ParseCall(name, std::move(dtype));
  }
  if (name.text == "true" || name.text == "false") {
    Node node = NodeAt(ExprKind::kBool, Take().at);
    node.int_value = name.text == "true";
    return Finish(std::move(node), 0);
  }
  Node number = NodeAt(ExprKind::kFloat, name.at);
  if (auto dtype = kiln::ParseDType(name.text); dtype && IsFloat(*dtype) && IsWord(after, ".")) {
    Take();
    Take();
    number.dtype.dtype = *dtype;
    if (!At("inf") && !At("nan")) {
      FailExpected(StrCat("'inf' or 'nan' after '", name.text, ".'"));
      return nullptr;
    }
  }
  if (At("inf") || At("nan")) {
    number.float_value = Take().text == "inf" ? kInfinity : kNan;
    return Finish(std::move(number), 0);
  }
  for (const NamedConstant& constant : NamedConstants()) {
    if (name.text != constant.name) continue;
    Take();
    number.float_value = constant.value;
    return Finish(std::move(number), 0);
  }
  Node node = NodeAt(ExprKind::kVar, name.at);
  if (!ExpectName("an expression", &node.name)) return nullptr;
  if (const Scope::Entry* entry = scope_.Find(node.name);
      entry && entry->kind == NameKind::kSlot && At(".") && !IsWord(Peek(2), "("))
    return ParseField(Finish(std::move(node), 0), height_);
  // `cta_id.x` and `x.stride0` are single names; `x.reshape(...)` is a view.
  while (At(".") && Peek(1).kind == TokenKind::kName && !IsWord(Peek(2), "(") &&
         (!Peek().first_on_line || brackets_ > 0)) {
    Take();
    StrAppend(&node.name, ".", Take().text);
    if (node.name.size() > kMaxNameBytes) {
      Fail(node.at, StrCat("name of ", node.name.size(), " characters: expected at most ", kMaxNameBytes));
      return nullptr;
    }
  }
  ResolveValue(node.name, node.at);
  return Finish(std::move(node), 0);
}

bool Parser::AtRingCall() const {
  if (IsReserved(Peek().text) || !IsWord(Peek(1), ".") || !IsWord(Peek(3), "(")) return false;
  if (Peek(1).first_on_line && brackets_ == 0) return false;
  const TileOpRow* row = Peek(2).kind == TokenKind::kName ? FindTileOp(Peek(2).text) : nullptr;
  return row && IsRingOp(row->op);
}

// tiles.pop()
Expr Parser::ParseRingCall() {
  Node node = NodeAt(ExprKind::kTileOp, Peek().at);
  node.tile.team = Team::kThread;
  if (!ExpectName("a ring", &node.name)) return nullptr;
  const Scope::Entry* entry = scope_.Find(node.name);
  if (resolve_ && !(entry && entry->kind == NameKind::kRing)) {
    Report(node.at,
           entry ? StrCat("'", node.name, "' is no ring")
                 : StrCat("unknown ring '", node.name, "'", DidYouMean(node.name, scope_.Names(NameKind::kRing))));
  }
  Take();
  node.tile.op = FindTileOp(Take().text)->op;
  Take();
  Deeper brackets(brackets_);
  Expect(")");
  if (panic_) return nullptr;
  const bool field = At(".") && !IsWord(Peek(2), "(");
  Expr slot = Finish(std::move(node), 0);
  return field ? ParseField(std::move(slot), height_) : slot;
}

// slot.name
Expr Parser::ParseField(Expr slot, int height) {
  Node node = NodeAt(ExprKind::kField, Take().at);
  if (!ExpectName("a field of the slot", &node.name)) return nullptr;
  node.args.push_back(std::move(slot));
  return Finish(std::move(node), height);
}

// precise.exp2(x)
Expr Parser::ParsePrecise() {
  Node node = NodeAt(ExprKind::kMath, Take().at);
  node.int_value = 1;
  if (!Expect(".")) return nullptr;
  const Token name = Peek();
  const MathFunction* function = name.kind == TokenKind::kName ? FindMath(name.text) : nullptr;
  if (!function || !function->precise) {
    std::string known;
    for (const MathFunction& f : MathFunctions())
      if (f.precise) StrAppend(&known, known.empty() ? "" : ", ", f.name);
    FailExpected(StrCat("a function with a precise form (", known, ")"));
    return nullptr;
  }
  Take();
  if (!At("(")) {
    FailExpected("'('");
    return nullptr;
  }
  return ParseFunction(node, name) ? Finish(std::move(node), height_) : nullptr;
}

std::vector<Expr> Parser::ParseExprs(std::string_view close) {
  std::vector<Expr> list;
  int height = 0;
  ParseList(close, "expressions", [&] {
    list.push_back(ParseExpr());
    height = std::max(height, height_);
  });
  height_ = height;
  return list;
}

Expr Parser::ParseTeamCall() {
  Token team = Take();
  Node node = NodeAt(ExprKind::kTileOp, team.at);
  node.tile.team = FindTeam(team.text);
  if (!Expect(".")) return nullptr;
  Token name = Peek();
  const TileOpRow* row = name.kind == TokenKind::kName ? FindTileOp(name.text) : nullptr;
  if (row && IsRingOp(row->op)) {
    Fail(name.at, StrCat("'", name.text, "' is an operation of a ring: expected RING.", name.text, "()"));
    return nullptr;
  }
  if (!row) {
    std::vector<std::string_view> known;
    for (const TileOpRow& candidate : TileOps())
      if (!IsRingOp(candidate.op)) known.push_back(candidate.name);
    Fail(name.at,
         StrCat("expected a tile operation after '", team.text, ".', found ", Found(), DidYouMean(name.text, known)));
    return nullptr;
  }
  Take();
  node.tile.op = row->op;
  int height = 0;
  ParseArgs(node, &height);
  ParseVia(node, &height);
  return panic_ ? nullptr : Finish(std::move(node), height);
}

void Parser::CheckAttr(const Token& name, size_t count) {
  if (count >= kMaxAttrs) Fail(name.at, StrCat("too many named arguments: expected at most ", kMaxAttrs));
  if (name.text.size() > kMaxNameBytes) {
    Fail(name.at, StrCat("name of ", name.text.size(), " characters: expected at most ", kMaxNameBytes));
  }
}

// Positional arguments, then named ones.
void Parser::ParseArgs(Node& node, int* height) {
  if (!Expect("(")) return;
  Deeper brackets(brackets_);
  ParseList(")", "arguments", [&] {
    if (Peek().kind == TokenKind::kName && IsWord(Peek(1), "=")) {
      Token name = Take();
      Take();
      if (FindAttr(node, name.text)) Report(name.at, StrCat("argument '", name.text, "' is given twice"));
      CheckAttr(name, node.attrs.size());
      node.attrs.push_back({std::string(name.text), ParseExpr()});
    } else {
      if (!node.attrs.empty()) return Fail(Peek().at, "a positional argument after a named one");
      node.args.push_back(ParseExpr());
    }
    *height = std::max(*height, height_);
  });
}

void Parser::ParseVia(Node& node, int* height) {
  if (panic_ || (Peek().first_on_line && brackets_ == 0) || !TakeIf("via")) return;
  if (!ExpectName("an instruction family", &node.tile.via)) return;
  if (!At("(") || (Peek().first_on_line && brackets_ == 0)) return;
  Take();
  Deeper brackets(brackets_);
  ParseList(")", "settings", [&] {
    Attr setting;
    const Token name = Peek();
    if (!ExpectName("the name of a setting", &setting.name) || !Expect("=")) return;
    // A lone name is a word of the rule's (`multicast = all`), not a variable.
    bool word =
        Peek().kind == TokenKind::kName && !IsReserved(Peek().text) && (IsWord(Peek(1), ",") || IsWord(Peek(1), ")"));
    bool resolved = std::exchange(resolve_, resolve_ && !word);
    setting.value = ParseExpr();
    resolve_ = resolved;
    *height = std::max(*height, height_);
    for (const Attr& before : node.tile.via_config)
      if (before.name == setting.name) Report(name.at, StrCat("setting '", setting.name, "' is given twice"));
    CheckAttr(name, node.tile.via_config.size());
    node.tile.via_config.push_back(std::move(setting));
  });
}

int64_t Parser::ParseBoundedInt(std::string_view what, int64_t min, int64_t max) {
  int64_t value = 0;
  Location at = Peek().at;
  if (!ExpectInt(what, &value)) return 0;
  if (value < min || value > max) Fail(at, StrCat("expected ", what, " of ", min, " to ", max, ", found ", value));
  return value;
}

Expr Parser::ParseCall(const Token& name, DTypeRef dtype) {
  Node node = NodeAt(ExprKind::kCall, name.at);
  int height = 0;
  const Scope::Entry* entry = scope_.Find(name.text);
  bool cast = kiln::ParseDType(name.text) || (entry && entry->kind == NameKind::kDType);
  if (!dtype.Known() && dtype.param.empty() && (cast || IsFunction(name.text))) {
    if (cast) {
      node.kind = ExprKind::kCast;
      node.dtype = kiln::ParseDType(name.text) ? DTypeRef{*kiln::ParseDType(name.text), ""}
                                               : DTypeRef{DType::kNone, std::string(name.text)};
    }
    return ParseFunction(node, name) ? Finish(std::move(node), height_) : nullptr;
  }
  if (IsFunction(name.text)) {
    Fail(name.at, StrCat("'", name.text, "' takes no dtype in angle brackets"));
    return nullptr;
  }
  node.name = name.text;
  node.dtype = std::move(dtype);
  if (resolve_ && !inlines_.contains(name.text) && !FindIntrinsic(name.text)) {
    std::vector<std::string_view> known = FunctionNames();
    known.insert(known.end(), inlines_.begin(), inlines_.end());
    const TileOpRow* row = FindTileOp(name.text);
    const bool tile_op = row && !IsRingOp(row->op);
    Report(name.at, tile_op ? StrCat("tile operation '", name.text, "' without a team: expected cta.", name.text,
                                     "(...), warp.", name.text, "(...) or another")
                            : StrCat("unknown function '", name.text, "'", DidYouMean(name.text, known)));
  }
  ParseArgs(node, &height);
  return panic_ ? nullptr : Finish(std::move(node), height);
}

// Casts, kMath and the functions that have a node kind of their own; leaves the arguments' height in height_.
bool Parser::ParseFunction(Node& node, const Token& name) {
  Take();
  Deeper brackets(brackets_);
  size_t exprs = 1;
  bool integer = false;  // A constant comes last
  bool optional = false;
  if (node.kind == ExprKind::kCast) {
  } else if (const MathFunction* math = FindMath(name.text)) {
    node.kind = ExprKind::kMath;
    node.op = math->op;
    exprs = static_cast<size_t>(math->operands);
  } else if (name.text == "min" || name.text == "max" || name.text == "ceildiv") {
    node.kind = ExprKind::kBinary;
    node.op = name.text == "min" ? Op::kMin : name.text == "max" ? Op::kMax : Op::kCeilDiv;
    exprs = 2;
  } else if (name.text == "select") {
    node.kind = ExprKind::kSelect;
    exprs = 3;
  } else if (name.text == "load") {
    node.kind = ExprKind::kLoad;
    node.int_value = 1;
    exprs = 2;
    integer = optional = true;
  } else {
    node.kind = name.text == "index"  ? ExprKind::kIndex
                : name.text == "dim"  ? ExprKind::kDim
                : name.text == "ramp" ? ExprKind::kRamp
                                      : ExprKind::kBroadcast;
    integer = true;
  }
  const size_t expected = exprs + integer;
  size_t count = 0;
  int height = 0;
  ParseList(")", "arguments", [&] {
    if (integer && count == exprs) {
      const bool lanes = node.kind != ExprKind::kIndex && node.kind != ExprKind::kDim;
      node.int_value =
          lanes ? ParseBoundedInt("a number of lanes", 1, kMaxLanes) : ParseBoundedInt("an axis", 0, INT32_MAX);
    } else {
      node.args.push_back(ParseExpr());
      height = std::max(height, height_);
    }
    ++count;
  });
  if (panic_) return false;
  if (count != expected && !(optional && count + 1 == expected)) {
    Fail(name.at,
         StrCat("'", name.text, "' takes ", expected, expected == 1 ? " argument" : " arguments", ", found ", count));
    return false;
  }
  if (node.kind == ExprKind::kLoad && node.args[0]->kind != ExprKind::kVar) {
    Fail(name.at, "'load' takes a tensor's name first");
    return false;
  }
  height_ = height;
  return true;
}

}  // namespace kiln::ir
