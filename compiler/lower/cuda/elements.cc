#include "compiler/lower/cuda/elements.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/print.h"
#include "compiler/rules/site.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln::cuda {
namespace {

// The run that ends a distribution's last dimension: slots side by side.
int64_t InnerRun(const Distribution& distribution) {
  if (distribution.dims.empty() || distribution.dims.back().empty()) return 1;
  const Digit& last = distribution.dims.back().back();
  return last.axis == DigitAxis::kSlot && last.weight == 1 && last.stride == 1 ? last.extent : 1;
}

// A reference's coordinates where those of the statement, whose domain is `shape`, are `coords`: zero along broadcast
// extents. A domain of extent 1 may lie over threads of which all but the first hold pad, so it is no broadcast. A
// reference of fewer dimensions has the last ones.
std::vector<Expr> LeafCoords(const Type& type, const std::vector<Expr>& coords, const std::vector<Expr>& shape) {
  const size_t lead = coords.size() - std::min(coords.size(), type.shape.size());
  std::vector<Expr> out(coords.begin() + static_cast<std::ptrdiff_t>(lead), coords.end());
  for (size_t d = 0; d < out.size(); ++d)
    if (IsConst(type.shape[d], 1) && !IsConst(shape[lead + d], 1)) out[d] = I(0);
  return out;
}

std::optional<std::vector<int64_t>> Constants(const std::vector<Expr>& shape) {
  std::vector<int64_t> out;
  for (const Expr& e : shape) {
    int64_t v;
    if (!IsConst(e, &v)) return std::nullopt;
    out.push_back(v);
  }
  return out;
}

}  // namespace

absl::StatusOr<Spread> SpreadOf(Lowering& lower, const Operand* target, const Expr& value,
                                const std::vector<Expr>& shape) {
  Spread spread;
  spread.shape = shape;
  if (target && target->tensor->space == ir::Space::kLocal && target->tensor->distribution && target->IsWhole()) {
    spread.distribution = *target->tensor->distribution;
  } else if (Expr leaf = PrimaryLeaf(value, shape, lower.tensors())) {
    spread.distribution = *lower.tensors().at(leaf->name).distribution;
  } else {
    auto constant = Constants(shape);
    if (!constant)
      return absl::UnimplementedError(absl::StrCat("lower: `", ir::Print(value),
                                                   "`: expected a tile of constant extents; make its symbols static"));
    int64_t vector = 16;
    bool bound = false;
    auto narrow = [&](const Operand& operand) {
      if (operand.tensor->space == ir::Space::kLocal || operand.dims.size() != shape.size() || operand.dims.empty() ||
          operand.dims.back().root < 0)
        return;
      vector = std::min(
          vector, VectorWidth(operand, lower.target().vector_bytes * 8 / Bits(operand.tensor->dtype), lower.facts));
      bound = true;
    };
    if (target) narrow(*target);
    for (const Expr& reference : LeavesOf(value)) {
      KILN_ASSIGN_OR_RETURN(Operand operand, ResolveOperand(reference, lower.tensors()));
      narrow(operand);
    }
    spread.distribution = RowMajorDistribution(*constant, lower.threads(), bound ? vector : 1);
  }
  spread.width = InnerRun(spread.distribution);
  // A run is in range as a whole, or taken an element at a time.
  if (!shape.empty() && spread.width > 1) {
    int64_t divisor = DivisorOf(shape.back(), lower.facts);
    while (spread.width > 1 && divisor % spread.width != 0) spread.width /= 2;
  }
  return spread;
}

