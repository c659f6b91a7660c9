// Every tile operation of a kernel in its place, with the facts that hold there.
#ifndef KILN_COMPILER_RULES_SITE_H_
#define KILN_COMPILER_RULES_SITE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "compiler/ir/kernel.h"
#include "compiler/rules/rule.h"

namespace kiln {

// Calls `fn` for each statement that is a tile operation, in program order. A map, a fill and a copy are seen with
// their destination first; a reduction with its result (absent for a scalar) and the local tile whose distribution its
// operand follows. Stops at the first error. REQUIRES: normalized; `tensors` from TensorsOf(kernel).
absl::Status ForEachSite(const ir::Kernel& kernel, const Target& target, const Tensors& tensors,
                         absl::FunctionRef<absl::Status(const ir::Stmt&, OpSite&)> fn);

// The references (whole tensors and subscripts of them) that `value` reads elementwise, in order.
std::vector<Expr> LeavesOf(const Expr& value);

// The local tile that elements of `value` are spread like: the first leaf that covers `shape` whole. Null when there is
// none.
Expr PrimaryLeaf(const Expr& value, const std::vector<Expr>& shape, const Tensors& tensors);

// Threads of a CTA: the launch's block. REQUIRES: it is constant.
int64_t ThreadsOf(const ir::Kernel& kernel);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_SITE_H_
