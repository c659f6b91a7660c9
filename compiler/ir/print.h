// IR to canonical `.kiln` text: one spelling for each IR, fewest parentheses, two blanks of indentation. Parse reads
// it back to the same IR, whether the kernel is generic, specialized or native, with two exceptions: types are left out
// (specialize computes them anew), and comments of lowered kernels stay comments.
//
// Pure, deterministic; thread-safe.
#ifndef KILN_COMPILER_IR_PRINT_H_
#define KILN_COMPILER_IR_PRINT_H_

#include <string>

#include "compiler/expr/expr.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

// Declarations separated by an empty line; the text ends with a line end.
std::string Print(const Module& module);
std::string Print(const Kernel& kernel);
std::string Print(const Inline& function);
std::string Print(const OpDecl& op);
// With its line ends, from column 1.
std::string Print(const Stmt& stmt);
std::string Print(const Block& block);
// On one line; a null expression is "?".
std::string Print(const Expr& expr);

std::string Print(const DTypeRef& dtype);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_PRINT_H_
