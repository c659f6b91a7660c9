// DLPack's spelling of dtypes, and Kiln's.
#ifndef KILN_API_DLPACK_TYPES_H_
#define KILN_API_DLPACK_TYPES_H_

#include "kiln/c_api.h"
#include "kiln/internal/dtype.h"

namespace kiln::api {

// kNone for what Kiln does not have, vectors among it. A tf32 has no spelling of its own: its words are f32.
constexpr DType FromDlpack(kiln_dl_type type) {
  if (type.lanes != 1) return DType::kNone;
  switch (type.code << 8 | type.bits) {
    case KILN_DL_FLOAT << 8 | 16:
      return DType::kF16;
    case KILN_DL_BFLOAT << 8 | 16:
      return DType::kBF16;
    case KILN_DL_FLOAT << 8 | 32:
      return DType::kF32;
    case KILN_DL_FLOAT << 8 | 64:
      return DType::kF64;
    case KILN_DL_INT << 8 | 8:
      return DType::kI8;
    case KILN_DL_INT << 8 | 16:
      return DType::kI16;
    case KILN_DL_INT << 8 | 32:
      return DType::kI32;
    case KILN_DL_INT << 8 | 64:
      return DType::kI64;
    case KILN_DL_UINT << 8 | 8:
      return DType::kU8;
    case KILN_DL_UINT << 8 | 16:
      return DType::kU16;
    case KILN_DL_UINT << 8 | 32:
      return DType::kU32;
    case KILN_DL_UINT << 8 | 64:
      return DType::kU64;
    case KILN_DL_BOOL << 8 | 8:
      return DType::kBool;
    case KILN_DL_FLOAT8_E4M3FN << 8 | 8:
      return DType::kF8E4M3;
    case KILN_DL_FLOAT8_E5M2 << 8 | 8:
      return DType::kF8E5M2;
    case KILN_DL_FLOAT8_E8M0FNU << 8 | 8:
      return DType::kF8E8M0;
    case KILN_DL_FLOAT4_E2M1FN << 8 | 4:
      return DType::kF4E2M1;
    default:
      return DType::kNone;
  }
}

constexpr kiln_dl_type ToDlpack(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return {KILN_DL_BOOL, 8, 1};
    case DType::kBF16:
      return {KILN_DL_BFLOAT, 16, 1};
    case DType::kF8E4M3:
      return {KILN_DL_FLOAT8_E4M3FN, 8, 1};
    case DType::kF8E5M2:
      return {KILN_DL_FLOAT8_E5M2, 8, 1};
    case DType::kF8E8M0:
      return {KILN_DL_FLOAT8_E8M0FNU, 8, 1};
    case DType::kF4E2M1:
      return {KILN_DL_FLOAT4_E2M1FN, 4, 1};
    default:
      break;
  }
  const uint8_t bits = static_cast<uint8_t>(Bits(dtype));
  if (IsSigned(dtype)) return {KILN_DL_INT, bits, 1};
  if (IsUnsigned(dtype)) return {KILN_DL_UINT, bits, 1};
  return {KILN_DL_FLOAT, bits, 1};
}

}  // namespace kiln::api

#endif  // KILN_API_DLPACK_TYPES_H_
