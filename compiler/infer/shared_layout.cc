#include "compiler/infer/shared_layout.h"

#include <bit>
#include <utility>

#include "compiler/layout/layout.h"

namespace kiln {

std::string SharedLayout(const std::vector<int64_t>& shape, DType dtype) {
  auto rows = layout::TileLayout::RowMajor(layout::ToShape(shape));
  if (!rows.ok()) return "";
  const int64_t columns = shape.empty() ? 1 : shape.back();
  const int64_t chunk = 128 / Bits(dtype);  // Elements of 16 bytes
  const uint64_t chunks = static_cast<uint64_t>(columns / chunk);
  if (shape.size() < 2 || columns % chunk != 0 || !std::has_single_bit(chunks) || chunks < 2)
    return layout::ToString(*rows);
  layout::Swizzle swizzle;
  swizzle.per_element = std::countr_zero(static_cast<uint64_t>(chunk));
  swizzle.swizzle_len = chunks >= 8 ? 3 : std::countr_zero(chunks);
  // Narrow rows share a line of eight chunks: the rows of the next line fold onto it.
  swizzle.atom_len = chunks >= 8 ? std::countr_zero(chunks) : 3;
  auto made = layout::SwizzledLayout::Make(swizzle, *std::move(rows));
  return made.ok() ? layout::ToString(layout::Layout(*std::move(made))) : "";
}

}  // namespace kiln
