#include "compiler/ir/layout_text.h"

#include "compiler/ir/words.h"
#include "compiler/layout/layout.h"
#include "compiler/layout/parse.h"
#include "kiln/internal/status_macros.h"

namespace kiln::ir {

absl::StatusOr<std::string> CanonicalLayout(std::string_view text) {
  if (IsName(text)) return std::string(text);
  KILN_ASSIGN_OR_RETURN(layout::Layout layout, layout::Parse(text));
  return layout::ToString(layout);
}

}  // namespace kiln::ir
