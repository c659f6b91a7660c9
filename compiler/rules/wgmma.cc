#include "compiler/rules/wgmma.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "compiler/rules/matrix_layout.h"

namespace kiln {
namespace {

constexpr int64_t kWarpgroup = 128;
constexpr int64_t kRows = 64;  // Of one instruction
constexpr int64_t kMaxColumns = 256;

bool IsShared(const Operand& operand) {
  return operand.tensor->space == ir::Space::kShared || operand.tensor->space == ir::Space::kSharedDyn;
}
bool IsLocal(const Operand& operand) { return operand.tensor->space == ir::Space::kLocal; }

int64_t Extent(const Operand& operand, size_t dim) {
  int64_t value;
  return dim < operand.dims.size() && IsConst(operand.dims[dim].extent, &value) ? value : 0;
}

// The accumulator's dtype, kNone where there is no such product.
DType AccumulatorOf(DType dtype) {
  switch (dtype) {
    case DType::kF16:
    case DType::kBF16:
    case DType::kTF32:
    case DType::kF8E4M3:
    case DType::kF8E5M2:
      return DType::kF32;
    case DType::kI8:
    case DType::kU8:
      return DType::kI32;
    default:
      return DType::kNone;
  }
}

// Integers: 8, 16, 24, 32, then multiples of 16.
bool TakesColumns(int64_t n, DType dtype) {
  if (n < 8 || n > kMaxColumns || n % 8 != 0) return false;
  return !IsInteger(dtype) || n <= 32 || n % 16 == 0;
}

// The whole tensor's layout.
LayoutWish SharedWish(const Operand& operand) {
  if (!IsShared(operand)) return {};
  std::vector<int64_t> shape;
  for (const Expr& extent : operand.tensor->shape) {
    int64_t value;
    if (!IsConst(extent, &value)) return {};
    shape.push_back(value);
  }
  return LayoutWish::Shared(MatrixLayout(shape, operand.tensor->dtype));
}

}  // namespace

int64_t WarpgroupsOf(const OpSite& site) { return site.team == Team::kWarpgroup ? 1 : site.threads / kWarpgroup; }

Verdict WgmmaApplies(const OpSite& site) {
  const Operand &c = site.operands[0], &a = site.operands[1], &b = site.operands[2];
  const DType dtype = a.tensor->dtype, accumulator = AccumulatorOf(dtype);
  if (accumulator == DType::kNone) return No(absl::StrCat("no wgmma multiplies ", std::string(Name(dtype))));
  if (b.tensor->dtype != dtype)
    return No(absl::StrCat("operands of ", std::string(Name(dtype)), " and ", std::string(Name(b.tensor->dtype))));
  if (c.tensor->dtype != accumulator)
    return No(absl::StrCat("the accumulator is ", std::string(Name(c.tensor->dtype)), ", expected ",
                           std::string(Name(accumulator))));
  if (site.team == Team::kThread || site.team == Team::kWarp || site.team == Team::kCluster)
    return No("wgmma takes a warpgroup, or a CTA of whole warpgroups");
  if (site.threads % kWarpgroup != 0) return No(absl::StrCat(site.threads, " threads are not whole warpgroups"));
  if (!IsLocal(c)) return No("the accumulator is not in local memory");
  if (!IsShared(b)) return No("b is not in shared memory");
  const bool trans_a = Flag(*site.node, "trans_a"), trans_b = Flag(*site.node, "trans_b");
  if (IsLocal(a) && Bits(dtype) != 16) return No("a from registers needs 16-bit elements");
  if (IsLocal(a) && trans_a) return No("a from registers cannot be transposed");
  if (!IsLocal(a) && !IsShared(a)) return No("a is neither in shared nor in local memory");
  if ((trans_a || !trans_b) && Bits(dtype) != 16)
    return No(absl::StrCat("operands of ", std::string(Name(dtype)), " must have k innermost"));
  const int64_t m = Extent(c, 0), n = Extent(c, 1), k = Extent(a, trans_a ? 0 : 1), step = 256 / Bits(dtype);
  if (m == 0 || n == 0 || k == 0) return No("an extent is not constant");
  const int64_t rows = kRows * WarpgroupsOf(site);
  if (m % rows != 0) return No(absl::StrCat("m = ", m, " is not a multiple of ", rows));
  if (!TakesColumns(n, dtype))
    return No(absl::StrCat("n = ", n, ": expected ",
                           IsInteger(dtype) ? "8, 16, 24, 32 or a multiple of 16" : "a multiple of 8", " up to ",
                           kMaxColumns));
  if (k % step != 0) return No(absl::StrCat("k = ", k, " is not a multiple of ", step));
  for (const Operand* operand : {&a, &b}) {
    if (!IsShared(*operand)) continue;
    const int64_t columns = Extent(*operand, operand->dims.size() - 1);
    if (SwizzleSpan(columns, dtype) == 0)
      return No(absl::StrCat("rows of ", Bytes(dtype, columns), " B of ", operand->tensor->name,
                             " have no swizzle of 32, 64 or 128 B"));
  }
  return Yes();
}

std::vector<LayoutWish> WgmmaLayouts(const OpSite& site) {
  const Operand &c = site.operands[0], &a = site.operands[1];
  const int64_t m = Extent(c, 0), warpgroups = WarpgroupsOf(site);
  LayoutWish first = SharedWish(a);
  // From registers: as an accumulator of the same shape, whose pairs of 8 columns are the fragment's halves of k.
  if (IsLocal(a)) first = WgmmaAccumulator(m, Extent(a, 1), warpgroups);
  return {WgmmaAccumulator(m, Extent(c, 1), warpgroups), first, SharedWish(site.operands[2])};
}

Verdict WgmmaAccepts(const OpSite& site) {
  std::vector<LayoutWish> wanted = WgmmaLayouts(site);
  const bool trans_a = Flag(*site.node, "trans_a"), trans_b = Flag(*site.node, "trans_b");
  for (size_t i = 0; i < 3; ++i) {
    const Operand& operand = site.operands[i];
    if (wanted[i].local) {
      if (!operand.IsWhole()) return No(absl::StrCat("operand ", i + 1, " is a part of a register tile"));
      if (operand.tensor->distribution != wanted[i].local)
        return No(absl::StrCat("operand ", i + 1, " has layout ",
                               operand.tensor->distribution ? LayoutText(*operand.tensor->distribution) : "none",
                               ", expected ", LayoutText(*wanted[i].local)));
      continue;
    }
    std::string why;
    if (!DescriptorOf(operand, i == 1 ? trans_a : !trans_b, site.facts, &why)) return No(why);
  }
  return Yes();
}

}  // namespace kiln
