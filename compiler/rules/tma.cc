#include "compiler/rules/tma.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/ir/print.h"
#include "compiler/layout/layout.h"
#include "compiler/rules/matrix_layout.h"

namespace kiln {
namespace {

constexpr int64_t kMaxBox = 256;  // Elements along a dimension
constexpr size_t kMaxRank = 5;

bool IsShared(const Operand& operand) {
  return operand.tensor->space == ir::Space::kShared || operand.tensor->space == ir::Space::kSharedDyn;
}

// Loads have the tile first, stores second.
const Operand& SharedOf(const OpSite& site) { return IsShared(site.operands[0]) ? site.operands[0] : site.operands[1]; }
const Operand& GlobalOf(const OpSite& site) { return IsShared(site.operands[0]) ? site.operands[1] : site.operands[0]; }

std::optional<std::vector<int64_t>> ConstantShape(const std::vector<Expr>& shape) {
  std::vector<int64_t> out;
  for (const Expr& extent : shape) {
    int64_t value;
    if (!IsConst(extent, &value)) return std::nullopt;
    out.push_back(value);
  }
  return out;
}

// Row-major without a swizzle, for tiles whose rows have no span.
std::string PlainLayout(const std::vector<int64_t>& shape) {
  auto rows = layout::TileLayout::RowMajor(layout::ToShape(shape));
  return rows.ok() ? layout::ToString(*rows) : "";
}

std::string LayoutOf(const std::vector<int64_t>& shape, DType dtype) {
  std::string swizzled = MatrixLayout(shape, dtype);
  return swizzled.empty() ? PlainLayout(shape) : swizzled;
}

Verdict ConfigApplies(const OpSite& site) {
  for (const Attr& setting : site.node->tile.via_config) {
    if (setting.name != "multicast") return No(absl::StrCat("tma has no setting ", setting.name, "; it has multicast"));
    int64_t mask = 0;
    const bool all = setting.value->kind == ExprKind::kVar && setting.value->name == "all";
    if (!all && (!IsConst(setting.value, &mask) || mask < 1))
      return No("multicast takes `all` or a constant mask of the cluster's CTAs");
    if (!IsShared(site.operands[0])) return No("a store is not multicast");
    if (!site.operands[0].tensor->across_cluster)
      return No(absl::StrCat("a multicast fills slots of every CTA: ring ", site.operands[0].tensor->ring,
                             " is not declared `across cluster`"));
  }
  return Yes();
}

}  // namespace

Verdict TmaTakes(const TensorInfo& global, const Facts& facts) {
  const int64_t bits = Bits(global.dtype);
  if (bits < 8) return No(absl::StrCat("elements of ", bits, " bits"));
  if (global.shape.empty() || global.shape.size() > kMaxRank)
    return No(absl::StrCat(global.name, " has ", global.shape.size(), " dimensions, a tensor map 1 to ", kMaxRank));
  if (global.align % 16 != 0)
    return No(absl::StrCat("the base of ", global.name, " is aligned to ", global.align, " B, expected 16"));
  if (!IsConst(global.strides.back(), 1)) return No(absl::StrCat("the inner stride of ", global.name, " is not 1"));
  for (size_t d = 0; d + 1 < global.strides.size(); ++d)
    if (DivisorOf(global.strides[d], facts) % (128 / bits) != 0)
      return No(absl::StrCat("stride ", d, " of ", global.name, ", ", ir::Print(global.strides[d]),
                             ", is not a multiple of 16 B"));
  return Yes();
}

std::optional<TmaBoxes> BoxesOf(const Operand& shared, const Facts& facts, std::string* why) {
  const TensorInfo& tensor = *shared.tensor;
  auto no = [&](std::string reason) {
    *why = absl::StrCat(tensor.name, ": ", reason);
    return std::nullopt;
  };
  auto shape = ConstantShape(tensor.shape);
  if (!shape || shape->empty()) return no("an extent is not constant");
  std::vector<int64_t> tile;
  for (const OperandDim& dim : shared.dims) {
    int64_t extent;
    if (dim.root < 0 || !IsConst(dim.extent, &extent)) return no("an extent is not constant");
    if (!tile.empty() && dim.root < shared.dims[tile.size() - 1].root) return no("its dimensions are permuted");
    tile.push_back(extent);
  }
  if (tile.empty() || shared.dims.back().root + 1 != static_cast<int>(shape->size()))
    return no("the tile is read across its inner dimension");
  const std::string found = tensor.layout ? layout::ToString(*tensor.layout) : "none";
  const std::string expected = LayoutOf(*shape, tensor.dtype);
  if (found != expected) return no(absl::StrCat("layout ", found, ", expected ", expected));
  TmaBoxes out;
  out.swizzle =
      static_cast<int>(MatrixLayout(*shape, tensor.dtype).empty() ? 0 : SwizzleSpan(shape->back(), tensor.dtype));
  out.columns = out.swizzle ? out.swizzle * 8 / Bits(tensor.dtype) : shape->back();
  out.rows = tile.size() > 1 ? std::min(tile[tile.size() - 2], kMaxBox) : 1;
  if (tile.size() > 1 && tile[tile.size() - 2] % out.rows != 0)
    return no(absl::StrCat(tile[tile.size() - 2], " rows are not whole boxes of ", out.rows));
  if (out.columns > kMaxBox || Bytes(tensor.dtype, out.columns) % 16 != 0)
    return no(absl::StrCat("rows of ", out.columns, " elements: expected at most ", kMaxBox, ", a multiple of 16 B"));
  if (tile.back() % out.columns != 0 || DivisorOf(shared.dims.back().start, facts) % out.columns != 0)
    return no(absl::StrCat(tile.back(), " columns are not whole boxes of ", out.columns));
  if (tile.size() > 1 && out.swizzle && DivisorOf(shared.dims[tile.size() - 2].start, facts) % 8 != 0)
    return no("its first row is not a multiple of 8");
  return out;
}

std::optional<int64_t> MulticastOf(const Node& op, int64_t ctas) {
  for (const Attr& setting : op.tile.via_config) {
    int64_t mask = (int64_t{1} << ctas) - 1;
    IsConst(setting.value, &mask);
    return mask;
  }
  return std::nullopt;
}

Verdict TmaApplies(const OpSite& site) {
  const Operand &to = site.operands[0], &from = site.operands[1];
  if (IsShared(to) == IsShared(from)) return No("the engine copies between global and shared memory");
  if (GlobalOf(site).tensor->space != ir::Space::kGlobal) return No("one side is in registers");
  if (to.tensor->dtype != from.tensor->dtype)
    return No(absl::StrCat("dtypes differ: ", std::string(Name(to.tensor->dtype)), " and ",
                           std::string(Name(from.tensor->dtype))));
  if (IsShared(to) && to.tensor->ring.empty())
    return No(absl::StrCat(to.tensor->name, " is no field of a ring: nothing would tell when it has landed"));
  if (IsShared(to) && site.team != Team::kThread)
    return No("a load into a ring is issued by one thread: thread.copy_async");
  if (Verdict config = ConfigApplies(site); !config.yes) return config;
  if (FindAttr(*site.node, "fill")) return No("what lies outside of the tensor reads as zero");
  return TmaTakes(*GlobalOf(site).tensor, site.facts);
}

std::vector<LayoutWish> TmaLayouts(const OpSite& site) {
  std::vector<LayoutWish> out(2);
  const Operand& shared = SharedOf(site);
  if (auto shape = ConstantShape(shared.tensor->shape))
    out[IsShared(site.operands[0]) ? 0 : 1] = LayoutWish::Shared(LayoutOf(*shape, shared.tensor->dtype));
  return out;
}

Verdict TmaAccepts(const OpSite& site) {
  const Operand &shared = SharedOf(site), &global = GlobalOf(site);
  std::string why;
  if (!BoxesOf(shared, site.facts, &why)) return No(why);
  int last = -1;
  for (const OperandDim& dim : global.dims) {
    if (dim.root <= last) return No(absl::StrCat(global.tensor->name, ": its dimensions are permuted or broadcast"));
    last = dim.root;
    if (!Equal(dim.limit, global.tensor->shape[static_cast<size_t>(dim.root)]))
      return No(absl::StrCat(global.tensor->name, ": a view ends at ", ir::Print(dim.limit),
                             "; the engine knows no end but the tensor's"));
  }
  if (last + 1 != static_cast<int>(global.tensor->shape.size()))
    return No(absl::StrCat(global.tensor->name, ": the slice is read across its inner dimension"));
  return Yes();
}

}  // namespace kiln
