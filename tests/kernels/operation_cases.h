// Small kernels with known answers, one a tile operation or rule: the table behind the runners that take them as tiles,
// as lowered, on the CPU and on a GPU. Answers are exact.
#ifndef KILN_TESTS_KERNELS_OPERATION_CASES_H_
#define KILN_TESTS_KERNELS_OPERATION_CASES_H_

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"
#include "compiler/specialize/specialize.h"
#include "kiln/internal/target.h"
#include "runtime/device.h"
#include "tests/compiler/interp/testing.h"

namespace kiln::testing {

struct OperationCase {
  std::string name;
  std::string text;  // One kernel
  Bindings bindings;
  std::vector<interp::Array> args;                 // Tensors as they are before, in the kernel's order
  std::map<size_t, std::vector<double>> expected;  // Of those it writes
  std::vector<std::string> rules;                  // What wins on every NVIDIA architecture
  bool cpu = true;                                 // Text for one thread a CTA as well
};
std::ostream& operator<<(std::ostream& out, const OperationCase& c);

const std::vector<OperationCase>& OperationCases();
// REQUIRES: there is one of that name.
const OperationCase& OperationNamed(const std::string& name);

absl::StatusOr<ir::Kernel> SpecializeFor(const OperationCase& c, const Target& target);

// The same tensor for a launch, its bytes at `data`. Borrows the shape.
runtime::TensorArg ArgumentOf(const interp::Tensor& tensor, void* data);

// Fails the current test for each output that is not as expected.
void ExpectResults(const OperationCase& c, const std::vector<interp::Array>& args);

}  // namespace kiln::testing

#endif  // KILN_TESTS_KERNELS_OPERATION_CASES_H_
