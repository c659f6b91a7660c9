// Scalar element types: the one table of their names, widths and kinds.
// Values are on-disk values: append only.
#ifndef KILN_INTERNAL_DTYPE_H_
#define KILN_INTERNAL_DTYPE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln {

enum class DType : uint8_t {
  kNone = 0,  // Not yet known.
  kBool = 1,
  kI8 = 2,
  kI16 = 3,
  kI32 = 4,
  kI64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kBF16 = 11,
  kTF32 = 12,
  kF32 = 13,
  kF64 = 14,
  kF8E4M3 = 15,
  kF8E5M2 = 16,
  kF8E8M0 = 17,
  kF4E2M1 = 18,
  kMBarrier = 19,  // A barrier object in shared memory; only its intrinsics touch it.
};

enum class DTypeKind : uint8_t { kNone, kBool, kSigned, kUnsigned, kFloat };

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // As written in `.kiln` text and printed everywhere.
  int bits;               // Width in memory; a bool takes a byte, a tf32 a word.
  DTypeKind kind;
};

inline constexpr std::array<DTypeInfo, 20> kDTypes = {{
    {DType::kNone, "none", 0, DTypeKind::kNone},      {DType::kBool, "bool", 8, DTypeKind::kBool},
    {DType::kI8, "i8", 8, DTypeKind::kSigned},        {DType::kI16, "i16", 16, DTypeKind::kSigned},
    {DType::kI32, "i32", 32, DTypeKind::kSigned},     {DType::kI64, "i64", 64, DTypeKind::kSigned},
    {DType::kU8, "u8", 8, DTypeKind::kUnsigned},      {DType::kU16, "u16", 16, DTypeKind::kUnsigned},
    {DType::kU32, "u32", 32, DTypeKind::kUnsigned},   {DType::kU64, "u64", 64, DTypeKind::kUnsigned},
    {DType::kF16, "f16", 16, DTypeKind::kFloat},      {DType::kBF16, "bf16", 16, DTypeKind::kFloat},
    {DType::kTF32, "tf32", 32, DTypeKind::kFloat},    {DType::kF32, "f32", 32, DTypeKind::kFloat},
    {DType::kF64, "f64", 64, DTypeKind::kFloat},      {DType::kF8E4M3, "f8e4m3", 8, DTypeKind::kFloat},
    {DType::kF8E5M2, "f8e5m2", 8, DTypeKind::kFloat}, {DType::kF8E8M0, "f8e8m0", 8, DTypeKind::kFloat},
    {DType::kF4E2M1, "f4e2m1", 4, DTypeKind::kFloat}, {DType::kMBarrier, "mbarrier", 64, DTypeKind::kNone},
}};

constexpr const DTypeInfo& Info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }
constexpr std::string_view Name(DType dtype) { return Info(dtype).name; }
constexpr int Bits(DType dtype) { return Info(dtype).bits; }
// Bytes that `count` packed elements take, rounded up to whole bytes.
constexpr int64_t Bytes(DType dtype, int64_t count = 1) { return (count * Bits(dtype) + 7) / 8; }
constexpr bool IsFloat(DType dtype) { return Info(dtype).kind == DTypeKind::kFloat; }
constexpr bool IsSigned(DType dtype) { return Info(dtype).kind == DTypeKind::kSigned; }
constexpr bool IsUnsigned(DType dtype) { return Info(dtype).kind == DTypeKind::kUnsigned; }
constexpr bool IsInteger(DType dtype) { return IsSigned(dtype) || IsUnsigned(dtype); }
// Floats narrower than f32 (and tf32): read into f32 wherever they are computed with.
constexpr bool IsNarrowFloat(DType dtype) { return IsFloat(dtype) && dtype != DType::kF32 && dtype != DType::kF64; }

constexpr std::optional<DType> ParseDType(std::string_view name) {
  for (const DTypeInfo& info : kDTypes)
    if (info.dtype != DType::kNone && info.name == name) return info.dtype;
  return std::nullopt;
}

}  // namespace kiln

#endif  // KILN_INTERNAL_DTYPE_H_
