// Arguments bound to a kernel's parameters: checked shapes, values of symbols and strides, the launch they give.
#ifndef KILN_COMPILER_INTERP_BIND_H_
#define KILN_COMPILER_INTERP_BIND_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/interp/value.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

struct Bound {
  std::map<std::string, int64_t> ints;    // Symbols, and strides by their names `x.stride0`
  std::map<std::string, Scalar> scalars;  // Converted to the parameter's dtype
  std::map<std::string, Tensor> tensors;  // With strides filled in
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> cluster = {1, 1, 1};
  int64_t block = 1;
};

absl::StatusOr<Bound> Bind(const ir::Kernel& kernel, absl::Span<const Argument> args, const RunOptions& options);

// The value of an integer expression over `names`. Errors: a name that is not there, an operator without a meaning.
absl::StatusOr<int64_t> EvaluateIndex(const Expr& e, const std::map<std::string, int64_t>& names);

// Elements from the first to past the last one, and 0 for an empty tensor. REQUIRES: strides are not negative.
int64_t ElementSpan(const Tensor& tensor);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_BIND_H_
