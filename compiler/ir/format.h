// `kiln fmt`: source text in canonical style, keeping its comments, its blank lines and the line ends inside of
// expressions and lists.
//
// Spacing and indentation are those of Print. One statement a line; a body stays on one line when it was written so
// and holds one statement; `{` of a kernel stands alone; declarations are apart by one empty line; comments behind code
// stay in their column when a declaration has them all in one, and else align within their block. Idempotent, and a
// no-op on printed text; the result parses to the same IR.
#ifndef KILN_COMPILER_IR_FORMAT_H_
#define KILN_COMPILER_IR_FORMAT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace kiln::ir {

// Errors: those of Parse. Text that does not parse has no format.
absl::StatusOr<std::string> Format(std::string_view text, std::string_view file);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_FORMAT_H_
