#include "tests/kernels/interp_run.h"

#include <vector>

#include "compiler/interp/interpreter.h"

namespace kiln::testing {

absl::Status RunInInterpreter(const ir::Kernel& kernel, Problem& problem) {
  std::vector<interp::Argument> args;
  for (Argument& arg : problem.args) {
    if (auto* tensor = std::get_if<Tensor>(&arg.value))
      args.push_back(interp::Tensor{tensor->dtype(), tensor->shape(), tensor->strides(), tensor->data()});
    else
      args.push_back(interp::Scalar::Float(DType::kF32, std::get<float>(arg.value)));
  }
  return interp::Run(kernel, args);
}

}  // namespace kiln::testing
