// Arguments for tests of calls: a tensor that owns its shape and memory.
#ifndef KILN_TESTS_API_CALL_ARGS_H_
#define KILN_TESTS_API_CALL_ARGS_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "api/dlpack_types.h"
#include "kiln/c_api.h"
#include "kiln/internal/dtype.h"

namespace kiln::api {

class TestTensor {
 public:
  TestTensor(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides = {})
      : shape_(std::move(shape)), strides_(std::move(strides)) {
    int64_t last = 0;
    int64_t dense = 1;
    for (size_t d = shape_.size(); d-- > 0;) {
      const int64_t stride = strides_.empty() ? dense : strides_[d];
      if (shape_[d] > 0) last += (shape_[d] - 1) * (stride > 0 ? stride : 0);
      dense *= shape_[d];
    }
    bytes_.resize(static_cast<size_t>(Bytes(dtype, last + 1)) + 64);
    tensor.data = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(bytes_.data()) + 63) / 64 * 64);
    tensor.device = {KILN_DEVICE_CPU, 0};
    tensor.ndim = static_cast<int32_t>(shape_.size());
    tensor.dtype = ToDlpack(dtype);
    tensor.shape = shape_.data();
    tensor.strides = strides_.empty() ? nullptr : strides_.data();
  }
  TestTensor(const TestTensor&) = delete;
  TestTensor& operator=(const TestTensor&) = delete;

  TestTensor& On(int32_t type, int32_t id) {
    tensor.device = {type, id};
    return *this;
  }
  TestTensor& ShiftedBy(uint64_t bytes) {
    tensor.byte_offset = bytes;
    return *this;
  }

  kiln_arg arg() const {
    kiln_arg a = {KILN_ARG_TENSOR, 0, {}};
    a.as.tensor = &tensor;
    return a;
  }
  template <typename T>
  T* data() {
    return static_cast<T*>(tensor.data);
  }

  kiln_dl_tensor tensor = {};

 private:
  std::vector<int64_t> shape_;
  std::vector<int64_t> strides_;
  std::vector<char> bytes_;
};

inline kiln_arg Integer(int64_t value) {
  kiln_arg a = {KILN_ARG_INT, 0, {}};
  a.as.integer = value;
  return a;
}

inline kiln_arg Number(double value) {
  kiln_arg a = {KILN_ARG_FLOAT, 0, {}};
  a.as.number = value;
  return a;
}

}  // namespace kiln::api

#endif  // KILN_TESTS_API_CALL_ARGS_H_
