#include "compiler/interp/native/bulk_copies.h"

#include <algorithm>
#include <cstring>

#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

template <typename... Args>
absl::Status Bad(const ir::NativeParam& param, const Args&... what) {
  return absl::InvalidArgumentError(StrCat("tensor map \"", param.name, "\": expected ", what...));
}

// Calls `row(offset in the box, address in the tensor, first, last)` for each row of the box: elements first .. last of
// it are inside of the tensor.
template <typename Row>
void ForEachRow(const TensorMap& map, const BoxAt& at, Row row) {
  const int64_t first = std::clamp<int64_t>(-at[0], 0, map.box[0]);
  const int64_t last = std::clamp<int64_t>(map.extents[0] - at[0], first, map.box[0]);
  int64_t offset = 0;
  BoxAt i = {};
  for (i[4] = 0; i[4] < map.box[4]; ++i[4]) {
    for (i[3] = 0; i[3] < map.box[3]; ++i[3]) {
      for (i[2] = 0; i[2] < map.box[2]; ++i[2]) {
        for (i[1] = 0; i[1] < map.box[1]; ++i[1]) {
          bool inside = true;
          int64_t address = at[0] * map.element;
          for (size_t d = 1; d < kMaxBoxRank; ++d) {
            int64_t k = at[d] + i[d];
            inside = inside && k >= 0 && k < map.extents[d];
            address += k * map.strides[d];
          }
          row(offset, address, first, inside ? last : first);
          offset += map.box[0] * map.element;
        }
      }
    }
  }
}

}  // namespace

absl::StatusOr<TensorMap> MakeTensorMap(const ir::NativeParam& param, const Tensor& tensor, bool check_alignment) {
  TensorMap map;
  const size_t rank = tensor.shape.size();
  if (Bits(tensor.dtype) < 8 || tensor.dtype != param.dtype)
    return Bad(param, "a tensor of ", Name(param.dtype), ", got ", Name(tensor.dtype));
  if (rank < 1 || rank > kMaxBoxRank || param.box.size() != rank)
    return Bad(param, "a box of the tensor's rank, 1 to 5, got ", param.box.size(), " and ", rank);
  map.data = static_cast<uint8_t*>(tensor.data);
  map.rank = static_cast<int>(rank);
  map.element = Bits(tensor.dtype) / 8;
  map.swizzle = param.swizzle;
  for (size_t d = 0; d < rank; ++d) {
    const size_t from = rank - 1 - d;
    map.extents[d] = tensor.shape[from];
    map.strides[d] = tensor.strides[from] * map.element;
    map.box[d] = param.box[from];
    if (map.box[d] < 1 || map.box[d] > 256) return Bad(param, "box extents of 1 to 256, got ", map.box[d]);
    if (d > 0 && map.strides[d] % kChunk != 0)
      return Bad(param, "the stride of dim ", from, " a multiple of 16 bytes, got ", map.strides[d]);
  }
  if (tensor.strides[rank - 1] != 1) return Bad(param, "a dense last dimension, got stride ", tensor.strides[rank - 1]);
  const int64_t row = map.box[0] * map.element;
  if (row % kChunk != 0) return Bad(param, "a box row of a multiple of 16 bytes, got ", row);
  if (map.swizzle > 0 && row > map.swizzle)
    return Bad(param, "a box row of at most the swizzle's ", map.swizzle, " bytes, got ", row);
  if (check_alignment && reinterpret_cast<uintptr_t>(tensor.data) % kChunk != 0)
    return Bad(param, "a base address that is a multiple of 16 bytes");
  return map;
}

std::vector<uint8_t> ReadBox(const TensorMap& map, const BoxAt& at) {
  std::vector<uint8_t> bytes(static_cast<size_t>(map.BoxBytes()));
  ForEachRow(map, at, [&](int64_t offset, int64_t address, int64_t first, int64_t last) {
    if (first == last) return;
    const int64_t skip = first * map.element;
    std::memcpy(bytes.data() + offset + skip, map.data + address + skip,
                static_cast<size_t>((last - first) * map.element));
  });
  return bytes;
}

void WriteBox(const TensorMap& map, const BoxAt& at, const std::vector<uint8_t>& bytes) {
  ForEachRow(map, at, [&](int64_t offset, int64_t address, int64_t first, int64_t last) {
    if (first == last) return;
    const int64_t skip = first * map.element;
    std::memcpy(map.data + address + skip, bytes.data() + offset + skip,
                static_cast<size_t>((last - first) * map.element));
  });
}

}  // namespace kiln::interp
