// Cases in a text file, each an input and what is expected of it:
//
//   === the name of the case
//   input
//   ---
//   expected
//
// With KILN_BLESS=1 in the environment a run rewrites what is expected by what was found.
#ifndef KILN_TESTS_COMPILER_IR_CASE_FILE_H_
#define KILN_TESTS_COMPILER_IR_CASE_FILE_H_

#include <functional>
#include <string>

namespace kiln::ir {

// Expects `run` of every input in tests/compiler/ir/testdata/`file` to give exactly what the file says, and at least
// `least` cases.
void CheckCases(const std::string& file, size_t least, const std::function<std::string(const std::string&)>& run);

// The whole file; fails the test when there is none.
std::string ReadFile(const std::string& path);

}  // namespace kiln::ir

#endif  // KILN_TESTS_COMPILER_IR_CASE_FILE_H_
