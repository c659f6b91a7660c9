// Arguments of a launch: tensors that stay the caller's, and numbers.
//
//   kiln::Tensor x(data, kiln::Type::kF32, {m, n});                       // dense, on the CPU
//   kiln::Tensor w(pointer, kiln::Type::kBF16, {n}, kiln::Cuda(0));       // on a GPU
//   op.Launch(stream, {x, w, y, 1e-6});
//   op.Launch(stream, {kiln::Arg(managed_tensor_from_torch), w, y, 1e-6});
//
// A Tensor holds its shape, borrows its data, and is a plain value; thread-compatible.
#ifndef KILN_TENSOR_H_
#define KILN_TENSOR_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "kiln/c_api.h"

namespace kiln {

inline constexpr int kMaxRank = 8;

enum class Type : uint8_t {
  kBool,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kBF16,
  kF32,
  kF64,
  kF8E4M3,
  kF8E5M2,
  kF8E8M0,
  kF4E2M1,
};

constexpr kiln_dl_type ToDlpack(Type type) {
  constexpr kiln_dl_type kTypes[] = {
      {KILN_DL_BOOL, 8, 1},           {KILN_DL_INT, 8, 1},           {KILN_DL_INT, 16, 1},
      {KILN_DL_INT, 32, 1},           {KILN_DL_INT, 64, 1},          {KILN_DL_UINT, 8, 1},
      {KILN_DL_UINT, 16, 1},          {KILN_DL_UINT, 32, 1},         {KILN_DL_UINT, 64, 1},
      {KILN_DL_FLOAT, 16, 1},         {KILN_DL_BFLOAT, 16, 1},       {KILN_DL_FLOAT, 32, 1},
      {KILN_DL_FLOAT, 64, 1},         {KILN_DL_FLOAT8_E4M3FN, 8, 1}, {KILN_DL_FLOAT8_E5M2, 8, 1},
      {KILN_DL_FLOAT8_E8M0FNU, 8, 1}, {KILN_DL_FLOAT4_E2M1FN, 4, 1},
  };
  return kTypes[static_cast<int>(type)];
}

struct DeviceId {
  int32_t type = KILN_DEVICE_CPU;
  int32_t index = 0;
};
constexpr DeviceId Cpu() { return {KILN_DEVICE_CPU, 0}; }
constexpr DeviceId Cuda(int32_t index) { return {KILN_DEVICE_CUDA, index}; }

class Tensor {
 public:
  // `strides` are in elements; none = dense, row-major. REQUIRES: at most kMaxRank extents; as many strides, or none.
  Tensor(const void* data, Type type, std::initializer_list<int64_t> shape, DeviceId device = Cpu(),
         std::initializer_list<int64_t> strides = {})
      : Tensor(data, type, shape.begin(), shape.size(), device, strides.size() == 0 ? nullptr : strides.begin()) {}

  Tensor(const void* data, Type type, const int64_t* shape, size_t rank, DeviceId device = Cpu(),
         const int64_t* strides = nullptr) {
    const size_t kept = std::min<size_t>(rank, kMaxRank);
    dl_ = {};
    dl_.data = const_cast<void*>(data);
    dl_.device = {device.type, device.index};
    // Past the bound the rank is kept as it is and refused by the launch, which names the argument.
    dl_.ndim = static_cast<int32_t>(rank);
    dl_.dtype = ToDlpack(type);
    std::copy(shape, shape + kept, shape_);
    if (strides != nullptr) std::copy(strides, strides + kept, strides_);
    strided_ = strides != nullptr;
    Point();
  }

  Tensor(const Tensor& other) { *this = other; }
  Tensor& operator=(const Tensor& other) {
    dl_ = other.dl_;
    strided_ = other.strided_;
    std::copy(other.shape_, other.shape_ + kMaxRank, shape_);
    std::copy(other.strides_, other.strides_ + kMaxRank, strides_);
    Point();
    return *this;
  }

  // For launching again with the same shape elsewhere.
  void set_data(const void* data) { dl_.data = const_cast<void*>(data); }

  const kiln_dl_tensor& dlpack() const { return dl_; }

 private:
  void Point() {
    dl_.shape = shape_;
    dl_.strides = strided_ ? strides_ : nullptr;
  }

  kiln_dl_tensor dl_;
  bool strided_ = false;
  int64_t shape_[kMaxRank] = {};
  int64_t strides_[kMaxRank] = {};
};

// One argument: a tensor, in any of DLPack's three wrappings, or a number. Borrows what it is made of.
class Arg {
 public:
  Arg(const Tensor& tensor) : Arg(&tensor.dlpack()) {}
  explicit Arg(const kiln_dl_tensor* tensor) {
    c_ = {KILN_ARG_TENSOR, 0, {}};
    c_.as.tensor = tensor;
  }
  explicit Arg(const kiln_dl_managed_tensor* tensor) {
    c_ = {KILN_ARG_MANAGED, 0, {}};
    c_.as.managed = tensor;
  }
  explicit Arg(const kiln_dl_managed_tensor_versioned* tensor) {
    c_ = {KILN_ARG_MANAGED_VERSIONED, 0, {}};
    c_.as.versioned = tensor;
  }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Arg(T number) {
    if constexpr (std::is_floating_point_v<T>) {
      c_ = {KILN_ARG_FLOAT, 0, {}};
      c_.as.number = static_cast<double>(number);
    } else {
      c_ = {KILN_ARG_INT, 0, {}};
      c_.as.integer = static_cast<int64_t>(number);
    }
  }

 private:
  kiln_arg c_;
};
static_assert(sizeof(Arg) == sizeof(kiln_arg) && std::is_standard_layout_v<Arg>,
              "a list of Arg is handed to the C ABI as a list of kiln_arg");

}  // namespace kiln

#endif  // KILN_TENSOR_H_
