#include "tests/kernels/tensor.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace kiln::testing {
namespace {

constexpr size_t kGuard = 64;  // Bytes before the first element and past the last
constexpr uint8_t kFill = 0xFF;

uint16_t HalfBits(double value) {
  const _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  const bool away = std::fabs(static_cast<double>(half)) > std::fabs(value);
  return away ? bits - 1 : bits;  // The code before it is the one toward zero
}

uint32_t FloatBits(double value) {
  float number = static_cast<float>(value);
  if (std::fabs(static_cast<double>(number)) > std::fabs(value)) number = std::nextafter(number, 0.0f);
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

double FloatOf(uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

double HalfOf(uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, sizeof(half));
  return static_cast<double>(half);
}

// The value of an 8-bit float's code; e5m2 has infinities, e4m3 has none and NaN at the end of its codes alone.
double EighthOf(DType dtype, uint8_t code) {
  const int mantissa_bits = dtype == DType::kF8E4M3 ? 3 : 2;
  const int bias = dtype == DType::kF8E4M3 ? 7 : 15;
  const int exponent = (code & 0x7F) >> mantissa_bits, mantissa = code & ((1 << mantissa_bits) - 1);
  const double sign = code & 0x80 ? -1 : 1;
  if (dtype == DType::kF8E4M3 && (code & 0x7F) == 0x7F) return std::nan("");
  if (dtype == DType::kF8E5M2 && exponent == 31) return mantissa ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

// Positive codes ascend with their values.
uint8_t EighthBits(DType dtype, double value) {
  uint8_t code = 0;
  while (code < 0x7F && EighthOf(dtype, code + 1) <= std::fabs(value)) ++code;
  return std::signbit(value) ? code | 0x80 : code;
}

// Row-major, with `memory`'s gaps between the rows of each dimension.
std::vector<int64_t> Strides(const std::vector<int64_t>& shape, Memory memory) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = memory == Memory::kSpread ? 2 : 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
    if (memory == Memory::kPadded) stride = (stride / 8 + 2) * 8;
    if (memory == Memory::kOdd) stride = (stride + 1) | 1;
  }
  return strides;
}

}  // namespace

Tensor::Tensor(DType dtype, std::vector<int64_t> shape, Memory memory)
    : dtype_(dtype), shape_(std::move(shape)), strides_(Strides(shape_, memory)), memory_(memory) {
  int64_t last = 0;
  for (size_t i = 0; i < shape_.size(); ++i) {
    count_ *= shape_[i];
    last += (shape_[i] - 1) * strides_[i];
  }
  const size_t size = Bytes(dtype_);
  bytes_.assign(3 * kGuard + (last + 1) * size, kFill);
  // The vector's own memory is on 16 bytes; the kernels that ask for more than that are given it.
  base_ = kGuard - reinterpret_cast<uintptr_t>(bytes_.data()) % kGuard + kGuard;
  first_ = base_ - kGuard;
  if (memory_ == Memory::kOdd) base_ -= size;
}

size_t Tensor::ByteOf(int64_t i) const {
  int64_t element = 0;
  for (size_t d = shape_.size(); d-- > 0;) {
    element += i % shape_[d] * strides_[d];
    i /= shape_[d];
  }
  return base_ + element * Bytes(dtype_);
}

void Tensor::Set(int64_t i, double value) {
  uint8_t* at = &bytes_[ByteOf(i)];
  switch (dtype_) {
    case DType::kF16: {
      const uint16_t bits = HalfBits(value);
      std::memcpy(at, &bits, sizeof(bits));
      return;
    }
    case DType::kBF16: {
      const uint16_t bits = FloatBits(value) >> 16;
      std::memcpy(at, &bits, sizeof(bits));
      return;
    }
    case DType::kF32: {
      const uint32_t bits = FloatBits(value);
      std::memcpy(at, &bits, sizeof(bits));
      return;
    }
    case DType::kF64:
      std::memcpy(at, &value, sizeof(value));
      return;
    case DType::kF8E4M3:
    case DType::kF8E5M2:
      *at = EighthBits(dtype_, value);
      return;
    default: {
      const int64_t number = static_cast<int64_t>(value);
      std::memcpy(at, &number, Bytes(dtype_));
      return;
    }
  }
}

double Tensor::At(int64_t i) const {
  const uint8_t* at = &bytes_[ByteOf(i)];
  uint64_t word = 0;
  std::memcpy(&word, at, Bytes(dtype_));
  const int unused = 64 - Bits(dtype_);
  switch (dtype_) {
    case DType::kF16:
      return HalfOf(static_cast<uint16_t>(word));
    case DType::kBF16:
      return FloatOf(static_cast<uint32_t>(word) << 16);
    case DType::kF32:
      return FloatOf(static_cast<uint32_t>(word));
    case DType::kF64: {
      double number;
      std::memcpy(&number, &word, sizeof(number));
      return number;
    }
    case DType::kF8E4M3:
    case DType::kF8E5M2:
      return EighthOf(dtype_, static_cast<uint8_t>(word));
    default:
      if (IsSigned(dtype_)) return static_cast<double>(static_cast<int64_t>(word << unused) >> unused);
      return static_cast<double>(word);
  }
}

std::vector<double> Tensor::Values() const {
  std::vector<double> values(count_);
  for (int64_t i = 0; i < count_; ++i) values[i] = At(i);
  return values;
}

TensorBinding Tensor::Binding() const {
  TensorBinding binding;
  binding.contiguous = memory_ == Memory::kDense;
  binding.unit_inner = memory_ != Memory::kSpread;
  binding.stride_divisor = memory_ == Memory::kPadded ? 8 : 1;
  const bool aligned = memory_ == Memory::kDense || memory_ == Memory::kPadded;
  binding.align = aligned ? 16 : Bytes(dtype_);
  return binding;
}

bool Tensor::GapsIntact() const {
  std::vector<bool> owned(bytes_.size());
  for (int64_t i = 0; i < count_; ++i)
    for (int64_t b = 0; b < Bytes(dtype_); ++b) owned[ByteOf(i) + b] = true;
  for (size_t b = 0; b < bytes_.size(); ++b)
    if (!owned[b] && bytes_[b] != kFill) return false;
  return true;
}

std::string Name(Memory memory) {
  switch (memory) {
    case Memory::kDense:
      return "dense";
    case Memory::kPadded:
      return "padded";
    case Memory::kOdd:
      return "odd";
    case Memory::kSpread:
      return "spread";
  }
  std::abort();
}

}  // namespace kiln::testing
