#include "compiler/ir/lex.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "compiler/support/str_cat.h"

namespace kiln::ir {
namespace {

// Of several characters, longest first; then those of one.
constexpr std::array<std::string_view, 14> kLongPuncts = {
    "..=", "..", "+:", "+=", "-=", "*=", "/=", "->", "==", "!=", "<=", ">=", "<<", ">>"};
constexpr std::string_view kPuncts = "()[]{}<>,:;.=+-*/%&|^~@?";

bool StartsName(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool ContinuesName(char c) { return StartsName(c) || IsDigit(c); }

std::string_view StripEnd(std::string_view line) {
  size_t last = line.find_last_not_of(" \t\r\f\v");
  return line.substr(0, last + 1);
}

class Lexer {
 public:
  Lexer(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  Lexed Run() {
    while (pos_ < text_.size()) Step();
    Push(TokenKind::kEnd, 0);
    return std::move(lexed_);
  }

 private:
  char Char(size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  Location Here() const { return {line_, static_cast<int>(pos_ - line_start_) + 1}; }

  void Push(TokenKind kind, size_t length) {
    lexed_.tokens.push_back({kind, text_.substr(pos_, length), Here(), fresh_line_, TokenRole::kNone});
    pos_ += length;
    fresh_line_ = false;
  }

  void Step() {
    char c = Char();
    if (c == '\n') {
      ++pos_;
      ++line_;
      line_start_ = pos_;
      fresh_line_ = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      pos_ = std::min(text_.find_first_not_of(" \t\r", pos_), text_.size());
    } else if (c == '/' && Char(1) == '/') {
      TakeComment();
    } else if (StartsName(c)) {
      size_t length = 1;
      while (ContinuesName(Char(length))) ++length;
      Push(TokenKind::kName, length);
    } else if (IsDigit(c)) {
      TakeNumber();
    } else if (c == '"') {
      TakeString();
    } else {
      TakePunct();
    }
  }

  void TakeComment() {
    std::string_view rest = text_.substr(pos_);
    std::string_view line = rest.substr(0, rest.find('\n'));
    lexed_.comments.push_back({StripEnd(line), Here(), fresh_line_, lexed_.tokens.size()});
    pos_ += line.size();
  }

  void TakeNumber() {
    size_t length = 1;
    TokenKind kind = TokenKind::kInt;
    if (Char() == '0' && Char(1) == 'x') {
      length = 2;
      while (ContinuesName(Char(length))) ++length;
      return Push(kind, length);
    }
    while (IsDigit(Char(length))) ++length;
    // `0..4` is a range: a fraction needs a digit after its point.
    if (Char(length) == '.' && IsDigit(Char(length + 1))) {
      kind = TokenKind::kFloat;
      length += 2;
      while (IsDigit(Char(length))) ++length;
    }
    if (Char(length) == 'e' || Char(length) == 'E') {
      size_t digits = length + 1;
      if (Char(digits) == '+' || Char(digits) == '-') ++digits;
      if (IsDigit(Char(digits))) {
        kind = TokenKind::kFloat;
        length = digits + 1;
        while (IsDigit(Char(length))) ++length;
      }
    }
    while (ContinuesName(Char(length))) ++length;  // A suffix; the parser judges it.
    Push(kind, length);
  }

  void TakeString() {
    size_t length = 1;
    while (Char(length) != '"') {
      if (pos_ + length >= text_.size() || Char(length) == '\n') {
        diagnostics_.Add(Here(), "string without its closing '\"'");
        pos_ += length;
        return;
      }
      length += Char(length) == '\\' && Char(length + 1) != '\n' ? 2 : 1;
    }
    Push(TokenKind::kString, length + 1);
  }

  void TakePunct() {
    if (std::string_view("=.:><").find(Char(1)) != std::string_view::npos) {
      std::string_view rest = text_.substr(pos_);
      for (std::string_view punct : kLongPuncts)
        if (rest.starts_with(punct)) return Push(TokenKind::kPunct, punct.size());
    }
    if (kPuncts.find(Char()) != std::string_view::npos) return Push(TokenKind::kPunct, 1);
    diagnostics_.Add(Here(), Unexpected(Char()));
    ++pos_;
    // One report for all bytes of a character or of a run of rubbish.
    while (pos_ < text_.size() && static_cast<unsigned char>(Char()) >= 0x80) ++pos_;
  }

  static std::string Unexpected(char c) {
    if (c == '!') return "unexpected character '!': negation is 'not'";
    if (absl::ascii_isprint(static_cast<unsigned char>(c)))
      return StrCat("unexpected character '", std::string(1, c), "'");
    return absl::StrFormat("unexpected byte 0x%02x", static_cast<unsigned char>(c));
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  Lexed lexed_;
  size_t pos_ = 0;
  size_t line_start_ = 0;
  int line_ = 1;
  bool fresh_line_ = true;
};

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  c = absl::ascii_tolower(static_cast<unsigned char>(c));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

Lexed Lex(std::string_view text, Diagnostics& diagnostics) { return Lexer(text, diagnostics).Run(); }

std::string Unquote(std::string_view token) {
  std::string_view body = token.substr(1, token.size() - 2);
  std::string text;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      text += body[i];
      continue;
    }
    char c = body[++i];
    if (c == 'n') {
      text += '\n';
    } else if (c == 't') {
      text += '\t';
    } else if (c == 'x' && i + 2 < body.size() && HexDigit(body[i + 1]) >= 0 && HexDigit(body[i + 2]) >= 0) {
      text += static_cast<char>(HexDigit(body[i + 1]) * 16 + HexDigit(body[i + 2]));
      i += 2;
    } else {
      text += c;
    }
  }
  return text;
}

std::string Quote(std::string_view text) {
  std::string token = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      token += '\\';
      token += c;
    } else if (c == '\n') {
      token += "\\n";
    } else if (c == '\t') {
      token += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppendFormat(&token, "\\x%02x", byte);
    } else {
      token += c;
    }
  }
  return token + "\"";
}

}  // namespace kiln::ir
