// What the interpreter runs a kernel on, and how strictly it looks.
#ifndef KILN_COMPILER_INTERP_VALUE_H_
#define KILN_COMPILER_INTERP_VALUE_H_

#include <cstdint>
#include <variant>
#include <vector>

#include "kiln/internal/dtype.h"

namespace kiln::interp {

// A tensor argument: borrowed memory. Element (i, j, ...) is at data + (i * strides[0] + j * strides[1] + ...)
// elements; packed 4-bit elements start in the low half of a byte.
struct Tensor {
  DType dtype = DType::kNone;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // In elements; empty = row-major and dense
  void* data = nullptr;
};

// A scalar argument; `i` of an integer or bool, `f` of a float.
struct Scalar {
  DType dtype = DType::kNone;
  int64_t i = 0;
  double f = 0;

  static Scalar Int(DType dtype, int64_t value) { return {dtype, value, 0}; }
  static Scalar Float(DType dtype, double value) { return {dtype, 0, value}; }
};

using Argument = std::variant<Tensor, Scalar>;

struct RunOptions {
  bool check_uninitialized = true;  // Reads of shared and local bytes that nothing wrote
  // Native: two threads touch the same shared byte, one of them writing, with no barrier between.
  bool check_races = true;
  // Native: vector accesses at multiples of their size. Off for kernels lowered for a CPU, which needs none.
  bool check_alignment = true;
  int64_t default_block = 128;           // Threads of a CTA where the kernel leaves them to the compiler
  int64_t persistent_grid = 4;           // CTAs of a persistent kernel; whole clusters, at least one
  int64_t max_steps = int64_t{1} << 40;  // Statements of all threads together, then an error: a loop without end
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_VALUE_H_
