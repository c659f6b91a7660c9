#include "compiler/rules/operand.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/ir/print.h"
#include "compiler/ir/visit.h"
#include "compiler/layout/parse.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

const Type& IndexType() {
  static const Type* const type = new Type{DType::kI64};
  return *type;
}
Expr I(int64_t v) { return WithType(Int(v), IndexType()); }
Expr T(Expr e) { return WithType(std::move(e), IndexType()); }

absl::StatusOr<TensorInfo> InfoOfAlloc(const ir::TensorDecl& decl) {
  TensorInfo info;
  info.name = decl.name;
  info.space = decl.space;
  info.dtype = decl.dtype.dtype;
  info.shape = decl.shape;
  info.owner = decl.owner;
  if (decl.layout.empty()) return info;
  if (decl.space != ir::Space::kLocal) {
    KILN_ASSIGN_OR_RETURN(layout::Layout parsed, layout::Parse(decl.layout));
    info.layout = std::move(parsed);
    return info;
  }
  std::vector<int64_t> padded = decl.padded;
  if (padded.empty()) {
    for (const Expr& extent : decl.shape) {
      int64_t value;
      if (!IsConst(extent, &value))
        return absl::InvalidArgumentError(absl::StrCat(
            "infer: tile ", decl.name, ": expected constant extents in local memory, found ", ir::Print(extent)));
      padded.push_back(value);
    }
  }
  KILN_ASSIGN_OR_RETURN(Distribution distribution, ParseDistribution(decl.layout, padded));
  info.distribution = std::move(distribution);
  return info;
}

// Where the coordinates of one flat, row-major index come from: a shard digit of the shared layout.
Expr SharedAddress(const layout::Layout& layout, const std::vector<Expr>& index, const std::vector<Expr>& shape,
                   const Facts& facts) {
  const layout::TileLayout& tile = layout.base();
  Expr flat = I(0);
  for (size_t d = 0; d < index.size(); ++d) flat = T(T(flat * shape[d]) + index[d]);
  Expr address = I(tile.offset(layout::Axis::kM).constant());
  int64_t weight = 1;
  const auto& shard = tile.shard();
  for (size_t i = shard.size(); i-- > 0;) {
    int64_t extent = shard[i].extent.constant(), stride = shard[i].stride.constant();
    Expr digit = T(FloorDiv(flat, I(weight)));
    if (i != 0) digit = T(Mod(digit, I(extent)));
    address = T(T(digit * I(stride)) + address);
    weight *= extent;
  }
  address = Simplify(address, facts);
  const layout::SwizzledLayout* swizzled = layout.swizzled_if();
  if (!swizzled) return address;
  // x ^ ((x >> (M + S) & mask) << M): the row bits fold onto the 16-byte chunk.
  const layout::Swizzle& s = swizzled->swizzle();
  int64_t unit = int64_t{1} << s.per_element;
  Expr row = T(Mod(T(FloorDiv(address, I(unit << s.atom_len))), I(int64_t{1} << s.swizzle_len)));
  Expr bits = Simplify(T(row * I(unit)), facts);
  // Only the bits of a chunk's place in its line change: what lies above them stays outside, where neighbours share it.
  const int64_t line = unit << s.swizzle_len;
  Expr low = Simplify(T(Mod(address, I(line))), facts);
  if (low->kind == ExprKind::kBinary && low->op == Op::kMod) return T(Binary(Op::kBitXor, address, bits));
  Expr high = Simplify(T(address - low), facts);
  return Simplify(T(high + T(Binary(Op::kBitXor, low, bits))), facts);
}

}  // namespace

absl::StatusOr<Tensors> TensorsOf(const ir::Kernel& kernel) {
  Tensors out;
  size_t next = 0;
  for (const ir::Param& param : kernel.params) {
    if (!param.is_tensor) continue;
    TensorInfo info;
    info.name = param.name;
    info.space = ir::Space::kGlobal;
    info.dtype = param.dtype.dtype;
    info.shape = param.shape;
    const ir::TensorFact& fact = kernel.tensor_facts.at(next++);
    info.strides = fact.strides;
    info.align = fact.align;
    out[param.name] = std::move(info);
  }
  absl::Status failed;
  std::map<std::string, const ir::StmtNode*> rings;  // By field
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& stmt) {
    if (stmt->kind == ir::StmtKind::kRing)
      for (const ir::Stmt& field : stmt->body) rings[field->tensor.name] = stmt.get();
    if (stmt->kind != ir::StmtKind::kAlloc || !failed.ok()) return;
    auto info = InfoOfAlloc(stmt->tensor);
    if (info.ok()) {
      if (auto ring = rings.find(stmt->tensor.name); ring != rings.end()) {
        info->ring = ring->second->name;
        info->across_cluster = ring->second->across_cluster;
      }
      out[stmt->tensor.name] = *std::move(info);
    } else {
      failed = info.status();
    }
  });
  if (!failed.ok()) return failed;
  return out;
}

