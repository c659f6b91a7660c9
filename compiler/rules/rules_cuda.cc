#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/expr/simplify.h"
#include "compiler/ir/print.h"
#include "compiler/rules/matrix_fragments.h"
#include "compiler/rules/rule.h"
#include "compiler/rules/stmatrix.h"
#include "compiler/rules/tma.h"
#include "compiler/rules/wgmma.h"

namespace kiln {
namespace {

Verdict Always(const OpSite&) { return Yes(); }

bool IsShared(const Operand& operand) {
  return operand.tensor->space == ir::Space::kShared || operand.tensor->space == ir::Space::kSharedDyn;
}
bool IsLocal(const Operand& operand) { return operand.tensor->space == ir::Space::kLocal; }

std::optional<int64_t> ConstantExtent(const Operand& operand, size_t dim) {
  int64_t value;
  if (dim >= operand.dims.size() || !IsConst(operand.dims[dim].extent, &value)) return std::nullopt;
  return value;
}

// --- copy

Verdict SameDType(const OpSite& site) {
  DType to = site.operands[0].tensor->dtype, from = site.operands[1].tensor->dtype;
  return to == from ? Yes()
                    : No(absl::StrCat("dtypes differ: ", std::string(Name(to)), " and ", std::string(Name(from))));
}

Verdict DifferentDType(const OpSite& site) { return SameDType(site).yes ? No("dtypes are equal") : Yes(); }

Verdict MovesVectors(const OpSite& site) {
  for (const Operand& operand : site.operands) {
    if (IsLocal(operand)) continue;
    std::string why;
    int64_t most = site.target->vector_bytes * 8 / Bits(operand.tensor->dtype);
    if (VectorWidth(operand, most, site.facts, &why) < 2) return No(why);
  }
  return Yes();
}

bool LiesInside(const Operand& operand, const Facts& facts) {
  for (const OperandDim& dim : operand.dims) {
    if (dim.root < 0) continue;
    Expr end = WithType(dim.start + dim.extent, {DType::kI64});
    Expr inside = Simplify(WithType(Binary(Op::kLe, end, dim.limit), {DType::kBool}), facts);
    if (inside->kind != ExprKind::kBool || !inside->int_value) return false;
  }
  return true;
}

Verdict SharedToFragments(const OpSite& site) {
  if (site.operands.size() != 2) return No("the source is an expression");
  const Operand &to = site.operands[0], &from = site.operands[1];
  if (!IsLocal(to)) return No("the destination is not in local memory");
  if (!IsShared(from)) return No("the source is not in shared memory");
  if (Bits(to.tensor->dtype) != 16)
    return No(absl::StrCat("ldmatrix moves elements of 16 bits, found ", std::string(Name(to.tensor->dtype))));
  if (site.team == Team::kThread) return No("one thread alone");
  if (site.threads % 32 != 0) return No(absl::StrCat(site.threads, " threads are not whole warps"));
  return SameDType(site);
}

Verdict FragmentsFit(const OpSite& site) {
  const Operand &to = site.operands[0], &from = site.operands[1];
  if (!to.IsWhole()) return No("the destination is a part of a register tile");
  std::string why;
  if (!MatrixFragmentsOf(*to.tensor->distribution, &why)) return No(why);
  const std::vector<int64_t> padded = to.tensor->distribution->Padded();
  for (size_t dim = 0; dim < padded.size(); ++dim)
    if (ConstantExtent(to, dim) != padded[dim]) return No("the register tile has pad");
  if (!LiesInside(from, site.facts)) return No("the source may reach past an edge");
  if (VectorWidth(from, 8, site.facts, &why) < 8) return No(absl::StrCat("ldmatrix reads rows of 16 B: ", why));
  return Yes();
}

// --- copy_async

Verdict GlobalToShared(const OpSite& site) {
  if (!IsShared(site.operands[0])) return No("the destination is not in shared memory");
  if (site.operands[1].tensor->space != ir::Space::kGlobal) return No("the source is not in global memory");
  return SameDType(site);
}

Verdict MovesFourBytes(const OpSite& site) {
  for (const Operand& operand : site.operands) {
    int64_t bits = Bits(operand.tensor->dtype);
    std::string why;
    int64_t width = VectorWidth(operand, 128 / bits, site.facts, &why);
    if (width * bits < 32)
      return No(absl::StrCat("one access moves ", width * bits / 8, " B of ", operand.tensor->name,
                             ", cp.async needs 4: ", why));
  }
  return Yes();
}

// --- gemm

// Bytes of k that one mma takes are always 32.
const char* MmaFeature(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return "mma";
    case DType::kBF16:
      return "mma_bf16";
    case DType::kTF32:
      return "mma_tf32";
    case DType::kI8:
      return "mma_s8";
    case DType::kF8E4M3:
      return "mma_fp8";
    default:
      return nullptr;
  }
}

Verdict MmaApplies(const OpSite& site) {
  const Operand &c = site.operands[0], &a = site.operands[1], &b = site.operands[2];
  DType dtype = a.tensor->dtype;
  const char* feature = MmaFeature(dtype);
  if (!feature) return No(absl::StrCat("no mma multiplies ", std::string(Name(dtype))));
  if (!site.target->Has(feature))
    return No(absl::StrCat(site.target->name, " has no mma of ", std::string(Name(dtype))));
  DType accumulator = dtype == DType::kI8 ? DType::kI32 : DType::kF32;
  if (c.tensor->dtype != accumulator)
    return No(absl::StrCat("the accumulator is ", std::string(Name(c.tensor->dtype)), ", expected ",
                           std::string(Name(accumulator))));
  if (!IsLocal(c)) return No("the accumulator is not in local memory");
  if (!IsShared(b)) return No("b is not in shared memory");
  if (IsLocal(a) && Bits(dtype) != 16) return No("a from registers needs 16-bit elements");
  if (!IsLocal(a) && !IsShared(a)) return No("a is neither in shared nor in local memory");
  bool trans_a = Flag(*site.node, "trans_a"), trans_b = Flag(*site.node, "trans_b");
  if ((trans_a || !trans_b) && Bits(dtype) != 16)
    return No(absl::StrCat("operands of ", std::string(Name(dtype)), " must have k innermost"));
  if (trans_a && IsLocal(a)) return No("a from registers cannot be transposed");
  if (site.threads % 32 != 0) return No(absl::StrCat(site.threads, " threads are not whole warps"));
  auto m = ConstantExtent(c, 0), n = ConstantExtent(c, 1), k = ConstantExtent(a, trans_a ? 0 : 1);
  if (!m || !n || !k) return No("an extent is not constant");
  int64_t step = 256 / Bits(dtype);
  if (*k % step != 0) return No(absl::StrCat("k = ", *k, " is not a multiple of ", step));
  if (!MmaWarpGrid(*m, *n, site.threads / 32, site.gemm.rows_in_warp))
    return No(absl::StrCat(*m, " x ", *n, " does not split into 16 x 8 tiles over ", site.threads / 32, " warps"));
  return Yes();
}

std::vector<LayoutWish> MmaLayouts(const OpSite& site) {
  int64_t m = *ConstantExtent(site.operands[0], 0), n = *ConstantExtent(site.operands[0], 1);
  WarpGrid grid = *MmaWarpGrid(m, n, site.threads / 32, site.gemm.rows_in_warp);
  std::optional<Distribution> a;
  if (IsLocal(site.operands[1])) a = MmaOperandA(m, *ConstantExtent(site.operands[1], 1), grid);
  return {MmaAccumulator(m, n, grid), a, std::nullopt};
}

Verdict MmaAccepts(const OpSite& site) {
  auto wanted = MmaLayouts(site);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i].local) continue;
    const Operand& operand = site.operands[i];
    if (!operand.IsWhole()) return No(absl::StrCat("operand ", i + 1, " is a part of a register tile"));
    if (operand.tensor->distribution != wanted[i].local)
      return No(absl::StrCat("operand ", i + 1, " has layout ",
                             operand.tensor->distribution ? LayoutText(*operand.tensor->distribution) : "none",
                             ", expected ", LayoutText(*wanted[i].local)));
  }
  for (size_t i = 1; i < 3; ++i) {
    const Operand& operand = site.operands[i];
    if (IsLocal(operand)) continue;
    std::string why;
    int64_t sixteen_bytes = 128 / Bits(operand.tensor->dtype);
    if (VectorWidth(operand, sixteen_bytes, site.facts, &why) < sixteen_bytes)
      return No(absl::StrCat("ldmatrix reads rows of 16 B of operand ", i + 1, ": ", why));
  }
  return Yes();
}

