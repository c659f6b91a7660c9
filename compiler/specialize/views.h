// Resolution of views: after it every reference names a parameter or an allocated tensor directly.
#ifndef KILN_COMPILER_SPECIALIZE_VIEWS_H_
#define KILN_COMPILER_SPECIALIZE_VIEWS_H_

#include "absl/status/status.h"
#include "compiler/ir/kernel.h"

namespace kiln {

// `let v = x[a +: n, :]` of a global or shared tensor is a view: every use of `v` becomes the subscript itself,
// composed. A slice of a slice keeps the end of the outer one as a third operand, its limit: what lies past the view
// reads as zero, as past the tensor. Starts that read memory or mutable scalars are evaluated once, where the view is
// declared.
void ResolveViews(ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_VIEWS_H_
