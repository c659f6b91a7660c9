// Random modules that Parse could have given, for properties of the two spellings.
#ifndef KILN_TESTS_COMPILER_IR_RANDOM_MODULE_H_
#define KILN_TESTS_COMPILER_IR_RANDOM_MODULE_H_

#include <cstdint>
#include <functional>

#include "compiler/ir/kernel.h"

namespace kiln::ir {

// A number of 0 to limit - 1. The generator's only source of chance.
using Pick = std::function<uint64_t(uint64_t limit)>;

// Every name is declared before its use, as Parse demands; the module is not meant to pass Verify. Comments appear in
// native kernels alone, and only when asked for: text drops them.
Module RandomModule(const Pick& pick, bool comments = false);

}  // namespace kiln::ir

#endif  // KILN_TESTS_COMPILER_IR_RANDOM_MODULE_H_
