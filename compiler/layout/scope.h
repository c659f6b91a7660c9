// The thread scopes of a layout: from which unit to which scope its thread axes reach.
#ifndef KILN_COMPILER_LAYOUT_SCOPE_H_
#define KILN_COMPILER_LAYOUT_SCOPE_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

struct ScopeRange {
  Scope unit;   // The innermost unit that a thread axis counts.
  Scope scope;  // The outermost scope that a thread axis lives in.

  bool operator==(const ScopeRange&) const = default;
};

// None where the layout has no thread axis. Errors: two axes that count one unit in different scopes (laneid and tid),
// a chain with a gap (laneid and wgid).
absl::StatusOr<std::optional<ScopeRange>> GetScope(const TileLayout& layout);

// What construction leaves open: the thread scopes connect.
absl::Status VerifyWellFormed(const Layout& layout);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_SCOPE_H_
