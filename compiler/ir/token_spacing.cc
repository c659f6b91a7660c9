#include "compiler/ir/token_spacing.h"

#include <algorithm>
#include <iterator>

namespace kiln::ir {
namespace {

// Words after which a bracket is not the argument list of a call.
constexpr std::string_view kBeforeExpr[] = {
    "and",       "assert",   "assume", "else",   "for",    "if",   "in",      "not",    "or",         "over", "padded",
    "pipelined", "requires", "return", "serial", "stages", "step", "strides", "unroll", "vectorized", "when", "while",
};

bool IsPunct(const Token& token, std::string_view text) {
  return token.kind == TokenKind::kPunct && token.text == text;
}

bool IsAny(const Token& token, std::string_view characters) {
  return token.kind == TokenKind::kPunct && token.text.size() == 1 &&
         characters.find(token.text[0]) != std::string_view::npos;
}

bool JoinsLayouts(const Token& token) { return token.text == "+" || token.text == "-" || token.text == "o"; }

bool SpaceBeforeBracket(const Token& left) {
  if (left.kind == TokenKind::kName) {
    return std::find(std::begin(kBeforeExpr), std::end(kBeforeExpr), left.text) != std::end(kBeforeExpr);
  }
  return left.kind != TokenKind::kInt && !IsAny(left, ")]");
}

}  // namespace

bool SpaceBetween(const Token& left, const Token& right, int layout_depth) {
  if (left.role == TokenRole::kInLayout && right.role == TokenRole::kInLayout) {
    return layout_depth == 0 && (JoinsLayouts(left) || JoinsLayouts(right));
  }
  if (right.role == TokenRole::kInLayout || left.role == TokenRole::kInLayout) return true;
  if (left.role == TokenRole::kPrefix || left.role == TokenRole::kOpenAngle) return false;
  if (right.role == TokenRole::kOpenAngle || right.role == TokenRole::kCloseAngle) return false;
  if (IsPunct(left, "{") && IsPunct(right, "}")) return false;
  if (IsAny(left, "([.") || IsAny(right, ",)].")) return false;
  if (IsAny(left, ",")) return true;
  if (IsAny(right, ":")) return false;
  if (left.role == TokenRole::kCloseAngle) return !IsAny(right, "([");
  if (IsAny(right, "([")) return SpaceBeforeBracket(left);
  return true;
}

}  // namespace kiln::ir
