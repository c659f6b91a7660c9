#include "compiler/ir/format.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/ir/parser.h"
#include "compiler/ir/token_spacing.h"

namespace kiln::ir {
namespace {

// A line of the result: some tokens, a comment, or both.
struct Line {
  std::string code;  // Indented
  std::string comment;
  size_t column = 0;  // Of the comment in the source
  bool blank_before = false;
  bool own_comment = false;   // A comment alone, indented like code
  bool closes_block = false;  // Begins with `}`
  bool ends_block = false;    // Comments align up to here
};

class Formatter {
 public:
  explicit Formatter(const Lexed& lexed)
      : tokens_(lexed.tokens), comments_(lexed.comments), breaks_(tokens_.size()), dropped_(tokens_.size()) {}

  std::string Run() {
    DecideBreaks();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      TakeComments(i);
      if (tokens_[i].kind != TokenKind::kEnd && !dropped_[i]) TakeToken(i);
    }
    FlushLine();
    SeparateDeclarations();
    AlignComments();
    return Join();
  }

 private:
  bool Is(size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kPunct && tokens_[i].text == text;
  }
  bool IsWord(size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kName && tokens_[i].text == text;
  }
  bool CommentBetween(size_t first, size_t last) const {
    return std::any_of(comments_.begin(), comments_.end(),
                       [&](const SourceComment& c) { return c.next_token > first && c.next_token <= last; });
  }

