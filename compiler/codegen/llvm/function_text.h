// The text of one LLVM function under construction: unique names, blocks, instructions.
//
//   FunctionText out;
//   std::string sum = out.Set("fadd float " + a + ", " + b);   // "%.3"
//
// Knows LLVM's spelling and nothing of kernels. Names depend on the order of calls alone.
#ifndef KILN_COMPILER_CODEGEN_LLVM_FUNCTION_TEXT_H_
#define KILN_COMPILER_CODEGEN_LLVM_FUNCTION_TEXT_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"

namespace kiln::llvm_text {

// "float", "<8 x float>".
std::string VectorType(absl::string_view scalar, int lanes);

// Constants. A float's value is rounded to the type first, so that the text is always exact.
std::string FloatConstant(double value, absl::string_view scalar, int lanes);
std::string IntConstant(int64_t value, absl::string_view scalar, int lanes);

class FunctionText {
 public:
  // `%hint`, or `%hint.N` where it is taken.
  std::string Unique(absl::string_view hint);
  // A label nothing else has; without the `%`.
  std::string NewLabel(absl::string_view hint);

  // The right-hand side's pieces, assigned to a fresh temporary, whose name is returned.
  template <typename... Pieces>
  std::string Set(const Pieces&... pieces) {
    EnsureOpen();
    std::string name = absl::StrCat("%.", ++temporaries_);
    absl::StrAppend(&body_, "  ", name, " = ", pieces..., "\n");
    return name;
  }
  template <typename... Pieces>
  void Line(const Pieces&... pieces) {
    EnsureOpen();
    absl::StrAppend(&body_, "  ", pieces..., "\n");
  }
  // Ends the block that was open with a branch to `label` unless it has ended already.
  void StartBlock(const std::string& label);
  void Branch(const std::string& label, absl::string_view metadata = "");
  void BranchIf(absl::string_view condition, const std::string& if_true, const std::string& if_false);
  void Return(absl::string_view value);
  const std::string& block() const { return block_; }

  // Stack memory, placed in the entry block wherever it is asked for: a loop never grows the stack.
  std::string Alloca(absl::string_view hint, absl::string_view type, int64_t align);

  // The body from `entry:` on.
  std::string Finish() const;

 private:
  // What follows a terminator cannot run; LLVM wants it in a block all the same, and drops it.
  void EnsureOpen() {
    if (ended_) StartBlock(NewLabel("unreachable"));
  }

  std::string allocas_;
  std::string body_;
  std::string block_ = "entry";
  bool ended_ = false;  // The open block has its terminator
  int temporaries_ = 0;
  std::map<std::string, int, std::less<>> taken_;
};

}  // namespace kiln::llvm_text

#endif  // KILN_COMPILER_CODEGEN_LLVM_FUNCTION_TEXT_H_
