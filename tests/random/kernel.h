// Random well-formed tile kernels, with arguments to run them on and how far two backends may differ on each output.
//
// A kernel follows from a seed and a size: the same two give the same kernel on every machine. `size` bounds
// statements, depth of expressions and extents, so that a fault found at one size is looked for at the smaller ones
// first.
#ifndef KILN_TESTS_RANDOM_KERNEL_H_
#define KILN_TESTS_RANDOM_KERNEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/specialize/specialize.h"
#include "tests/kernels/tensor.h"
#include "tests/random/number.h"

namespace kiln::testing {

// Values of an argument: multiples of 2^grain from least to most; or, of an index tensor, those in range, each at most
// once when `distinct`, with some out of range.
struct RandomArgument {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  Memory memory = Memory::kDense;
  bool output = false;  // Not read before it is written
  double least = -4, most = 4;
  int grain = 0;
  bool distinct = false;
  double error = -1;  // Of an output: how far any backend may be from the exact value, once stored; -1: none
};

struct RandomKernel {
  std::string text;
  std::map<std::string, int64_t> ints;  // Static symbols
  std::vector<RandomArgument> args;     // In the kernel's order; all of them tensors
  uint64_t seed = 0;

  // The arguments as they are before a run.
  std::vector<Tensor> Tensors() const;
  Bindings BindingsFor(const std::vector<Tensor>& tensors) const;
};

inline constexpr int kLargestSize = 8;

RandomKernel MakeRandomKernel(uint64_t seed, int size);

}  // namespace kiln::testing

#endif  // KILN_TESTS_RANDOM_KERNEL_H_
