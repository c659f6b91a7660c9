// The known name that a mistyped one most likely meant.
#ifndef KILN_COMPILER_IR_NEAREST_H_
#define KILN_COMPILER_IR_NEAREST_H_

#include <string>
#include <string_view>
#include <vector>

namespace kiln::ir {

// `; did you mean 'acc'?`, or nothing when no candidate is near: within a third of the name's length, at least one
// edit (a swap of neighbours is one). The first of equally near ones wins.
std::string DidYouMean(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_NEAREST_H_