Verdict FmaApplies(const OpSite& site) {
  const Operand& c = site.operands[0];
  if (!IsLocal(c)) return No("the accumulator is not in local memory");
  if (!ConstantExtent(c, 0) || !ConstantExtent(c, 1)) return No("an extent is not constant");
  if (IsLocal(site.operands[1]) && IsLocal(site.operands[2])) return No("both operands are in registers");
  return Yes();
}

std::vector<LayoutWish> FmaLayouts(const OpSite& site) {
  return {FmaAccumulator(*ConstantExtent(site.operands[0], 0), *ConstantExtent(site.operands[0], 1), site.threads),
          std::nullopt, std::nullopt};
}

// --- reductions; the operand is operands[1], a local tile whose distribution the value follows

Verdict Reduces(const OpSite&) { return Yes(); }

// The furthest threads that take part: 1 = none but the own, 32 = lanes of the warp, more = other warps.
int64_t Reach(const OpSite& site) {
  if (site.operands.size() < 2 || !site.operands[1].tensor->distribution) return 1024;
  const Distribution& d = *site.operands[1].tensor->distribution;
  int64_t reach = 1;
  for (size_t dim = 0; dim < d.dims.size(); ++dim) {
    if (site.axis >= 0 && static_cast<size_t>(site.axis) != dim) continue;
    for (const Digit& digit : d.dims[dim]) {
      if (digit.axis == DigitAxis::kSlot) continue;
      int64_t span = digit.axis == DigitAxis::kWarp ? 1024 : digit.stride * digit.extent;
      reach = std::max(reach, span);
    }
  }
  return reach;
}

