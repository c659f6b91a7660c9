// Kernels of the native level from the text of their bodies, run.
#ifndef KILN_TESTS_COMPILER_INTERP_NATIVE_RUNNING_H_
#define KILN_TESTS_COMPILER_INTERP_NATIVE_RUNNING_H_

#include <string>
#include <vector>

#include "tests/compiler/interp/testing.h"

namespace kiln::interp {

// The message of a run that must fail, without the kernel's name before it.
std::string FaultOf(const std::string& text, std::vector<Array*> arrays);
// Runs; a test failure when there is an error.
void RunText(const std::string& text, std::vector<Array*> arrays, const RunOptions& options = {});

// `text` with the only `from` replaced.
std::string With(std::string text, const std::string& from, const std::string& to);

// 0, 1, .. count - 1, modulo `period`.
std::vector<double> Ramp(int64_t count, int64_t period = 1 << 20);

}  // namespace kiln::interp

#endif  // KILN_TESTS_COMPILER_INTERP_NATIVE_RUNNING_H_
