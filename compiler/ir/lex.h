// Text to tokens.
#ifndef KILN_COMPILER_IR_LEX_H_
#define KILN_COMPILER_IR_LEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/ir/diagnostics.h"

namespace kiln::ir {

enum class TokenKind : uint8_t {
  kEnd,
  kName,
  kInt,     // With its dtype suffix, if any: `5`, `0x1f`, `5i32`
  kFloat,   // `1.5`, `1e-6f64`
  kString,  // With its quotes
  kPunct,
};

// What the parser learned of a token; the formatter goes by it.
enum class TokenRole : uint8_t {
  kNone,
  kDeclaration,  // First of a kernel, an inline function or an op
  kClause,       // First of a clause of a kernel
  kStatement,    // First of a statement, or of a member of an op
  kKernelBrace,  // `{` of a kernel's body
  kInlineBrace,
  kPrefix,  // Unary operator
  kOpenAngle,
  kCloseAngle,
  kInLayout,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // Borrowed from the source.
  Location at;
  bool first_on_line = false;
  TokenRole role = TokenRole::kNone;
};

struct SourceComment {
  std::string_view text;  // From `//`, without the line end and blanks before it.
  Location at;
  bool own_line = false;
  size_t next_token = 0;  // Index of the first token after it.
};

struct Lexed {
  std::vector<Token> tokens;  // The last one is kEnd.
  std::vector<SourceComment> comments;
};

// Reports what is no token to `diagnostics` and skips it. REQUIRES: text.size() <= kMaxTextBytes.
Lexed Lex(std::string_view text, Diagnostics& diagnostics);

// The text of a string token without quotes and escapes; Quote is its inverse. Escapes: \" \\ \n \t \xNN.
std::string Unquote(std::string_view token);
std::string Quote(std::string_view text);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_LEX_H_