void ForEachRun(Lowering& lower, const Spread& spread, bool once, absl::FunctionRef<void(const Run&)> body) {
  Run run;
  run.width = spread.width;
  run.shape = spread.shape;
  run.coords.assign(spread.shape.size(), I(0));
  Expr alone;
  if (once) {
    for (const Digit& digit : spread.distribution.replicas) {
      Expr first = WithType(Binary(Op::kEq, DigitValue(digit, lower.facts), I(0)), {DType::kBool});
      alone = Both(alone, first);
    }
  }
  struct Loop {
    size_t dim;
    Digit digit;
    int64_t trips;
    int64_t step;
  };
  std::vector<Loop> loops;
  for (size_t d = 0; d < spread.distribution.dims.size(); ++d) {
    const auto& digits = spread.distribution.dims[d];
    for (size_t i = 0; i < digits.size(); ++i) {
      const Digit& digit = digits[i];
      if (digit.axis != DigitAxis::kSlot) {
        run.coords[d] = AddI(run.coords[d], MulI(DigitValue(digit, lower.facts), digit.weight));
        continue;
      }
      bool inner =
          d + 1 == spread.distribution.dims.size() && i + 1 == digits.size() && digit.weight == 1 && digit.stride == 1;
      int64_t step = inner ? spread.width : 1;
      if (digit.extent / step > 1) loops.push_back({d, digit, digit.extent / step, step});
    }
  }
  auto emit = [&](auto&& self, size_t next) -> void {
    if (next < loops.size()) {
      const Loop& loop = loops[next];
      Expr saved = run.coords[loop.dim];
      lower.Unroll(loop.dim + 1 == run.coords.size() ? "j" : "i", loop.trips, [&](Expr v) {
        run.coords[loop.dim] = AddI(saved, MulI(v, loop.digit.weight * loop.step));
        self(self, next + 1);
      });
      run.coords[loop.dim] = saved;
      return;
    }
    Run here = run;
    Expr inside;
    std::vector<int64_t> padded = spread.distribution.Padded();
    for (size_t d = 0; d < here.coords.size(); ++d) {
      here.coords[d] = lower.Simple(here.coords[d]);
      Expr in_domain = lower.Simple(LessI(here.coords[d], spread.shape[d]));
      if (in_domain->kind != ExprKind::kBool) inside = Both(inside, in_domain);
    }
    lower.When(inside, [&] { body(here); });
  };
  lower.When(alone, [&] { emit(emit, 0); });
}

absl::StatusOr<RunValue> RunValue::Make(Lowering& lower, const Expr& value, const Run& run) {
  RunValue out;
  out.value_ = value;
  out.run_ = run;
  for (const Expr& reference : LeavesOf(value)) {
    bool known = std::any_of(out.leaves_.begin(), out.leaves_.end(),
                             [&](const Leaf& l) { return Equal(l.reference, reference); });
    if (known) continue;
    Leaf leaf;
    leaf.reference = reference;
    KILN_ASSIGN_OR_RETURN(leaf.operand, ResolveOperand(reference, lower.tensors()));
    const TensorInfo& tensor = *leaf.operand.tensor;
    if (tensor.space == ir::Space::kLocal) {
      out.leaves_.push_back(std::move(leaf));
      continue;
    }
    const std::vector<Expr> coords = LeafCoords(reference->type, run.coords, run.shape);
    leaf.same =
        leaf.operand.dims.empty() || IsConst(reference->type.shape.back(), 1) || leaf.operand.dims.back().root < 0;
    const int64_t count = leaf.same ? 1 : run.width;
    Expr source = TensorVar(tensor.name, tensor.dtype);
    leaf.registers = lower.Registers(absl::StrCat(tensor.name, "_v"), tensor.dtype, count);
    Expr zero = WithType(IsFloat(tensor.dtype) ? Float(0) : Int(0, tensor.dtype),
                         {IsFloat(tensor.dtype) ? DType::kF32 : tensor.dtype});
    if (zero->type.dtype != tensor.dtype) zero = WithType(Cast({tensor.dtype, ""}, zero), {tensor.dtype});
    auto clear = [&](int64_t n) {
      lower.Unroll("z", n, [&](Expr v) { lower.Add(ir::Store(leaf.registers, v, zero)); });
    };
    const bool vector = count > 1 && VectorWidth(leaf.operand, count, lower.facts) == count;
    if (vector || count == 1) {
      Expr address = AddressOf(leaf.operand, coords, lower.facts);
      lower.When(
          lower.Guard(leaf.operand, coords),
          [&] { lower.Add(ir::Store(leaf.registers, I(0), Element(source, address, static_cast<int>(count)))); },
          [&] { clear(count); });
    } else {
      lower.Unroll("v", count, [&](Expr v) {
        std::vector<Expr> at = coords;
        at.back() = AddI(at.back(), v);
        Expr address = AddressOf(leaf.operand, at, lower.facts);
        lower.When(
            lower.Guard(leaf.operand, at), [&] { lower.Add(ir::Store(leaf.registers, v, Element(source, address))); },
            [&] { lower.Add(ir::Store(leaf.registers, v, zero)); });
      });
    }
    out.leaves_.push_back(std::move(leaf));
  }
  return out;
}