bool Operand::IsWhole() const {
  if (dims.size() != tensor->shape.size()) return false;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].root != static_cast<int>(d) || !IsConst(dims[d].start, int64_t{0}) ||
        !Equal(dims[d].extent, tensor->shape[d]))
      return false;
  return true;
}

absl::StatusOr<Operand> ResolveOperand(const Expr& reference, const Tensors& tensors) {
  if (reference->kind == ExprKind::kVar) {
    auto it = tensors.find(reference->name);
    if (it == tensors.end()) return absl::InternalError(absl::StrCat("plan: `", reference->name, "` is no tensor"));
    Operand out;
    out.tensor = &it->second;
    for (size_t d = 0; d < it->second.shape.size(); ++d)
      out.dims.push_back({static_cast<int>(d), I(0), it->second.shape[d], it->second.shape[d]});
    out.index.resize(it->second.shape.size());
    return out;
  }
  if (reference->kind == ExprKind::kPermute) {
    KILN_ASSIGN_OR_RETURN(Operand base, ResolveOperand(reference->args[0], tensors));
    std::vector<OperandDim> dims;
    for (int64_t d : reference->ints) dims.push_back(base.dims[d]);
    base.dims = std::move(dims);
    return base;
  }
  if (reference->kind != ExprKind::kSubscript)
    return absl::UnimplementedError(absl::StrCat("plan: `", ir::Print(reference),
                                                 "`: expected a tensor, a slice or a permutation of one as operand"));
  KILN_ASSIGN_OR_RETURN(Operand base, ResolveOperand(reference->args[0], tensors));
  std::vector<OperandDim> dims;
  size_t next = 0;
  for (size_t i = 1; i < reference->args.size(); ++i) {
    const Expr& item = reference->args[i];
    if (item->kind == ExprKind::kNewAxis) {
      dims.push_back({-1, I(0), I(1), I(1)});
      continue;
    }
    OperandDim dim = base.dims[next++];
    if (item->kind == ExprKind::kFull) {
      dims.push_back(dim);
    } else if (item->kind == ExprKind::kSlice) {
      dim.start = T(dim.start + item->args[0]);
      dim.extent = item->args[1];
      if (item->args.size() > 2) dim.limit = T(Min(dim.limit, item->args[2]));
      dims.push_back(dim);
    } else if (dim.root >= 0) {
      base.index[dim.root] = T(dim.start + item);
    }
  }
  base.dims = std::move(dims);
  return base;
}

std::vector<Expr> RootIndices(const Operand& operand, const std::vector<Expr>& coords, const Facts& facts) {
  std::vector<Expr> index = operand.index;
  for (size_t d = 0; d < operand.dims.size(); ++d)
    if (operand.dims[d].root >= 0) index[operand.dims[d].root] = T(operand.dims[d].start + coords[d]);
  for (Expr& e : index) e = Simplify(e, facts);
  return index;
}

std::optional<Distribution> DistributionFor(const Operand& leaf, const Distribution& whole) {
  if (leaf.dims.size() != whole.dims.size()) return std::nullopt;
  int next = 0;
  for (const OperandDim& dim : leaf.dims)
    if (dim.root >= 0 && (dim.root != next++ || !IsConst(dim.start, int64_t{0}))) return std::nullopt;
  if (next != static_cast<int>(leaf.tensor->shape.size())) return std::nullopt;
  Distribution out = whole;
  for (size_t d = leaf.dims.size(); d-- > 0;)
    if (leaf.dims[d].root < 0) out = Reduced(out, static_cast<int64_t>(d));
  return out;
}

