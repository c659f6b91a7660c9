// The one form of this library's errors: `layout: OPERATION: what was expected and what was found`.
#ifndef KILN_COMPILER_LAYOUT_ERROR_H_
#define KILN_COMPILER_LAYOUT_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace kiln::layout {

// Abseil is built with a string_view of its own here, which a standard one does not convert to.
inline absl::string_view Piece(std::string_view text) { return absl::string_view(text.data(), text.size()); }
template <typename T>
absl::AlphaNum Piece(const T& part) {
  return absl::AlphaNum(part);
}

template <typename... Parts>
absl::Status Error(std::string_view operation, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("layout: ", Piece(operation), ": ", Piece(parts)...));
}

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_ERROR_H_
