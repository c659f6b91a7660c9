// Layouts as text.
#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/layout/error.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {
namespace {

std::string OnAxis(const Extent& value, Axis axis) {
  if (axis == Axis::kM) return value.ToFactorString();
  return absl::StrCat(value.ToFactorString(), "@", Piece(Name(axis)));
}

std::string Bracket(char letter, const std::vector<Iter>& iters) {
  if (iters.empty()) return absl::StrCat(std::string(1, letter), "[]");
  std::string extents;
  std::string strides;
  for (const Iter& iter : iters) {
    absl::StrAppend(&extents, extents.empty() ? "" : ",", iter.extent.ToString());
    absl::StrAppend(&strides, strides.empty() ? "" : ",", OnAxis(iter.stride, iter.axis));
  }
  if (iters.size() == 1) return absl::StrCat(std::string(1, letter), "[", extents, ":", strides, "]");
  return absl::StrCat(std::string(1, letter), "[(", extents, "):(", strides, ")]");
}

}  // namespace

std::string ToString(const TileLayout& layout) {
  std::string text = Bracket('S', layout.shard());
  if (!layout.replica().empty()) absl::StrAppend(&text, " + ", Bracket('R', layout.replica()));
  for (const auto& [axis, value] : layout.offset()) {
    if (value.is_constant() && value.constant() < 0) {
      absl::StrAppend(&text, " - ", OnAxis(Extent(0) - value, axis));
    } else {
      absl::StrAppend(&text, " + ", OnAxis(value, axis));
    }
  }
  return text;
}

std::string ToString(const Layout& layout) {
  if (layout.is_tile()) return ToString(*layout.tile_if());
  const Swizzle& swizzle = layout.swizzled_if()->swizzle();
  return absl::StrCat(swizzle.inner ? "swizzle[" : "swizzle_outer[", swizzle.per_element, ",", swizzle.swizzle_len, ",",
                      swizzle.atom_len, "] o ", ToString(layout.swizzled_if()->tile()));
}

}  // namespace kiln::layout