Verdict WithinThread(const OpSite& site) {
  if (site.team == Team::kThread) return Yes();
  return Reach(site) == 1 ? Yes() : No("the reduced elements lie in several threads");
}

Verdict WithinWarp(const OpSite& site) {
  return Reach(site) <= 32 ? Yes() : No("the reduced elements lie in several warps");
}

// --- permute_layout

Verdict PermutesTiles(const OpSite& site) {
  if (site.operands.size() != 2) return No("the source is an expression");
  for (size_t i = 0; i < 2; ++i) {
    const Operand& operand = site.operands[i];
    if (!IsLocal(operand) || !operand.IsWhole())
      return No(absl::StrCat("operand ", i + 1, " is no whole register tile"));
  }
  return SameDType(site);
}

Verdict SameDistribution(const OpSite& site) {
  return site.operands[0].tensor->distribution == site.operands[1].tensor->distribution
             ? Yes()
             : No("the elements lie in other threads or registers");
}

// --- rows by an index tile, atomics

Verdict RowsInMemory(const OpSite& site) {
  const bool gathers = site.op == TileOpKind::kGather;
  const Operand &table = site.operands[gathers ? 1 : 0], &index = site.operands[gathers ? 2 : 1];
  if (IsLocal(table)) return No(absl::StrCat("the table ", table.tensor->name, " is in registers"));
  if (IsLocal(index))
    return No(
        absl::StrCat("the index tile ", index.tensor->name, " is in registers; name it in global or shared memory"));
  return Yes();
}

bool HasAtomics(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || (IsInteger(dtype) && Bits(dtype) >= 32);
}

Verdict AtomicIn(const OpSite& site, bool has, const char* operation) {
  if (!has) return No(absl::StrCat("no atomic ", operation, " of ", std::string(Name(site.operands[0].tensor->dtype))));
  return site.operands[0].tensor->space == ir::Space::kGlobal ? Yes() : No("the destination is not in global memory");
}

Verdict AddsAtomically(const OpSite& site) {
  DType dtype = site.operands[0].tensor->dtype;
  return AtomicIn(site, HasAtomics(dtype) || dtype == DType::kF16 || dtype == DType::kBF16, "addition");
}

Verdict BoundsAtomically(const OpSite& site) {
  const bool max = site.op == TileOpKind::kAtomicMax;
  return AtomicIn(site, HasAtomics(site.operands[0].tensor->dtype), max ? "maximum" : "minimum");
}

std::vector<Rule> MakeRules() {
  std::vector<Rule> rules = {
#define KILN_RULE(name, function, op, feature, priority, applies, layouts, accepts, doc) \
  Rule{name, TileOpKind::op, feature, priority, applies, layouts, accepts, doc},
#include "compiler/rules/rules_cuda.inc"
#undef KILN_RULE
  };
  std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) {
    if (a.op != b.op) return a.op < b.op;
    return a.priority != b.priority ? a.priority > b.priority : a.name < b.name;
  });
  return rules;
}

}  // namespace

absl::Span<const Rule> CudaRules() {
  static const std::vector<Rule>* const rules = new std::vector<Rule>(MakeRules());
  return *rules;
}

bool Flag(const Node& op, std::string_view name, bool absent) {
  Expr value = FindAttr(op, name);
  return value ? value->kind == ExprKind::kBool && value->int_value != 0 : absent;
}

}  // namespace kiln
