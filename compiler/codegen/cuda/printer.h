// The printer behind EmitCuda: one object a kernel. Expressions come back as text with a precedence; statements are
// appended as lines. The first thing that has no CUDA form is kept as the error and printing goes on.
#ifndef KILN_COMPILER_CODEGEN_CUDA_PRINTER_H_
#define KILN_COMPILER_CODEGEN_CUDA_PRINTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/codegen/cuda/names.h"
#include "compiler/codegen/cuda/prelude.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/facts.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/artifact.h"
#include "kiln/internal/target.h"

namespace kiln::cuda {

// Binding strength of C++ operators; a higher one binds closer.
enum Precedence {
  kTernary = 1,
  kLogicalOr,
  kLogicalAnd,
  kBitwiseOr,
  kBitwiseXor,
  kBitwiseAnd,
  kEquality,
  kRelation,
  kShift,
  kSum,
  kProduct,
  kPrefix,
  kPrimary,
};

// A printed expression. `wide` is of i64 values alone: whether the C++ type is long long, not int.
struct Code {
  std::string text;
  int precedence = kPrimary;
  bool wide = false;
};

class Printer {
 public:
  Printer(const ir::Kernel& kernel, const Target& target);

  absl::StatusOr<Source> Emit();

 private:
  struct Variable {
    Type type;
    bool wide = false;  // Of an i64 scalar: long long, not int
    bool tensor = false;
    bool map = false;       // A tensor map
    bool constant = false;  // A tensor that is only read
    ir::Space space = ir::Space::kGlobal;
  };

  // kernel.cc
  void DeclareParams();
  void LearnBuiltins();
  std::vector<std::string> BuiltinLines();
  std::string Signature();
  void FindVectorAccesses();

  // statements.cc
  void PrintBlock(const ir::Block& block);
  void Print(const ir::StmtNode& stmt);
  void PrintLet(const ir::StmtNode& stmt);
  void PrintMutable(const ir::StmtNode& stmt);
  void PrintAlloc(const ir::StmtNode& stmt);
  void PrintAssign(const ir::StmtNode& stmt);
  void PrintFor(const ir::StmtNode& stmt);
  void PrintIf(const ir::StmtNode& stmt, std::string_view opening);
  void PrintStore(const ir::StmtNode& stmt);
  void Line(std::string_view text);
  void Nested(const ir::Block& block);

  // expressions.cc. Arguments are typed (see Typed).
  Expr Typed(const Expr& e) const;
  Code Value(const Expr& e);                // In its own type
  Code Converted(const Expr& e, DType to);  // As another dtype, by the rules of docs/numerics.md
  Code Condition(const Expr& e) { return Converted(e, DType::kBool); }
  Code VariableValue(const Node& node);
  Code Literal(const Node& node, DType dtype);
  Code FloatLiteral(double value, DType dtype);
  Code BinaryValue(const Expr& e);
  Code FloatBinary(const Node& node, DType dtype);
  Code FusedMultiplyAdd(const Expr& a, const Expr& b, const Expr& c, DType dtype, bool negate_a, bool negate_c);
  Code Comparison(const Node& node);
  Code MathValue(const Node& node);
  Code SelectValue(const Node& node);

  // conversions.cc
  Code ToNarrowFloat(Code code, DType from, DType to);
  Code ToInteger(Code code, DType from, DType to, const Expr& e);

  // integers.cc
  Code IntegerBinary(const Expr& e, DType dtype);
  Code Arithmetic(const Expr& e, DType dtype, std::string_view op, int precedence, std::string_view wrapped);
  Code Division(const Expr& e, DType dtype);
  Code CeilDivision(const Expr& e, DType dtype);
  Code Extreme(const Node& node, DType dtype);
  Code Shift(const Expr& e, DType dtype);
  Code Negated(const Expr& e);
  bool MayWrap(const Expr& e, DType dtype) const;
  bool FitsInt(const Expr& e) const { return BoundsOf(e, facts_).Within(INT32_MIN, INT32_MAX); }

  // memory.cc
  Code ScalarLoad(const Node& node);
  Code VectorValue(const Expr& e, DType dtype, int64_t bytes);  // `bytes` of elements of `dtype` as one
  std::string Place(const Variable& tensor, const std::string& name, const Expr& index, int64_t bytes, DType dtype);
  std::string WordIndex(const Expr& index, DType dtype);
  Code Splat(const Expr& scalar, DType dtype, int64_t bytes);

  // calls.cc
  Code CallValue(const Node& node);
  void PrintCall(const Node& node);
  Code Shuffle(const Node& node);
  Code Pack2(const Node& node);
  std::string ElementAddress(const Expr& tensor, const Expr& index);
  void PrintFragments(const Node& node);
  void PrintMma(const Node& node);
  void PrintCpAsync(const Node& node);
  void PrintAtomicAdd(const Node& node);
  void PrintAtomicBound(const Node& node, bool max);

  // copy_engine.cc: barrier objects, bulk copies
  bool PrintCopyEngine(const Node& node);  // False: another call
  void PrintTmaLoad(const Node& node, bool multicast);
  void PrintTmaStore(const Node& node);

  // matrix_unit.cc
  bool PrintMatrixUnit(const Node& node);
  void PrintWgmma(const Node& node);

  // printer.cc
  Code Fail(std::string_view what);
  void Use(std::string_view piece);
  std::string Name(DType dtype);  // C++ type; takes the struct of a narrow float from the prelude
  const Variable* Find(const std::string& name) const;
  const Variable* Tensor(const Expr& e);
  void Declare(const std::string& name, Variable variable) { variables_[name] = std::move(variable); }

  const ir::Kernel& kernel_;
  const Target& target_;
  Prelude prelude_;
  Names names_;
  std::map<std::string, Variable> variables_;
  std::map<std::string, int64_t> vector_bytes_;  // The widest access to each tensor, when wider than an element
  std::map<std::string, bool> builtins_;         // Whether the body reads it
  Facts facts_;
  std::vector<std::string> lines_;
  int depth_ = 1;
  absl::Status error_;
};

// `code` as an operand of an operator of this precedence, in parentheses when it binds less closely.
std::string Operand(const Code& code, int precedence);
// An i64 code as long long.
Code Widened(Code code);
// The value of an integer or bool literal; -1 of anything else.
int64_t Constant(const Expr& e);
// `(type)code`.
Code CastTo(std::string_view type, const Code& code);
// `function(a, b)`.
Code CallOf(std::string_view function, std::initializer_list<std::string> arguments);

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_CODEGEN_CUDA_PRINTER_H_
