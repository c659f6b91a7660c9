// How facts are packed into words, and unpacked into what Specialize is told. In-process values: nothing stores them.
//
//   word 0                      the op's member, device type, device id
//   word 1                      a dtype a byte
//   one for each symbol         static: the value; bucket: the limit it is under; else log2 of the divisor, and whether
//                               it needs more than 31 bits
//   one for every four tensors  Pack(TensorWord)
#ifndef KILN_API_FACT_WORDS_H_
#define KILN_API_FACT_WORDS_H_

#include <bit>
#include <cstdint>

#include "api/signature.h"

namespace kiln::api {

constexpr uint16_t Pack(TensorWord word) {
  return static_cast<uint16_t>(word.contiguous | word.unit_inner << 1 | word.log2_stride << 2 | word.log2_align << 8);
}

constexpr TensorWord UnpackTensor(uint16_t bits) {
  return {(bits & 1) != 0, (bits & 2) != 0, static_cast<uint8_t>(bits >> 2 & 63), static_cast<uint8_t>(bits >> 8)};
}

constexpr int64_t PackHeader(int member, kiln_dl_device device) {
  return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint16_t>(member)) |
                              static_cast<uint64_t>(static_cast<uint16_t>(device.device_type)) << 16 |
                              static_cast<uint64_t>(static_cast<uint32_t>(device.device_id)) << 32);
}

constexpr kiln_dl_device UnpackDevice(int64_t header) {
  const uint64_t bits = static_cast<uint64_t>(header);
  return {static_cast<int16_t>(bits >> 16), static_cast<int32_t>(bits >> 32)};
}

struct SymbolWord {
  int64_t divisor = 1;
  bool wide = false;  // More than INT32_MAX
};

constexpr SymbolWord UnpackSymbol(int64_t word) { return {int64_t{1} << (word & 63), (word & 64) != 0}; }

// False when the symbol's policy does not take the value.
inline bool PackSymbol(const Signature::Symbol& symbol, int64_t value, int64_t* word) {
  switch (symbol.policy) {
    case ir::SymbolPolicy::Kind::kStatic:
      *word = value;
      return true;
    case ir::SymbolPolicy::Kind::kBucket:
      for (int64_t limit : symbol.values) {
        if (value > limit) continue;
        *word = limit;
        return true;
      }
      return false;
    case ir::SymbolPolicy::Kind::kMultipleOf:
      if (value % symbol.values.front() != 0) return false;
      break;
    case ir::SymbolPolicy::Kind::kDynamic:
      break;
  }
  const uint64_t cap = static_cast<uint64_t>(symbol.max_divisor);
  *word = std::countr_zero(static_cast<uint64_t>(value) | cap) | (value > INT32_MAX ? 64 : 0);
  return true;
}

}  // namespace kiln::api

#endif  // KILN_API_FACT_WORDS_H_
