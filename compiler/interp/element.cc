#include "compiler/interp/element.h"

#include <cstring>

namespace kiln::interp {
namespace {

template <typename T>
T Read(const uint8_t* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void Write(uint8_t* data, int64_t index, T value) {
  std::memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

uint64_t ReadPattern(int bits, const uint8_t* data, int64_t index) {
  switch (bits) {
    case 4:
      return data[index / 2] >> (index % 2 * 4) & 0xf;
    case 8:
      return data[index];
    case 16:
      return Read<uint16_t>(data, index);
    case 32:
      return Read<uint32_t>(data, index);
    default:
      return Read<uint64_t>(data, index);
  }
}

void WritePattern(int bits, uint8_t* data, int64_t index, uint64_t pattern) {
  switch (bits) {
    case 4: {
      int shift = static_cast<int>(index % 2 * 4);
      data[index / 2] = static_cast<uint8_t>((data[index / 2] & ~(0xf << shift)) | (pattern & 0xf) << shift);
      return;
    }
    case 8:
      data[index] = static_cast<uint8_t>(pattern);
      return;
    case 16:
      return Write(data, index, static_cast<uint16_t>(pattern));
    case 32:
      return Write(data, index, static_cast<uint32_t>(pattern));
    default:
      return Write(data, index, pattern);
  }
}

// Every value of `from` is one of `to`.
bool Widens(DType to, DType from) {
  return to == from || (to == DType::kF64 || (to == DType::kF32 && from != DType::kF64));
}

}  // namespace

void LoadElements(DType dtype, const uint8_t* data, int64_t index, int64_t count, Slot* out) {
  if (dtype == DType::kF32) {
    for (int64_t k = 0; k < count; ++k) out[k].f = Read<float>(data, index + k);
    return;
  }
  int bits = Bits(dtype);
  if (IsFloat(dtype)) {
    for (int64_t k = 0; k < count; ++k) out[k].f = scalar::DecodeFloat(dtype, ReadPattern(bits, data, index + k));
  } else {
    for (int64_t k = 0; k < count; ++k) out[k].i = scalar::DecodeInteger(dtype, ReadPattern(bits, data, index + k));
  }
}

void StoreElements(DType dtype, uint8_t* data, int64_t index, int64_t count, const Slot* values) {
  if (dtype == DType::kF32) {
    for (int64_t k = 0; k < count; ++k) Write(data, index + k, static_cast<float>(values[k].f));
    return;
  }
  int bits = Bits(dtype);
  if (IsFloat(dtype)) {
    for (int64_t k = 0; k < count; ++k) WritePattern(bits, data, index + k, scalar::EncodeFloat(dtype, values[k].f));
  } else {
    for (int64_t k = 0; k < count; ++k) WritePattern(bits, data, index + k, static_cast<uint64_t>(values[k].i));
  }
}

Slot Convert(DType to, DType from, Slot value) {
  ConvertAll(to, from, &value, 1);
  return value;
}

void ConvertAll(DType to, DType from, Slot* values, int64_t count) {
  if (IsFloat(to) && IsFloat(from)) {
    if (Widens(to, from)) return;
    for (int64_t k = 0; k < count; ++k) values[k].f = scalar::RoundTo(to, values[k].f);
  } else if (IsFloat(to)) {
    for (int64_t k = 0; k < count; ++k) values[k].f = scalar::IntegerToFloat(to, from, values[k].i);
  } else if (IsFloat(from)) {
    for (int64_t k = 0; k < count; ++k) values[k].i = scalar::FloatToInteger(to, values[k].f);
  } else if (to != from) {
    for (int64_t k = 0; k < count; ++k) values[k].i = scalar::Wrap(to, values[k].i);
  }
}

DType CommonType(DType a, DType b) {
  if (IsFloat(a) || IsFloat(b)) return a == DType::kF64 || b == DType::kF64 ? DType::kF64 : DType::kF32;
  auto widen = [](DType d) { return Bits(d) < 32 ? DType::kI32 : d; };
  a = widen(a);
  b = widen(b);
  if (a == b) return a;
  if (Bits(a) == Bits(b)) return Bits(a) == 32 ? DType::kI64 : DType::kU64;
  return Bits(a) > Bits(b) ? a : b;
}

}  // namespace kiln::interp
