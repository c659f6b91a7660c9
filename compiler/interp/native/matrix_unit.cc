#include "compiler/interp/native/matrix_unit.h"

#include <bit>
#include <cstring>

#include "compiler/interp/element.h"
#include "compiler/interp/native/bulk_copies.h"
#include "compiler/interp/native/fragments.h"

namespace kiln::interp {
namespace {

constexpr int64_t kAtomRows = 8;

// sums[row][column] += a[row][k] * b[column][k], for one row at a time so that the inner loop is dense.
template <typename T, typename Sum>
void AddProducts(const std::vector<T>& a, const std::vector<T>& b, int64_t rows, int64_t columns, int64_t depth,
                 std::vector<Sum>& sums) {
  std::vector<Sum> across(static_cast<size_t>(depth * columns));
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t k = 0; k < depth; ++k)
      across[static_cast<size_t>(k * columns + column)] = static_cast<Sum>(b[static_cast<size_t>(column * depth + k)]);
  for (int64_t row = 0; row < rows; ++row) {
    Sum* sum = sums.data() + row * columns;
    for (int64_t k = 0; k < depth; ++k) {
      const Sum x = static_cast<Sum>(a[static_cast<size_t>(row * depth + k)]);
      const Sum* y = across.data() + k * columns;
      for (int64_t column = 0; column < columns; ++column) sum[column] += x * y[column];
    }
  }
}

}  // namespace

int64_t SharedOperand::AddressOf(int64_t start, int64_t row, int64_t k) const {
  const int64_t element = Bits(dtype) / 8;
  if (rows_innermost) {
    // Without a swizzle the atoms are 8 by 8, and the two distances change places.
    if (swizzle == 0) return start + row / 8 * stride + k / 8 * leading + k % 8 * kChunk + row % 8 * element;
    const int64_t wide = swizzle / element;
    return Swizzled(start + row / wide * leading + k / 8 * stride + k % 8 * swizzle + row % wide * element, swizzle);
  }
  const int64_t rest = row / kAtomRows * stride, byte = k * element;
  if (swizzle == 0) return start + rest + row % kAtomRows * kChunk + byte / kChunk * leading + byte % kChunk;
  return Swizzled(start + rest + row % kAtomRows * swizzle + byte, swizzle);
}

std::vector<int64_t> SharedOperand::Chunks(int64_t start) const {
  const int64_t wide = kChunk * 8 / Bits(dtype);  // Elements
  std::vector<int64_t> chunks;
  for (int64_t row = 0; row < rows; row += rows_innermost ? wide : 1)
    for (int64_t k = 0; k < Depth(); k += rows_innermost ? 1 : wide) chunks.push_back(AddressOf(start, row, k));
  return chunks;
}

Operand EmptyOperand(DType dtype, int64_t rows) {
  Operand operand{rows, kProductBytes * 8 / Bits(dtype), {}, {}};
  const auto count = static_cast<size_t>(operand.rows * operand.depth);
  if (IsFloat(dtype)) {
    operand.f.resize(count);
  } else {
    operand.i.resize(count);
  }
  return operand;
}

void SetElement(Operand& operand, DType dtype, int64_t row, int64_t k, const uint8_t* pattern) {
  Slot slot;
  LoadElements(dtype, pattern, 0, 1, &slot);
  const auto at = static_cast<size_t>(row * operand.depth + k);
  if (IsFloat(dtype)) {
    operand.f[at] = Bits(dtype) == 32 ? AsTF32(slot.f) : slot.f;
  } else {
    operand.i[at] = static_cast<int32_t>(slot.i);
  }
}

Operand ReadShared(const SharedOperand& layout, const uint8_t* shared, int64_t start) {
  Operand operand = EmptyOperand(layout.dtype, layout.rows);
  for (int64_t row = 0; row < layout.rows; ++row)
    for (int64_t k = 0; k < operand.depth; ++k)
      SetElement(operand, layout.dtype, row, k, shared + layout.AddressOf(start, row, k));
  return operand;
}

void MultiplyAdd(const Operand& a, const Operand& b, bool is_float, uint32_t* acc) {
  const auto count = static_cast<size_t>(a.rows * b.rows);
  if (!is_float) {
    std::vector<uint32_t> sums(acc, acc + count);  // Unsigned: wraps
    AddProducts(a.i, b.i, a.rows, b.rows, a.depth, sums);
    std::memcpy(acc, sums.data(), count * sizeof(uint32_t));
    return;
  }
  std::vector<double> sums(count);
  for (size_t k = 0; k < count; ++k) sums[k] = std::bit_cast<float>(acc[k]);
  AddProducts(a.f, b.f, a.rows, b.rows, a.depth, sums);
  for (size_t k = 0; k < count; ++k) acc[k] = std::bit_cast<uint32_t>(static_cast<float>(sums[k]));
}

}  // namespace kiln::interp
