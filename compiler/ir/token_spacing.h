// Whether a blank stands between two tokens of one line.
#ifndef KILN_COMPILER_IR_TOKEN_SPACING_H_
#define KILN_COMPILER_IR_TOKEN_SPACING_H_

#include "compiler/ir/lex.h"

namespace kiln::ir {

// `layout_depth`: brackets open inside of the layout that both belong to.
bool SpaceBetween(const Token& left, const Token& right, int layout_depth);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_TOKEN_SPACING_H_
