#include "compiler/lower/cuda/lowering.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/ir/visit.h"
#include "compiler/rules/site.h"
#include "compiler/specialize/bind.h"

namespace kiln::cuda {
namespace {

constexpr int64_t kWarp = 32;
constexpr int64_t kWarpgroupWarps = 4;
constexpr int64_t kLastBarrier = 15;  // Barrier 0 is the CTA's, 1 to 8 are warpgroups'

}  // namespace

Expr Element(const Expr& tensor, const Expr& index, int lanes) {
  return WithType(Load(tensor, index, lanes), {tensor->type.dtype, lanes});
}

Expr TensorVar(const std::string& name, DType dtype) {
  Type type{dtype};
  type.tile = true;
  return Var(name, type);
}

Expr Intrinsic(const std::string& name, std::vector<Expr> args) {
  return WithType(Call(name, std::move(args)), {DType::kBool});
}

void BarrierTracker::Join(const BarrierTracker& other) {
  read_.insert(other.read_.begin(), other.read_.end());
  written_.insert(other.written_.begin(), other.written_.end());
  in_flight_.insert(other.in_flight_.begin(), other.in_flight_.end());
  elements_read_.insert(other.elements_read_.begin(), other.elements_read_.end());
  elements_written_.insert(other.elements_written_.begin(), other.elements_written_.end());
}

Lowering::Lowering(const ir::Kernel& kernel, const Target& target, const Plan& plan, Tensors tensors)
    : facts(FactsOf(kernel)),
      kernel_(kernel),
      target_(target),
      plan_(plan),
      tensors_(std::move(tensors)),
      threads_(ThreadsOf(kernel)),
      blocks_{&top} {
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& s) { names_.insert(ir::DeclaredName(*s)); });
  for (const ir::Param& param : kernel.params) names_.insert(param.name);
  for (const ir::SymbolFact& fact : kernel.symbol_facts) names_.insert(fact.name);
}

ir::Block Lowering::Inside(absl::FunctionRef<void()> fill) {
  ir::Block block;
  blocks_.push_back(&block);
  fill();
  blocks_.pop_back();
  return block;
}

void Lowering::Unroll(const std::string& stem, int64_t extent, absl::FunctionRef<void(Expr)> body) {
  if (extent == 1) {
    body(I(0));
    return;
  }
  std::string name = Fresh(stem);
  facts[name] = {0, extent - 1, 1};
  ir::Block block = Inside([&] { body(Var(name, IndexType())); });
  Add(ir::For(name, I(0), I(extent), std::move(block), ir::LoopKind::kUnroll));
}

void Lowering::When(const Expr& condition, absl::FunctionRef<void()> body, absl::FunctionRef<void()> otherwise) {
  if (!condition) {
    body();
    return;
  }
  ir::Block then = Inside(body);
  ir::Block orelse = Inside(otherwise);
  Add(ir::If(condition, std::move(then), std::move(orelse)));
}

std::string Lowering::Fresh(const std::string& stem) {
  if (names_.insert(stem).second) return stem;
  for (int i = 1;; ++i) {
    std::string name = absl::StrCat(stem, "_", i);
    if (names_.insert(name).second) return name;
  }
}

Expr Lowering::Registers(const std::string& stem, DType dtype, int64_t slots) {
  ir::TensorDecl decl;
  decl.name = Fresh(stem);
  decl.dtype.dtype = dtype;
  decl.shape = {I(slots)};
  decl.space = ir::Space::kLocal;
  decl.owner = Team::kThread;
  Add(ir::Alloc(decl));
  return TensorVar(decl.name, dtype);
}

const TensorInfo& Lowering::NewTile(const std::string& stem, DType dtype, const std::vector<Expr>& shape,
                                    Distribution distribution, Team owner) {
  Expr registers = Registers(stem, dtype, distribution.Slots());
  TensorInfo info;
  info.name = registers->name;
  info.space = ir::Space::kLocal;
  info.dtype = dtype;
  info.shape = shape;
  info.owner = owner;
  info.distribution = std::move(distribution);
  return tensors_[info.name] = std::move(info);
}

Expr Lowering::Scratch(DType dtype, int64_t elements) {
  int64_t& size = scratch_[dtype];
  size = std::max(size, elements);
  return TensorVar(ScratchName(dtype), dtype);
}

