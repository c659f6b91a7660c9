// The copy engine: boxes of global tensors, to shared memory and back.
#ifndef KILN_COMPILER_INTERP_NATIVE_BULK_COPIES_H_
#define KILN_COMPILER_INTERP_NATIVE_BULK_COPIES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/interp/value.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

inline constexpr int kMaxBoxRank = 5;
inline constexpr int64_t kChunk = 16;  // Bytes that move as one

// A tensor as the engine sees it; dimensions innermost first.
struct TensorMap {
  uint8_t* data = nullptr;
  int rank = 0;
  int64_t element = 0;  // Bytes
  std::array<int64_t, kMaxBoxRank> extents = {1, 1, 1, 1, 1};
  std::array<int64_t, kMaxBoxRank> strides = {};  // Bytes
  std::array<int64_t, kMaxBoxRank> box = {1, 1, 1, 1, 1};
  int64_t swizzle = 0;

  int64_t BoxBytes() const { return box[0] * box[1] * box[2] * box[3] * box[4] * element; }
  // Of the bytes in shared memory; that of the swizzle when there is one.
  int64_t Alignment() const { return swizzle == 0 ? 128 : 8 * swizzle; }
};

// `param` of kind kTensorMap over `tensor`. Errors: what the engine cannot describe. `check_alignment`: of the base.
absl::StatusOr<TensorMap> MakeTensorMap(const ir::NativeParam& param, const Tensor& tensor, bool check_alignment);

using BoxAt = std::array<int64_t, kMaxBoxRank>;  // Of its first element, innermost first

// The box's bytes, row by row; zero outside of the tensor.
std::vector<uint8_t> ReadBox(const TensorMap& map, const BoxAt& at);
// What lies outside of the tensor is dropped.
void WriteBox(const TensorMap& map, const BoxAt& at, const std::vector<uint8_t>& bytes);

// Where the byte that would be at `address` of shared memory is under a swizzle of 0, 32, 64 or 128 bytes.
inline int64_t Swizzled(int64_t address, int64_t swizzle) {
  return swizzle == 0 ? address : address ^ address / 128 % (swizzle / kChunk) * kChunk;
}

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_BULK_COPIES_H_
