// Collects a problem's arguments in the kernel's order, inputs filled with reproducible numbers.
#ifndef KILN_TESTS_KERNELS_PROBLEM_BUILDER_H_
#define KILN_TESTS_KERNELS_PROBLEM_BUILDER_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/case.h"

namespace kiln::testing {

class ProblemBuilder {
 public:
  using Shape = std::vector<int64_t>;

  ProblemBuilder(DType dtype, Memory memory) : dtype_(dtype), memory_(memory) {}

  // Numbers in [center - spread, center + spread); gives the values as the dtype holds them.
  Doubles In(const std::string& name, const Shape& shape, double spread = 1, double center = 0) {
    return InAs(dtype_, name, shape, spread, center);
  }
  Doubles InAs(DType dtype, const std::string& name, const Shape& shape, double spread, double center) {
    Tensor tensor(dtype, shape, memory_);
    for (int64_t i = 0; i < tensor.count(); ++i)
      tensor.Set(i, center + spread * (static_cast<double>(random_()) / 0x1p31 - 1));
    return Keep(name, std::move(tensor));
  }
  // The numbers given, repeated.
  Doubles Exactly(DType dtype, const std::string& name, const Shape& shape, const Doubles& values) {
    Tensor tensor(dtype, shape, memory_);
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.Set(i, values[i % values.size()]);
    return Keep(name, std::move(tensor));
  }
  double Scalar(const std::string& name, float value) {
    problem_.args.push_back({name, value});
    return value;
  }
  // `Expect` for each, once what they hold is known.
  size_t Out(const std::string& name, const Shape& shape) { return OutAs(dtype_, name, shape); }
  size_t OutAs(DType dtype, const std::string& name, const Shape& shape) {
    problem_.args.push_back({name, Tensor(dtype, shape, memory_)});
    return problem_.args.size() - 1;
  }
  void Expect(size_t output, Values values) { problem_.expected[output] = std::move(values); }
  Tensor& tensor(size_t arg) { return std::get<Tensor>(problem_.args[arg].value); }
  Problem Done() { return std::move(problem_); }

 private:
  Doubles Keep(const std::string& name, Tensor tensor) {
    Doubles values = tensor.Values();
    problem_.args.push_back({name, std::move(tensor)});
    return values;
  }

  DType dtype_;
  Memory memory_;
  std::mt19937 random_{20260101};  // Its numbers are the same everywhere; std's distributions are not
  Problem problem_;
};

}  // namespace kiln::testing

#endif  // KILN_TESTS_KERNELS_PROBLEM_BUILDER_H_
