// The functions that a module's kernel calls, each defined once, at its first use, for a dtype or operator and a lane
// count.
#ifndef KILN_COMPILER_CODEGEN_LLVM_HELPERS_H_
#define KILN_COMPILER_CODEGEN_LLVM_HELPERS_H_

#include <map>
#include <set>
#include <string>

#include "absl/functional/function_ref.h"
#include "compiler/codegen/llvm/lanes.h"
#include "compiler/expr/expr.h"
#include "kiln/internal/dtype.h"

namespace kiln::llvm_text {

class Helpers {
 public:
  explicit Helpers(bool native_f16) : native_f16_(native_f16) {}

  // Names of functions, with their `@`.
  std::string Polynomial(Op op, int lanes);
  std::string ToF32(DType from, int lanes);
  std::string FromF32(DType to, int lanes);
  std::string RoundToOdd(int lanes);
  // A function of libm over `count` operands of `scalar`, which the loader resolves.
  std::string Library(const std::string& name, const std::string& scalar, int count);

  // Definitions and declarations, in a fixed order.
  std::string Text() const;

 private:
  std::string Define(const std::string& name, int lanes, const std::string& result, const std::string& parameter,
                     absl::FunctionRef<std::string(Lanes&)> body);

  bool native_f16_;
  std::map<std::string, std::string> definitions_;
  std::set<std::string> declarations_;
};

// How a value of `dtype` is held in a register: narrow floats as integers of their width, tf32 as a float.
std::string HeldAs(DType dtype);

}  // namespace kiln::llvm_text

#endif  // KILN_COMPILER_CODEGEN_LLVM_HELPERS_H_
