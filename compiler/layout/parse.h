// Layouts from text.
#ifndef KILN_COMPILER_LAYOUT_PARSE_H_
#define KILN_COMPILER_LAYOUT_PARSE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// layout := [("swizzle" | "swizzle_outer") "[" M "," B "," S "]" "o"] sum
// sum    := term (("+" | "-") term)*                    offsets on one axis add
// term   := "S" "[" map "]" | "R" "[" map "]" | "(" sum ")" ["@" axis] | product ["@" axis]
// map    := extents [":" strides]                       no strides: row-major on m
// stride := product ["@" axis] | "(" product "," axis ")" | axis in quotes, for stride 1
// product:= factor ("*" factor)*                        a factor: an integer, a symbol, a sum in parentheses
//
// A list of several extents or strides stands in parentheses; a trailing comma is allowed; an axis name may be quoted.
// Errors name the column. Bounded: 65,536 bytes, 64 levels.
absl::StatusOr<Layout> Parse(std::string_view text);

// As Parse; an XOR is an error.
absl::StatusOr<TileLayout> ParseTile(std::string_view text);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_PARSE_H_
