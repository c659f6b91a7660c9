#include "compiler/rules/matrix_layout.h"

#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/ir/print.h"
#include "compiler/layout/layout.h"

namespace kiln {
namespace {

constexpr int64_t kAtomRows = 8;

int64_t ConstantOr(const Expr& e, int64_t otherwise) {
  int64_t value;
  return IsConst(e, &value) ? value : otherwise;
}

}  // namespace

int64_t SwizzleSpan(int64_t columns, DType dtype) {
  const int64_t bytes = Bytes(dtype, columns);
  for (int64_t span : {128, 64, 32})
    if (bytes >= span && bytes % span == 0) return span;
  return 0;
}

std::string MatrixLayout(const std::vector<int64_t>& shape, DType dtype) {
  if (shape.size() < 2 || Bits(dtype) < 8) return "";
  const int64_t rows = shape[shape.size() - 2], columns = shape.back(), span = SwizzleSpan(columns, dtype);
  if (span == 0) return "";
  const int64_t width = span * 8 / Bits(dtype), chunk = 128 / Bits(dtype);
  std::vector<layout::Iter> iters = {{rows, width}};
  if (columns > width) iters.push_back({columns / width, rows * width});
  iters.push_back({width, 1});
  int64_t stride = rows * columns;
  for (size_t d = shape.size() - 2; d-- > 0;) {
    iters.insert(iters.begin(), {shape[d], stride});
    stride *= shape[d];
  }
  auto tile = layout::TileLayout::Make(std::move(iters));
  if (!tile.ok()) return "";
  layout::Swizzle swizzle;
  swizzle.per_element = std::countr_zero(static_cast<uint64_t>(chunk));
  swizzle.swizzle_len = std::countr_zero(static_cast<uint64_t>(span / 16));
  swizzle.atom_len = 3;
  auto made = layout::SwizzledLayout::Make(swizzle, *std::move(tile));
  return made.ok() ? layout::ToString(layout::Layout(*std::move(made))) : "";
}

std::optional<MatrixDescriptor> DescriptorOf(const Operand& operand, bool rows_innermost, const Facts& facts,
                                             std::string* why) {
  const TensorInfo& tensor = *operand.tensor;
  auto no = [&](std::string reason) {
    *why = absl::StrCat(tensor.name, ": ", reason);
    return std::nullopt;
  };
  std::vector<int64_t> shape;
  for (const Expr& extent : tensor.shape) shape.push_back(ConstantOr(extent, 0));
  const std::string expected = MatrixLayout(shape, tensor.dtype);
  if (expected.empty())
    return no(absl::StrCat("rows of ", Bytes(tensor.dtype, shape.back()), " B have no swizzle of 32, 64 or 128 B"));
  const std::string found = tensor.layout ? layout::ToString(*tensor.layout) : "none";
  if (found != expected) return no(absl::StrCat("layout ", found, ", expected ", expected));
  const int root = static_cast<int>(shape.size());
  if (operand.dims.size() != 2 || operand.dims[0].root != root - 2 || operand.dims[1].root != root - 1)
    return no("expected its last two dimensions, in order");
  const int64_t span = SwizzleSpan(shape.back(), tensor.dtype), width = span * 8 / Bits(tensor.dtype);
  // Whole atoms: the swizzle of an address is then that of the tile.
  if (DivisorOf(Simplify(operand.dims[0].start, facts), facts) % kAtomRows != 0)
    return no(absl::StrCat("row ", ir::Print(operand.dims[0].start), " is not a multiple of ", kAtomRows));
  if (DivisorOf(Simplify(operand.dims[1].start, facts), facts) % width != 0)
    return no(absl::StrCat("column ", ir::Print(operand.dims[1].start), " is not a multiple of ", width));
  MatrixDescriptor out;
  out.swizzle = span;
  out.stride = kAtomRows * span;
  out.leading = rows_innermost ? shape[shape.size() - 2] * span : 16;
  return out;
}

}  // namespace kiln