Expr AddressOf(const Operand& operand, const std::vector<Expr>& coords, const Facts& facts) {
  std::vector<Expr> index = RootIndices(operand, coords, facts);
  const TensorInfo& tensor = *operand.tensor;
  if (tensor.space != ir::Space::kGlobal && tensor.layout)
    return SharedAddress(*tensor.layout, index, tensor.shape, facts);
  Expr address = I(0);
  if (tensor.space == ir::Space::kGlobal) {
    for (size_t d = 0; d < index.size(); ++d) address = T(address + T(index[d] * tensor.strides[d]));
  } else {
    for (size_t d = 0; d < index.size(); ++d) address = T(T(address * tensor.shape[d]) + index[d]);
  }
  return Simplify(address, facts);
}

Expr GuardOf(const Operand& operand, const std::vector<Expr>& coords, const Facts& facts) {
  Expr guard;
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    const OperandDim& dim = operand.dims[d];
    if (dim.root < 0) continue;
    // Below zero is as far outside as past the end.
    const Expr at = T(dim.start + coords[d]);
    for (const Expr& bound : {Lt(at, dim.limit), Binary(Op::kGe, at, I(0))}) {
      Expr inside = Simplify(WithType(bound, {DType::kBool}), facts);
      if (inside->kind == ExprKind::kBool && inside->int_value) continue;
      guard = guard ? WithType(And(guard, inside), {DType::kBool}) : inside;
    }
  }
  return guard;
}

int64_t VectorWidth(const Operand& operand, int64_t most, const Facts& facts, std::string* why) {
  auto narrower = [&](int64_t width, std::string reason) {
    if (why && width < most) *why = std::move(reason);
    return width;
  };
  if (operand.dims.empty()) return narrower(1, "the operand is one element");
  const OperandDim& last = operand.dims.back();
  const TensorInfo& tensor = *operand.tensor;
  const int64_t bits = Bits(tensor.dtype);
  if (last.root < 0) return narrower(1, "the last dimension is broadcast");
  int64_t width = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
  std::string reason;
  auto limit = [&](int64_t divisor, const std::string& what) {
    while (width > 1 && divisor % width != 0) {
      width /= 2;
      reason = what;
    }
  };
  if (tensor.space == ir::Space::kGlobal) {
    if (!IsConst(tensor.strides[last.root], 1))
      return narrower(1, absl::StrCat("the inner stride of ", tensor.name, " is not 1"));
    limit(tensor.align * 8 / bits, absl::StrCat("the base of ", tensor.name, " is aligned to ", tensor.align, " B"));
    for (size_t r = 0; r < tensor.strides.size(); ++r) {
      if (static_cast<int>(r) == last.root) continue;
      limit(DivisorOf(tensor.strides[r], facts),
            absl::StrCat("stride ", r, " of ", tensor.name, ", ", ir::Print(tensor.strides[r]),
                         ", is not a multiple of the vector"));
    }
  } else if (tensor.layout) {
    if (const layout::SwizzledLayout* s = tensor.layout->swizzled_if())
      limit(int64_t{1} << s->swizzle().per_element, "the swizzle's unit is narrower");
    const auto& shard = tensor.layout->base().shard();
    if (shard.empty() || !shard.back().stride.Is(1)) return narrower(1, "the inner stride is not 1");
    limit(shard.back().extent.constant(), "the layout's inner run is shorter");
    limit(tensor.layout->base().offset(layout::Axis::kM).constant(),
          "the layout's offset is not a multiple of the vector");
    for (size_t i = 0; i + 1 < shard.size(); ++i)
      limit(shard[i].stride.constant(), "an outer stride is not a multiple of the vector");
    if (last.root + 1 != static_cast<int>(tensor.shape.size()))
      return narrower(1, "the tile is read across its inner dimension");
  } else {
    if (last.root + 1 != static_cast<int>(tensor.shape.size()))
      return narrower(1, "the tile is read across its inner dimension");
    limit(DivisorOf(tensor.shape.back(), facts), "the row is not a multiple of the vector");
  }
  limit(DivisorOf(Simplify(last.start, facts), facts),
        absl::StrCat("start ", ir::Print(last.start), " is not a multiple of the vector"));
  limit(DivisorOf(Simplify(last.limit, facts), facts),
        absl::StrCat("extent ", ir::Print(last.limit), " is not a multiple of the vector"));
  return narrower(width, reason);
}

}  // namespace kiln
