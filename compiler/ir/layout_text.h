// The layouts that declarations carry as text.
#ifndef KILN_COMPILER_IR_LAYOUT_TEXT_H_
#define KILN_COMPILER_IR_LAYOUT_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace kiln::ir {

// The one spelling of a layout; the name of a layout parameter stays as it is. Errors: as layout::Parse.
absl::StatusOr<std::string> CanonicalLayout(std::string_view text);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_LAYOUT_TEXT_H_
