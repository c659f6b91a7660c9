// What print_expr.cc gives to print_stmt.cc and print.cc.
#ifndef KILN_COMPILER_IR_PRINTER_H_
#define KILN_COMPILER_IR_PRINTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

// `expr`, in parentheses when it binds weaker than `min_precedence` (words.h).
void AppendExpr(std::string& out, const Expr& expr, int min_precedence = 1);
void AppendExprs(std::string& out, const std::vector<Expr>& list);
void AppendInts(std::string& out, const std::vector<int64_t>& list);
void AppendBlock(std::string& out, const Block& block, int indent);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_PRINTER_H_
