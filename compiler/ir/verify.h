// What is wrong with a module, as far as it shows without types: names, counts, places where things may stand. Reports
// every problem, not the first. Parse gives modules without the naming ones; bytes and builders may have any.
//
// Codes are stable and listed in docs/checks.md.
#ifndef KILN_COMPILER_IR_VERIFY_H_
#define KILN_COMPILER_IR_VERIFY_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

struct Problem {
  std::string_view code;  // "K0001"
  std::string subject;    // "kernel 'gemm'"
  Location at;
  std::string message;
};

// In the order of the module. Pure; thread-safe.
std::vector<Problem> Verify(const Module& module);

// `gemm.kiln:12:3: error K0005: kernel 'gemm': ...`; without a place where it is unknown.
std::string Render(const Problem& problem, std::string_view file);

// OK, or InvalidArgument with one line a problem.
absl::Status ToStatus(const std::vector<Problem>& problems, std::string_view file);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_VERIFY_H_
