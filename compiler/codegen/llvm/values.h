// Values of a native kernel as LLVM holds them, and the typing rules of docs/numerics.md applied to them: widening of
// narrow types, the common type of two operands, broadcasting over lanes, conversions.
#ifndef KILN_COMPILER_CODEGEN_LLVM_VALUES_H_
#define KILN_COMPILER_CODEGEN_LLVM_VALUES_H_

#include <cstdint>
#include <string>

#include "compiler/codegen/llvm/function_text.h"
#include "compiler/codegen/llvm/helpers.h"
#include "kiln/internal/dtype.h"

namespace kiln::llvm_text {

struct Value {
  std::string text;  // "%.4", "7", "<4 x ...> constant"
  DType dtype = DType::kNone;
  int lanes = 1;
  // A literal written without a type: takes that of the other operand.
  bool literal = false;
  int64_t integer = 0;  // Of an integer literal
  double number = 0;    // Of any literal

  std::string Type() const { return VectorType(HeldAs(dtype), lanes); }
  // "float %x": how calls and stores spell an operand.
  std::string Typed() const { return Type() + " " + text; }
};

// What arithmetic on `dtype` computes in: f32 for narrow floats, i32 for small integers and bools.
DType ComputedIn(DType dtype);
DType CommonType(DType a, DType b);

class Values {
 public:
  Values(FunctionText& out, Helpers& helpers) : out_(out), helpers_(helpers) {}

  static Value IntLiteral(int64_t value, DType dtype);
  static Value FloatLiteral(double value, DType dtype);
  Value Broadcast(const Value& v, int lanes);
  // One rounding, whatever the pair.
  Value Convert(const Value& v, DType to);
  // A literal retyped, anything else converted.
  Value As(const Value& v, DType to);
  // Both brought to the type and lanes that arithmetic on them takes.
  void Unify(Value* a, Value* b);

 private:
  Value Set(DType dtype, int lanes, const std::string& rhs) { return {out_.Set(rhs), dtype, lanes}; }
  Value Cast(const std::string& op, const Value& v, DType to);
  Value ToBool(const Value& v);
  Value IntToInt(const Value& v, DType to);
  Value FloatToInt(const Value& v, DType to);
  Value IntToFloat(const Value& v, DType to);
  Value FloatToFloat(const Value& v, DType to);

  FunctionText& out_;
  Helpers& helpers_;
};

}  // namespace kiln::llvm_text

#endif  // KILN_COMPILER_CODEGEN_LLVM_VALUES_H_
