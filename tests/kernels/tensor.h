// Tensors of the kernel tests: any dtype down to 8 bits in any memory arrangement, read and written as doubles.
// Encoding and decoding are the C++ compiler's own or bit moves, none of the library under test.
#ifndef KILN_TESTS_KERNELS_TENSOR_H_
#define KILN_TESTS_KERNELS_TENSOR_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/specialize/specialize.h"
#include "kiln/internal/dtype.h"

namespace kiln::testing {

// How a tensor lies in memory, and what specialization is told of it.
enum class Memory {
  kDense,   // Row-major, base on 16 bytes
  kPadded,  // Rows on 16 bytes with a gap between them, base on 16 bytes
  kOdd,     // Rows an odd number of elements apart, base on one element alone
  kSpread,  // The innermost stride is 2
};

class Tensor {
 public:
  // Every byte starts as 0xFF, a NaN of each float dtype: what reads a gap, or is never written, shows.
  Tensor(DType dtype, std::vector<int64_t> shape, Memory memory);
  // A copy of the bytes would lie on another boundary.
  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  const std::vector<int64_t>& strides() const { return strides_; }  // In elements
  int64_t count() const { return count_; }
  void* data() { return &bytes_[base_]; }
  // All bytes from a boundary of 64 on, gaps included; element 0 is `before()` bytes from there.
  std::span<uint8_t> span() { return std::span(bytes_).subspan(first_); }
  size_t before() const { return base_ - first_; }

  // Element `i` in row-major order. What the dtype does not hold is cut toward zero.
  void Set(int64_t i, double value);
  double At(int64_t i) const;
  std::vector<double> Values() const;

  // The facts that hold of this tensor.
  TensorBinding Binding() const;
  // Whether every byte that is of no element is as it was made.
  bool GapsIntact() const;

 private:
  size_t ByteOf(int64_t i) const;

  DType dtype_;
  std::vector<int64_t> shape_;
  std::vector<int64_t> strides_;
  int64_t count_ = 1;
  Memory memory_;
  size_t base_ = 0;   // Of element 0, in bytes_
  size_t first_ = 0;  // Of the boundary before it
  std::vector<uint8_t> bytes_;
};

// `name` for a test's name: dense, padded, odd, spread.
std::string Name(Memory memory);

}  // namespace kiln::testing

#endif  // KILN_TESTS_KERNELS_TENSOR_H_
