#include "runtime/cuda/tensor_map.h"

#include "absl/strings/str_cat.h"
#include "runtime/cuda/status.h"

namespace kiln::runtime::cuda {
namespace {

constexpr int kMaxRank = 5;
constexpr int kInterleaveNone = 0;
constexpr int kPromoteTo256 = 3;  // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
constexpr int kFillZeros = 0;

// CUtensorMapDataType. Elements without one of their own travel as unsigned integers of their width.
int DataType(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return 6;
    case DType::kF32:
    case DType::kTF32:
      return 7;
    case DType::kF64:
      return 8;
    case DType::kBF16:
      return 9;
    default:
      return Bits(dtype) == 8 ? 0 : Bits(dtype) == 16 ? 1 : Bits(dtype) == 32 ? 2 : 4;
  }
}

int Swizzle(int bytes) { return bytes == 32 ? 1 : bytes == 64 ? 2 : bytes == 128 ? 3 : 0; }

[[gnu::cold, gnu::noinline]] absl::Status Refused(const TensorArg& tensor, int arg, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("cuda: argument ", arg, " of rank ", tensor.rank, ": ", what));
}

}  // namespace

absl::Status EncodeTensorMap(const Driver& driver, const RecipeParam& param, const TensorArg& tensor, TensorMap* map) {
  if (!driver.TensorMapEncodeTiled)
    return absl::UnavailableError("cuda: tensor maps need a driver of CUDA 12.0 or later");
  const int rank = tensor.rank;
  uint64_t extents[kMaxRank], strides[kMaxRank];
  uint32_t box[kMaxRank], ones[kMaxRank];
  const int64_t bytes = Bits(param.dtype) / 8;
  int64_t dense = 1;
  for (int i = 0; i < rank; ++i) {  // The engine counts dimensions from the innermost.
    const int d = rank - 1 - i;
    if (tensor.shape[d] < 1) return Refused(tensor, param.arg, absl::StrCat("extent ", d, " is ", tensor.shape[d]));
    extents[i] = static_cast<uint64_t>(tensor.shape[d]);
    // A dimension of one element may have any stride; the engine wants a multiple of 16 bytes all the same.
    const int64_t stride = tensor.strides && tensor.shape[d] > 1 ? tensor.strides[d] : dense;
    if (i > 0) strides[i - 1] = static_cast<uint64_t>(stride * bytes);
    if (i > 0 && stride * bytes % 16 != 0) {
      if (tensor.shape[d] > 1)
        return Refused(tensor, param.arg,
                       absl::StrCat("stride ", d, " is ", stride, " elements, not a multiple of 16 B"));
      strides[i - 1] = static_cast<uint64_t>((stride * bytes + 15) / 16 * 16);
    }
    dense = stride * tensor.shape[d];
    box[i] = static_cast<uint32_t>(param.box[static_cast<size_t>(d)]);
    ones[i] = 1;
  }
  Result result = driver.TensorMapEncodeTiled(map, DataType(param.dtype), static_cast<unsigned>(rank), tensor.data,
                                              extents, strides, box, ones, kInterleaveNone, Swizzle(param.swizzle),
                                              kPromoteTo256, kFillZeros);
  return result == kSuccess ? absl::OkStatus()
                            : StatusOf(driver, result, absl::StrCat("tensor map of argument ", param.arg));
}

}  // namespace kiln::runtime::cuda
