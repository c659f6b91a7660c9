#include "compiler/interp/tile/gemm.h"

#include <utility>
#include <vector>

#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

// Row-major [rows, columns] of `tile`, transposed when it is stored the other way.
std::vector<Slot> Matrix(const Value& tile, bool transposed) {
  if (!transposed) return tile.data;
  auto rows = static_cast<size_t>(tile.shape[1]), columns = static_cast<size_t>(tile.shape[0]);
  std::vector<Slot> matrix(rows * columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) matrix[i * columns + j] = tile.data[j * rows + i];
  return matrix;
}

double Sum(double acc, double a, double b) { return acc + a * b; }
int64_t Sum(int64_t acc, int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(acc) + static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

template <typename T, T Slot::* kMember>
void Multiply(const std::vector<Slot>& a, const std::vector<Slot>& b, size_t m, size_t n, size_t k,
              std::vector<Slot>& acc) {
  for (size_t i = 0; i < m; ++i) {
    Slot* row = acc.data() + i * n;
    for (size_t l = 0; l < k; ++l) {
      T x = a[i * k + l].*kMember;
      const Slot* y = b.data() + l * n;
      for (size_t j = 0; j < n; ++j) row[j].*kMember = Sum(row[j].*kMember, x, y[j].*kMember);
    }
  }
}

}  // namespace

absl::StatusOr<ValuePtr> Gemm(const Value& acc, const Value& a, const Value& b, const GemmForm& form) {
  if (acc.shape.size() != 2 || a.shape.size() != 2 || b.shape.size() != 2) {
    return absl::InvalidArgumentError(StrCat("gemm: expected three matrices, got ", ShapeText(acc.shape), ", ",
                                             ShapeText(a.shape), " and ", ShapeText(b.shape)));
  }
  int64_t m = a.shape[form.trans_a ? 1 : 0], k = a.shape[form.trans_a ? 0 : 1];
  int64_t n = b.shape[form.trans_b ? 0 : 1], k_of_b = b.shape[form.trans_b ? 1 : 0];
  if (acc.shape[0] != m || acc.shape[1] != n || k != k_of_b) {
    return absl::InvalidArgumentError(StrCat("gemm: ", ShapeText(a.shape), form.trans_a ? " transposed" : "", " times ",
                                             ShapeText(b.shape), form.trans_b ? " transposed" : "", " does not give ",
                                             ShapeText(acc.shape)));
  }
  if (IsFloat(a.dtype) != IsFloat(acc.dtype) || IsFloat(b.dtype) != IsFloat(acc.dtype)) {
    return absl::InvalidArgumentError(
        StrCat("gemm: ", Name(a.dtype), " times ", Name(b.dtype), " into ", Name(acc.dtype)));
  }
  Value result = acc;
  bool is_float = IsFloat(acc.dtype);
  if (!form.accumulate) result.data.assign(acc.data.size(), is_float ? FloatSlot(0) : IntSlot(0));
  std::vector<Slot> left = Matrix(a, form.trans_a), right = Matrix(b, form.trans_b);
  auto multiply = is_float ? Multiply<double, &Slot::f> : Multiply<int64_t, &Slot::i>;
  multiply(left, right, static_cast<size_t>(m), static_cast<size_t>(n), static_cast<size_t>(k), result.data);
  DType from = is_float ? DType::kF64 : DType::kI64;
  ConvertAll(acc.dtype, from, result.data.data(), static_cast<int64_t>(result.data.size()));
  return std::make_shared<const Value>(std::move(result));
}

}  // namespace kiln::interp