absl::StatusOr<Expr> RunValue::At(Lowering& lower, const Expr& v) const {
  std::vector<Expr> coords = run_.coords;
  if (!coords.empty()) coords.back() = lower.Simple(AddI(coords.back(), v));
  absl::Status failed;
  auto scalar = [&](auto&& self, const Expr& e) -> Expr {
    if (!e->type.tile) return e;
    if (e->kind == ExprKind::kIndex)
      return lower.Simple(IsConst(e->type.shape[e->int_value], 1) ? I(0) : coords[e->int_value]);
    for (const Leaf& leaf : leaves_) {
      if (!Equal(leaf.reference, e)) continue;
      if (leaf.registers) return Element(leaf.registers, leaf.same ? I(0) : v);
      const TensorInfo& tensor = *leaf.operand.tensor;
      std::vector<Expr> index = RootIndices(leaf.operand, LeafCoords(e->type, coords, run_.shape), lower.facts);
      Expr slot = SlotOf(*tensor.distribution, index, lower.facts);
      if (!slot) {
        failed = absl::InternalError(
            absl::StrCat("lower: `", ir::Print(e), "` is held by other threads than those that need it"));
        return e;
      }
      return Element(TensorVar(tensor.name, tensor.dtype), slot);
    }
    Expr node = MapChildren(e, [&](const Expr& child) { return child ? self(self, child) : child; });
    return WithType(node, {e->type.dtype});
  };
  Expr out = scalar(scalar, value_);
  if (!failed.ok()) return failed;
  return out;
}

namespace {

// Coordinates of any one of `spread`'s elements as its thread sees them: slot digits are unknowns within their extents.
std::vector<Expr> SymbolicCoords(const Spread& spread, Facts& facts) {
  std::vector<Expr> coords(spread.shape.size(), I(0));
  for (size_t d = 0; d < spread.distribution.dims.size(); ++d) {
    int slot = 0;
    for (const Digit& digit : spread.distribution.dims[d]) {
      Expr value;
      if (digit.axis == DigitAxis::kSlot) {
        std::string name = absl::StrCat("?", d, ".", slot++);
        facts[name] = {0, digit.extent - 1, 1};
        value = Var(name, IndexType());
      } else {
        value = DigitValue(digit, facts);
      }
      coords[d] = AddI(coords[d], MulI(value, digit.weight));
    }
  }
  return coords;
}

Spread SpreadOfTile(const TensorInfo& tile) {
  Spread spread;
  spread.distribution = *tile.distribution;
  spread.shape = tile.shape;
  return spread;
}

// Where the running warpgroup's part of a scratch for its own tile begins.
Expr OwnScratch(const Lowering& lower, const TensorInfo& tile) {
  constexpr int64_t kWarpgroup = 128;
  if (tile.owner != Team::kWarpgroup || lower.threads() <= kWarpgroup) return I(0);
  Expr elements = I(1);
  for (const Expr& extent : tile.shape) elements = WithType(elements * extent, IndexType());
  Expr warpgroup = WithType(FloorDiv(Var("thread_id", IndexType()), I(kWarpgroup)), IndexType());
  return WithType(warpgroup * elements, IndexType());
}

Expr FlatIndex(const Lowering& lower, const TensorInfo& tile, const std::vector<Expr>& coords) {
  Expr flat = I(0);
  for (size_t d = 0; d < coords.size(); ++d) flat = AddI(WithType(flat * tile.shape[d], IndexType()), coords[d]);
  return lower.Simple(AddI(flat, OwnScratch(lower, tile)));
}

}  // namespace

absl::StatusOr<Expr> SpillTile(Lowering& lower, const TensorInfo& tile) {
  int64_t elements = 1;
  for (const Expr& extent : tile.shape) {
    int64_t value;
    KILN_CHECK(IsConst(extent, &value), tile.name);
    elements *= value;
  }
  const bool shared_out = tile.owner == Team::kWarpgroup && lower.threads() > 128;
  Expr scratch = lower.Scratch(tile.dtype, shared_out ? elements * (lower.threads() / 128) : elements);
  if (lower.barriers.NeedsBeforeWrite(scratch->name)) lower.SyncNow();
  absl::Status status;
  ForEachRun(lower, SpreadOfTile(tile), /*once=*/true, [&](const Run& run) {
    Expr slot = SlotOf(*tile.distribution, run.coords, lower.facts);
    if (!slot) {
      status = absl::InternalError(absl::StrCat("lower: tile ", tile.name, " does not find its own elements"));
      return;
    }
    lower.Add(ir::Store(scratch, FlatIndex(lower, tile, run.coords), Element(TensorVar(tile.name, tile.dtype), slot)));
  });
  KILN_RETURN_IF_ERROR(status);
  lower.SyncNow();
  lower.barriers.Read(scratch->name);
  return scratch;
}

