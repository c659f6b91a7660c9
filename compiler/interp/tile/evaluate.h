// Expressions over scalars and tiles, evaluated eagerly in one thread's variables.
#ifndef KILN_COMPILER_INTERP_TILE_EVALUATE_H_
#define KILN_COMPILER_INTERP_TILE_EVALUATE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/interp/tile/program.h"
#include "compiler/interp/tile/view.h"

namespace kiln::interp {

// What a name stands for: a value, or a view of memory.
struct Variable {
  ValuePtr value;
  std::shared_ptr<const View> view;
};

struct Frame {
  std::vector<Variable> variables;  // By NameInfo::id
};

class Evaluator {
 public:
  // Borrows everything; `frame` may change between calls.
  Evaluator(const Program& program, const Frame& frame, LoadOptions options)
      : program_(program), frame_(frame), options_(options) {}

  absl::StatusOr<ValuePtr> Eval(const Expr& e);
  absl::StatusOr<View> EvalView(const Expr& e);
  absl::StatusOr<int64_t> EvalInt(const Expr& e);
  absl::StatusOr<bool> EvalBool(const Expr& e);

  // Where the last failure was, as far as the nodes say.
  const Location& place() const { return place_; }

 private:
  absl::StatusOr<ValuePtr> EvalNode(const Expr& e);
  absl::StatusOr<ValuePtr> EvalLiteral(const Expr& e);
  absl::StatusOr<ValuePtr> EvalVar(const Expr& e);
  absl::StatusOr<ValuePtr> EvalUnary(const Expr& e);
  absl::StatusOr<ValuePtr> EvalBinary(const Expr& e);
  absl::StatusOr<ValuePtr> EvalSelect(const Expr& e);
  absl::StatusOr<ValuePtr> EvalMath(const Expr& e);
  absl::StatusOr<ValuePtr> EvalIndexOf(const Expr& e);
  absl::StatusOr<const Variable*> Find(const Expr& var);

  const Program& program_;
  const Frame& frame_;
  LoadOptions options_;
  Location place_;
};

// `value` in another dtype.
ValuePtr ConvertValue(DType to, const ValuePtr& value);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_EVALUATE_H_
