// Prints the body of one native kernel: statements (statements.cc), expressions (expressions.cc) and intrinsic calls
// (intrinsic_calls.cc).
//
// Types are found bottom-up from what names hold, by the rules of docs/numerics.md; Node::type is not read. An error
// names what the native form does not allow, which is a fault of the lowering that made it.
#ifndef KILN_COMPILER_CODEGEN_LLVM_KERNEL_PRINTER_H_
#define KILN_COMPILER_CODEGEN_LLVM_KERNEL_PRINTER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "compiler/codegen/llvm/values.h"
#include "compiler/expr/facts.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/kernel.h"

namespace kiln::llvm_text {

class KernelPrinter {
 public:
  KernelPrinter(const ir::Kernel& kernel, Helpers& helpers);

  // The function's text from `entry:` on.
  absl::StatusOr<std::string> Print();

 private:
  // What a name stands for.
  struct Binding {
    enum class Kind { kValue, kMutable, kTensor };
    Kind kind = Kind::kValue;
    Value value;          // kValue; of the others dtype and lanes alone
    std::string pointer;  // kMutable, kTensor
  };
  struct Loop {
    std::string on_continue, on_break;  // Labels
  };

  void BindParameters();

  // statements.cc
  absl::Status Block(const ir::Block& block);
  absl::Status Statement(const ir::StmtNode& stmt);
  absl::Status LetValue(const ir::StmtNode& stmt);
  absl::Status MutableScalar(const ir::StmtNode& stmt);
  absl::Status Allocation(const ir::StmtNode& stmt);
  absl::Status Assignment(const ir::StmtNode& stmt);
  absl::Status ElementStore(const ir::StmtNode& stmt);
  absl::Status ForLoop(const ir::StmtNode& stmt);
  absl::Status WhileLoop(const ir::StmtNode& stmt);
  absl::Status Conditional(const ir::StmtNode& stmt);

  // expressions.cc
  absl::StatusOr<Value> Eval(const Expr& e);
  absl::StatusOr<Value> EvalAs(const Expr& e, DType dtype);
  absl::StatusOr<Value> Variable(const Node& node);
  absl::StatusOr<Value> UnaryOp(const Node& node);
  absl::StatusOr<Value> BinaryOp(const Expr& e);
  absl::StatusOr<Value> Logical(const Node& node);
  absl::StatusOr<Value> Selection(const Node& node);
  absl::StatusOr<Value> MathFunction(const Node& node);
  absl::StatusOr<Value> ElementLoad(const Node& node);
  absl::StatusOr<Value> LaneRamp(const Node& node);
  Value Arithmetic(Op op, const Value& a, const Value& b);
  Value Comparison(Op op, const Value& a, const Value& b);
  Value FloatDivision(Op op, const Value& a, const Value& b);
  Value IntDivision(Op op, const Value& a, const Value& b, bool nonnegative);
  Value MinMax(bool max, const Value& a, const Value& b);
  // Lanes of what Eval gives, before it is evaluated.
  int LanesOf(const Expr& e) const;
  // One of two values of the same lanes, of which only the chosen one is evaluated.
  absl::StatusOr<Value> Branched(const Value& condition, absl::FunctionRef<absl::StatusOr<Value>()> if_true,
                                 absl::FunctionRef<absl::StatusOr<Value>()> if_false);
  Value Set(DType dtype, int lanes, const std::string& rhs) { return {out_.Set(rhs), dtype, lanes}; }
  // A value of `like`'s type from LLVM's intrinsic over operands of that type.
  Value LlvmIntrinsic(const std::string& name, const Value& like, const std::vector<Value>& operands);

  // memory.cc
  absl::StatusOr<const Binding*> Tensor(const Expr& e);
  // "ptr %p" or, for an index with lanes, "<8 x ptr> %p".
  absl::StatusOr<Value> Address(const Binding& tensor, const Expr& index);
  Value LoadFrom(const std::string& pointer, DType dtype, int lanes, int64_t align);
  Value Gather(const Value& addresses, DType dtype);
  void StoreTo(const std::string& pointer, const Value& value, int64_t align, const std::string& suffix);
  void Scatter(const Value& addresses, const Value& value);

  // intrinsic_calls.cc
  absl::StatusOr<Value> IntrinsicCall(const Node& node);
  absl::StatusOr<Value> LaneReduction(ir::Intrinsic id, const Node& node);
  absl::StatusOr<Value> Zip(bool high, const Node& node);
  absl::Status StreamStore(const Node& node);
  absl::Status Prefetch(const Node& node);
  absl::Status Atomic(ir::Intrinsic id, const Node& node);

  const ir::Kernel& kernel_;
  FunctionText out_;
  Values values_;
  Helpers& helpers_;
  std::map<std::string, Binding> names_;
  Facts facts_;
  std::vector<Loop> loops_;
};

}  // namespace kiln::llvm_text

#endif  // KILN_COMPILER_CODEGEN_LLVM_KERNEL_PRINTER_H_
