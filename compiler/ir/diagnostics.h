// Errors in a text, each with its place, its line and a caret:
//
//   gemm.kiln:3:12: error: expected ')', found 'let'
//     let m = (cta_id.x * BM
//              ^
#ifndef KILN_COMPILER_IR_DIAGNOSTICS_H_
#define KILN_COMPILER_IR_DIAGNOSTICS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "compiler/expr/expr.h"

namespace kiln::ir {

struct Diagnostic {
  Location at;
  std::string message;
};

// Collects the errors of one text. `text` and `file` are borrowed.
class Diagnostics {
 public:
  Diagnostics(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // What follows the first kMaxDiagnostics errors is dropped: it seldom helps.
  void Add(Location at, std::string message);

  bool Full() const { return list_.size() >= kMaxDiagnostics; }
  bool ok() const { return list_.empty(); }
  // In the order of the text.
  const std::vector<Diagnostic>& list() const { return list_; }

  // One error as above, with no line end after it.
  std::string Render(const Diagnostic& diagnostic) const;
  // OK, or InvalidArgument with every error.
  absl::Status ToStatus() const;

  static constexpr size_t kMaxDiagnostics = 20;

 private:
  std::string_view text_;
  std::string_view file_;
  std::vector<Diagnostic> list_;
};

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_DIAGNOSTICS_H_
