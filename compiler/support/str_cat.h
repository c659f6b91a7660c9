// StrCat and StrAppend that take std::string_view too: the distributions build Abseil with a string_view of its own,
// which does not convert from the standard's.
#ifndef KILN_COMPILER_SUPPORT_STR_CAT_H_
#define KILN_COMPILER_SUPPORT_STR_CAT_H_

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace kiln {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

namespace str_cat_internal {

template <typename T>
decltype(auto) Piece(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return ToAbsl(value);
  } else {
    return (value);
  }
}

}  // namespace str_cat_internal

template <typename... Args>
std::string StrCat(const Args&... args) {
  return absl::StrCat(str_cat_internal::Piece(args)...);
}

template <typename... Args>
void StrAppend(std::string* to, const Args&... args) {
  absl::StrAppend(to, str_cat_internal::Piece(args)...);
}

}  // namespace kiln

#endif  // KILN_COMPILER_SUPPORT_STR_CAT_H_
