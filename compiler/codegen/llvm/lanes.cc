#include "compiler/codegen/llvm/lanes.h"

#include <vector>

namespace kiln::llvm_text {

std::string Mangled(absl::string_view scalar, int lanes) {
  absl::string_view name = scalar;
  if (scalar == "float") name = "f32";
  if (scalar == "double") name = "f64";
  if (scalar == "half") name = "f16";
  if (scalar == "ptr") name = "p0";
  return lanes == 1 ? std::string(name) : absl::StrCat("v", lanes, name);
}

std::string Lanes::Intrinsic(absl::string_view name, absl::string_view scalar,
                             std::initializer_list<std::string> operands) {
  std::string arguments;
  for (const std::string& operand : operands)
    absl::StrAppend(&arguments, arguments.empty() ? "" : ", ", Type(scalar), " ", operand);
  return out_.Set("call ", Type(scalar), " @llvm.", name, ".", Mangled(scalar, count_), "(", arguments, ")");
}

std::string Lanes::Poly(const std::string& x, std::initializer_list<double> coefficients) {
  std::vector<double> c(coefficients);
  std::string sum = F(c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = MulAdd(x, sum, F(c[i]));
  return sum;
}

}  // namespace kiln::llvm_text
