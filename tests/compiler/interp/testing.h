// What the interpreter's tests share: kernels from text, tensors of any dtype from doubles.
#ifndef KILN_TESTS_COMPILER_INTERP_TESTING_H_
#define KILN_TESTS_COMPILER_INTERP_TESTING_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "compiler/interp/value.h"
#include "compiler/ir/kernel.h"
#include "kiln/internal/dtype.h"

namespace kiln::interp {

struct Metas {
  std::map<std::string, int64_t> ints;
  std::map<std::string, DType> dtypes;
};

// The only kernel of `text` with its meta-parameters bound and nothing else done; a test failure, and an empty kernel,
// when it does not parse.
ir::Kernel KernelOf(std::string_view text, const Metas& metas = {});
// Specialized: the kernel named like the file.
ir::Kernel KernelOfFile(const std::string& path, const Metas& metas);

// interp::Run, by a name that a test's own Run does not hide.
absl::Status RunKernel(const ir::Kernel& kernel, const std::vector<Argument>& args, const RunOptions& options = {});

// The error of a run; empty when there is none.
std::string MessageOf(const ir::Kernel& kernel, const std::vector<Argument>& args, const RunOptions& options = {});

// A dense tensor that owns its memory.
class Array {
 public:
  Array(DType dtype, std::vector<int64_t> shape);
  Array(DType dtype, std::vector<int64_t> shape, const std::vector<double>& values);

  Tensor tensor();
  size_t bytes() const { return static_cast<size_t>(Bytes(dtype_, count_)); }
  // Integers come as the doubles that equal them.
  std::vector<double> values() const;

 private:
  DType dtype_;
  std::vector<int64_t> shape_;
  int64_t count_;
  std::vector<uint64_t> words_;
};

// Reproducible numbers in [-1, 1), multiples of 1/64 so that every dtype down to f16 holds them.
std::vector<double> Noise(int64_t count, uint32_t seed);

}  // namespace kiln::interp

#endif  // KILN_TESTS_COMPILER_INTERP_TESTING_H_
