// Inlining of `inline` functions.
#ifndef KILN_COMPILER_SPECIALIZE_INLINE_H_
#define KILN_COMPILER_SPECIALIZE_INLINE_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// Every call of an `inline` of `module` in `kernel`'s body becomes the function's body: parameters by reference, its
// own names made unique with a suffix. A call stands alone as a statement, or is the whole value of a `let` or an
// assignment. Errors: unknown functions are left for typing to refuse; wrong argument counts, recursion, a `return`
// before the end.
absl::Status InlineCalls(const ir::Module& module, ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_INLINE_H_