ir::Block Lowering::Prologue() const {
  ir::Block out;
  for (const auto& [dtype, elements] : scratch_) {
    ir::TensorDecl decl;
    decl.name = ScratchName(dtype);
    decl.dtype.dtype = dtype;
    decl.shape = {I(elements)};
    decl.space = ir::Space::kSharedDyn;
    decl.align = 16;
    out.push_back(ir::Alloc(std::move(decl)));
  }
  return out;
}

std::vector<Expr> ProductGroups::Retire(size_t pending) {
  std::vector<Expr> retired;
  while (accumulators_.size() > pending) {
    Expr first = accumulators_.front();
    accumulators_.erase(accumulators_.begin());
    auto same = [&](const Expr& other) { return other->name == first->name; };
    if (std::none_of(accumulators_.begin(), accumulators_.end(), same) &&
        std::none_of(retired.begin(), retired.end(), same))
      retired.push_back(std::move(first));
  }
  return retired;
}

Expr Lowering::TensorMap(const TensorInfo& tensor, const std::vector<int64_t>& box, int swizzle) {
  for (const ir::NativeParam& map : tensor_maps_)
    if (map.tensor == tensor.name && map.box == box && map.swizzle == swizzle)
      return Var(map.name, {map.dtype, 1, true, {}});
  ir::NativeParam map;
  map.kind = ir::NativeParam::Kind::kTensorMap;
  map.name = Fresh(tensor.name + "_map");
  map.dtype = tensor.dtype;
  map.tensor = tensor.name;
  map.box = box;
  map.swizzle = swizzle;
  tensor_maps_.push_back(map);
  return Var(map.name, {map.dtype, 1, true, {}});
}

bool Lowering::IsPartOfCta(const Facts& known) const {
  const Bounds here = BoundsOf(Var("warp_id", IndexType()), known);
  return here.min > 0 || here.max < (threads_ - 1) / kWarp;
}

void Lowering::SyncNow() {
  if (!IsPartOfCta(facts)) return Sync(Team::kCta);
  const Bounds here = BoundsOf(Var("warp_id", IndexType()), facts);
  if (here.min == here.max) return Sync(Team::kWarp);
  if (here.min % kWarpgroupWarps == 0 && (here.max + 1) % kWarpgroupWarps == 0) return Sync(Team::kWarpgroup);
  Add(ir::Eval(Intrinsic("named_barrier", {I(kLastBarrier), I((here.max - here.min + 1) * kWarp)})));
  barriers.Barrier();
}

void Lowering::Sync(Team team) {
  switch (team) {
    case Team::kThread:
      return;
    case Team::kWarp:
      Add(ir::Eval(Intrinsic("warp_barrier", {})));
      return;
    case Team::kWarpgroup: {
      // Barrier 0 is the CTA's. An id is an immediate: one in a register takes all sixteen.
      const Bounds here = BoundsOf(Var("warp_id", IndexType()), facts);
      const int64_t first = here.min / kWarpgroupWarps, last = here.max / kWarpgroupWarps;
      Expr warpgroup = WithType(FloorDiv(Var("warp_id", IndexType()), I(kWarpgroupWarps)), IndexType());
      for (int64_t w = first; w <= last; ++w) {
        Expr ours = first == last ? nullptr : WithType(Binary(Op::kEq, warpgroup, I(w)), {DType::kBool});
        When(ours, [&] { Add(ir::Eval(Intrinsic("named_barrier", {I(w + 1), I(kWarpgroupWarps * kWarp)}))); });
      }
      break;
    }
    default:
      Add(ir::Eval(Intrinsic("barrier", {})));
      break;
  }
  barriers.Barrier();
}

void Lowering::SyncBeforeRead(const Operand& operand) {
  if (!IsShared(*operand.tensor)) return;
  if (barriers.NeedsBeforeRead(operand.tensor->name)) SyncNow();
  barriers.Read(operand.tensor->name);
}

void Lowering::SyncBeforeWrite(const Operand& operand) {
  if (!IsShared(*operand.tensor)) return;
  if (barriers.NeedsBeforeWrite(operand.tensor->name)) SyncNow();
  barriers.Write(operand.tensor->name);
}

Expr Lowering::Guard(const Operand& operand, const std::vector<Expr>& coords) const {
  return inside ? nullptr : GuardOf(operand, coords, facts);
}

Expr Lowering::Simple(const Expr& e) const { return Simplify(e, facts); }

std::string ScratchName(DType dtype) { return absl::StrCat("scratch_", std::string(Name(dtype))); }

bool IsShared(const TensorInfo& tensor) {
  return tensor.space == ir::Space::kShared || tensor.space == ir::Space::kSharedDyn;
}

}  // namespace kiln::cuda