absl::StatusOr<const TensorInfo*> MoveTile(Lowering& lower, const TensorInfo& tile, const Distribution& to) {
  KILN_ASSIGN_OR_RETURN(Expr scratch, SpillTile(lower, tile));
  const TensorInfo& moved = lower.NewTile(tile.name + "_moved", tile.dtype, tile.shape, to, tile.owner);
  ForEachRun(lower, SpreadOfTile(moved), /*once=*/false, [&](const Run& run) {
    Expr slot = SlotOf(to, run.coords, lower.facts);
    if (slot)
      lower.Add(
          ir::Store(TensorVar(moved.name, moved.dtype), slot, Element(scratch, FlatIndex(lower, moved, run.coords))));
  });
  return &moved;
}

absl::StatusOr<Expr> MoveLeaves(Lowering& lower, const Expr& value, const Spread& spread) {
  Facts facts = lower.facts;
  const std::vector<Expr> coords = SymbolicCoords(spread, facts);
  Substitution moved;
  for (const Expr& reference : LeavesOf(value)) {
    KILN_ASSIGN_OR_RETURN(Operand operand, ResolveOperand(reference, lower.tensors()));
    const TensorInfo& tensor = *operand.tensor;
    if (tensor.space != ir::Space::kLocal || moved.count(tensor.name)) continue;
    if (SlotOf(*tensor.distribution, RootIndices(operand, LeafCoords(reference->type, coords, spread.shape), facts),
               facts))
      continue;
    std::optional<Distribution> wanted = DistributionFor(operand, spread.distribution);
    if (!wanted)
      return absl::UnimplementedError(absl::StrCat(
          "lower: `", ir::Print(reference), "` takes a part of a register tile that lies in other threads: copy ",
          tensor.name, " through a shared tile"));
    lower.Add(ir::Comment(absl::StrCat("permute_layout of ", tensor.name, "  [shared]")));
    KILN_ASSIGN_OR_RETURN(const TensorInfo* tile, MoveTile(lower, tensor, *wanted));
    moved[tensor.name] = Var(tile->name, {tile->dtype, 1, true, tile->shape});
  }
  return moved.empty() ? value : Substitute(value, moved);
}

namespace {

// `start + extent <= limit` for each dimension that facts leave open; `columns` tells of one along the vectors.
Expr WholeInside(const Lowering& lower, const Operand& operand, bool* columns) {
  Expr all;
  if (operand.tensor->space == ir::Space::kLocal) return all;
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    const OperandDim& dim = operand.dims[d];
    if (dim.root < 0) continue;
    for (const Expr& bound :
         {Binary(Op::kLe, AddI(dim.start, dim.extent), dim.limit), Binary(Op::kGe, dim.start, I(0))}) {
      Expr within = lower.Simple(WithType(bound, {DType::kBool}));
      if (within->kind == ExprKind::kBool && within->int_value) continue;
      all = Both(all, within);
      *columns |= d + 1 == operand.dims.size();
    }
  }
  return all;
}

}  // namespace

absl::Status SplitEdges(Lowering& lower, const Operand* target, const Expr& value,
                        absl::FunctionRef<absl::Status()> emit) {
  std::vector<Operand> operands;
  if (target) operands.push_back(*target);
  for (const Expr& reference : LeavesOf(value)) {
    KILN_ASSIGN_OR_RETURN(Operand operand, ResolveOperand(reference, lower.tensors()));
    operands.push_back(std::move(operand));
  }
  bool columns = false;
  std::vector<Expr> conditions;
  for (const Operand& operand : operands) {
    Expr inside = WholeInside(lower, operand, &columns);
    bool known =
        !inside || std::any_of(conditions.begin(), conditions.end(), [&](const Expr& c) { return Equal(c, inside); });
    if (!known) conditions.push_back(inside);
  }
  if (!columns) return emit();
  Expr all;
  for (const Expr& condition : conditions) all = Both(all, condition);
  absl::Status whole, edge;
  lower.When(
      all,
      [&] {
        lower.inside = true;
        whole = emit();
        lower.inside = false;
      },
      [&] { edge = emit(); });
  return whole.ok() ? edge : whole;
}

absl::Status SyncReads(Lowering& lower, const Expr& value) {
  for (const Expr& reference : LeavesOf(value)) {
    KILN_ASSIGN_OR_RETURN(Operand operand, ResolveOperand(reference, lower.tensors()));
    lower.SyncBeforeRead(operand);
  }
  return absl::OkStatus();
}

}  // namespace kiln::cuda