  // Which tokens begin a line.
  void DecideBreaks() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      breaks_[i] = token.first_on_line;
      if (token.role == TokenRole::kDeclaration || token.role == TokenRole::kClause) breaks_[i] = true;
      if (Is(i, ";")) dropped_[i] = true;
      if (i > 0 && dropped_[i - 1]) breaks_[i] = true;
    }
    std::vector<size_t> open;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (Is(i, "{")) open.push_back(i);
      if (!Is(i, "}") || open.empty()) continue;
      DecideBlock(open.back(), i);
      open.pop_back();
    }
    // A comment runs to the end of its line.
    for (const SourceComment& comment : comments_) breaks_[comment.next_token] = true;
  }

  void DecideBlock(size_t first, size_t last) {
    breaks_[first] = tokens_[first].role == TokenRole::kKernelBrace;
    bool one_line = tokens_[first].role != TokenRole::kKernelBrace && tokens_[first].role != TokenRole::kInlineBrace;
    for (size_t i = first + 1; i <= last && one_line; ++i) {
      one_line = !tokens_[i].first_on_line && !Is(i, "{") && !Is(i, ";");
    }
    one_line = one_line && !CommentBetween(first, last);
    if (!one_line) breaks_[first + 1] = breaks_[last] = true;
    if (last + 1 < tokens_.size()) breaks_[last + 1] = !IsWord(last + 1, "else");
  }

  void TakeComments(size_t token) {
    for (; next_comment_ < comments_.size() && comments_[next_comment_].next_token <= token; ++next_comment_) {
      const SourceComment& comment = comments_[next_comment_];
      // Behind a `;` that has its line to itself a comment has no code to stand behind.
      if (comment.own_line || !open_ || !line_.comment.empty()) {
        FlushLine();
        Line& line = StartLine(comment.at.line);
        line.code = std::string(static_cast<size_t>(Indent(token, /*comment=*/true)), ' ') + std::string(comment.text);
        line.own_comment = true;
        FlushLine();
      } else {
        line_.comment = comment.text;
        line_.column = static_cast<size_t>(comment.at.column) - 1;
      }
      last_line_ = comment.at.line;
    }
  }

  void TakeToken(size_t i) {
    const Token& token = tokens_[i];
    if (breaks_[i] || !open_) {
      FlushLine();
      StartLine(token.at.line);
      if (Is(i, "}") || header_) line_.blank_before = false;
      line_.code.assign(static_cast<size_t>(Indent(i, /*comment=*/false)), ' ');
    } else if (SpaceBetween(tokens_[previous_], token, layout_depth_)) {
      line_.code += ' ';
    }
    line_.code += token.text;
    Track(i);
    previous_ = i;
    last_line_ = token.at.line;
  }

  Line& StartLine(int source_line) {
    line_ = {};
    line_.blank_before = !lines_.empty() && source_line > last_line_ + 1 && !after_open_;
    open_ = true;
    return line_;
  }

  void FlushLine() {
    if (!open_) return;
    after_open_ = !line_.own_comment && !line_.code.empty() && line_.code.back() == '{';
    size_t text = line_.code.find_first_not_of(' ');
    line_.closes_block = text != std::string::npos && line_.code[text] == '}';
    line_.ends_block = after_open_ || line_.closes_block || line_.own_comment;
    lines_.push_back(std::move(line_));
    line_ = {};
    open_ = false;
  }

  int Indent(size_t i, bool comment) const {
    if (comment) return 2 * braces_ + (brackets_ > 0 ? 4 : header_ ? 2 : 0);
    if (Is(i, "}")) return 2 * (braces_ - 1);
    const TokenRole role = tokens_[i].role;
    if (role == TokenRole::kClause) return 2;
    if (role == TokenRole::kKernelBrace) return 0;
    if (role == TokenRole::kDeclaration || role == TokenRole::kStatement || Is(i, "{") || IsWord(i, "else")) {
      return 2 * braces_;
    }
    bool closes = Is(i, ")") || Is(i, "]");
    return 2 * braces_ + (closes && brackets_ == 1 ? 0 : 4);
  }

  void Track(size_t i) {
    const Token& token = tokens_[i];
    if (token.role == TokenRole::kInLayout) {
      if (Is(i, "(") || Is(i, "[")) ++layout_depth_;
      if (Is(i, ")") || Is(i, "]")) --layout_depth_;
    }
    if (Is(i, "{")) ++braces_;
    if (Is(i, "}")) --braces_;
    if (Is(i, "(") || Is(i, "[")) ++brackets_;
    if (Is(i, ")") || Is(i, "]")) --brackets_;
    if (token.role == TokenRole::kDeclaration) header_ = token.text == "kernel";
    if (Is(i, "{")) header_ = false;
  }

  // An empty line above each declaration and the comments on it.
  void SeparateDeclarations() {
    for (size_t i = 1; i < lines_.size(); ++i) {
      if (lines_[i].own_comment || lines_[i].code.empty() || lines_[i].code[0] == ' ') continue;
      if (!StartsDeclaration(lines_[i].code)) continue;
      size_t top = i;
      while (top > 0 && lines_[top - 1].own_comment && lines_[top - 1].code[0] != ' ' && !lines_[top].blank_before)
        --top;
      if (top > 0) lines_[top].blank_before = true;
    }
  }

  static bool StartsDeclaration(std::string_view code) {
    return code.starts_with("kernel ") || code.starts_with("inline ") || code.starts_with("op ");
  }

  void AlignComments() {
    for (size_t first = 0; first < lines_.size();) {
      size_t last = first + 1;
      while (last < lines_.size() && !StartsDeclaration(lines_[last].code)) ++last;
      if (size_t column = CommonColumn(first, last); column > 0) {
        PlaceComments(first, last, column);
      } else {
        AlignBlocks(first, last);
      }
      first = last;
    }
  }

  // Where all comments of a declaration stand behind its code, when they stand below each other; 0 when they do not.
  size_t CommonColumn(size_t first, size_t last) const {
    size_t column = 0;
    for (size_t i = first; i < last; ++i) {
      const Line& line = lines_[i];
      if (line.comment.empty()) continue;
      if (column > 0 && line.column != column) return 0;
      column = line.column;
      if (column < line.code.size() + 2) return 0;
    }
    return column;
  }

  // Within lines that no blank line, brace or comment of its own separates, comments begin in one column.
  void AlignBlocks(size_t first, size_t end) {
    while (first < end) {
      size_t last = first;
      size_t width = 0;
      while (last < end && (last == first || !(lines_[last].blank_before || lines_[last].closes_block))) {
        if (!lines_[last].comment.empty()) width = std::max(width, lines_[last].code.size());
        if (lines_[last++].ends_block) break;
      }
      PlaceComments(first, last, width + 2);
      first = last;
    }
  }

  void PlaceComments(size_t first, size_t last, size_t column) {
    for (size_t i = first; i < last; ++i) {
      if (lines_[i].comment.empty()) continue;
      lines_[i].code.append(column - lines_[i].code.size(), ' ');
      lines_[i].code += lines_[i].comment;
    }
  }

  std::string Join() const {
    std::string out;
    for (const Line& line : lines_) {
      if (line.blank_before && !out.empty()) out += '\n';
      out += line.code;
      out += '\n';
    }
    return out;
  }

  const std::vector<Token>& tokens_;
  const std::vector<SourceComment>& comments_;
  std::vector<bool> breaks_;
  std::vector<bool> dropped_;  // `;`: every statement has its own line
  std::vector<Line> lines_;
  Line line_;
  bool open_ = false;  // line_ holds something
  bool after_open_ = false;
  size_t next_comment_ = 0;
  size_t previous_ = 0;
  int last_line_ = 0;
  int braces_ = 0, brackets_ = 0, layout_depth_ = 0;
  bool header_ = false;  // Between the name of a kernel and its body
};

}  // namespace

absl::StatusOr<std::string> Format(std::string_view text, std::string_view file) {
  Diagnostics diagnostics(text, file);
  Parser parser(text, diagnostics);
  parser.ParseModule();
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  return Formatter(parser.lexed()).Run();
}

}  // namespace kiln::ir
