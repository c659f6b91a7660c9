// Straight-line arithmetic over values of one lane count, f32 and i32: what the bodies of math and conversion helpers
// are written in.
//
//   Lanes v(out, 8, fused);
//   std::string y = v.Poly(x, {c0, c1, c2});   // c0 + x * (c1 + x * c2)
#ifndef KILN_COMPILER_CODEGEN_LLVM_LANES_H_
#define KILN_COMPILER_CODEGEN_LLVM_LANES_H_

#include <initializer_list>
#include <string>

#include "compiler/codegen/llvm/function_text.h"

namespace kiln::llvm_text {

class Lanes {
 public:
  Lanes(FunctionText& out, int count) : out_(out), count_(count) {}

  int count() const { return count_; }
  FunctionText& out() { return out_; }
  std::string Type(absl::string_view scalar) const { return VectorType(scalar, count_); }
  std::string F(double value) const { return FloatConstant(value, "float", count_); }
  std::string D(double value) const { return FloatConstant(value, "double", count_); }
  std::string I(int64_t value, absl::string_view scalar = "i32") const { return IntConstant(value, scalar, count_); }

  // `op` as LLVM spells it, flags included: Bin("add", "i32", a, b).
  std::string Bin(absl::string_view op, absl::string_view scalar, const std::string& a, const std::string& b) {
    return out_.Set(op, " ", Type(scalar), " ", a, ", ", b);
  }
  std::string Add(const std::string& a, const std::string& b) { return Bin("fadd", "float", a, b); }
  std::string Sub(const std::string& a, const std::string& b) { return Bin("fsub", "float", a, b); }
  std::string Mul(const std::string& a, const std::string& b) { return Bin("fmul", "float", a, b); }
  std::string Div(const std::string& a, const std::string& b) { return Bin("fdiv", "float", a, b); }
  std::string FCmp(absl::string_view predicate, const std::string& a, const std::string& b) {
    return out_.Set("fcmp ", predicate, " ", Type("float"), " ", a, ", ", b);
  }
  std::string ICmp(absl::string_view predicate, const std::string& a, const std::string& b,
                   absl::string_view scalar = "i32") {
    return out_.Set("icmp ", predicate, " ", Type(scalar), " ", a, ", ", b);
  }
  std::string Select(const std::string& condition, absl::string_view scalar, const std::string& a,
                     const std::string& b) {
    return out_.Set("select ", Type("i1"), " ", condition, ", ", Type(scalar), " ", a, ", ", Type(scalar), " ", b);
  }
  // Conv("bitcast", "float", x, "i32").
  std::string Conv(absl::string_view op, absl::string_view from, const std::string& value, absl::string_view to) {
    return out_.Set(op, " ", Type(from), " ", value, " to ", Type(to));
  }
  std::string Bits(const std::string& value) { return Conv("bitcast", "float", value, "i32"); }
  std::string FromBits(const std::string& value) { return Conv("bitcast", "i32", value, "float"); }
  // LLVM's intrinsic `llvm.NAME` for this lane count, all operands of one type.
  std::string Intrinsic(absl::string_view name, absl::string_view scalar, std::initializer_list<std::string> operands);
  std::string Abs(const std::string& value) { return Intrinsic("fabs", "float", {value}); }
  // a * b + c, in one rounding where the CPU has an instruction for it.
  std::string MulAdd(const std::string& a, const std::string& b, const std::string& c) {
    return Intrinsic("fmuladd", "float", {a, b, c});
  }
  // Coefficients from the constant up.
  std::string Poly(const std::string& x, std::initializer_list<double> coefficients);

 private:
  FunctionText& out_;
  int count_;
};

// "f32", "v8f32": how intrinsics' names spell a type. `scalar` is LLVM's name: float, double, i32.
std::string Mangled(absl::string_view scalar, int lanes);

}  // namespace kiln::llvm_text

#endif  // KILN_COMPILER_CODEGEN_LLVM_LANES_H_
