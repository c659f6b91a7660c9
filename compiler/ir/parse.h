// `.kiln` text to IR; the grammar is in docs/language.md.
//
// Names are resolved: an unknown one is an error, as is a second declaration of a visible one. Everything else that
// makes sense only with types or several declarations in view is Verify's (verify.h).
//
// A broken statement or declaration does not hide the errors after it: all are reported, up to
// Diagnostics::kMaxDiagnostics. Bounded by limits.h: any text gives a module or errors, in time linear in its size.
#ifndef KILN_COMPILER_IR_PARSE_H_
#define KILN_COMPILER_IR_PARSE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "compiler/expr/expr.h"
#include "compiler/ir/diagnostics.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

// `file` is what errors call the text. Errors: InvalidArgument, rendered with line and caret.
absl::StatusOr<Module> Parse(std::string_view text, std::string_view file);

// What could be read of the text, and the errors in `diagnostics`; the module is whole only when there are none.
Module Parse(std::string_view text, Diagnostics& diagnostics);

// One expression, as conditions on command lines are: any name is taken for a variable.
absl::StatusOr<Expr> ParseExpr(std::string_view text, std::string_view file);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_PARSE_H_
