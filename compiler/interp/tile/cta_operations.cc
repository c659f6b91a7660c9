// The steps that a team executes together.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "compiler/expr/visit.h"
#include "compiler/interp/arith.h"
#include "compiler/interp/tile/combine.h"
#include "compiler/interp/tile/cta.h"
#include "compiler/interp/tile/holders.h"
#include "compiler/interp/tile/reduce.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

bool IsReduction(TileOpKind op) { return op >= TileOpKind::kSum && op <= TileOpKind::kAny; }

}  // namespace

std::optional<Asking> Cta::AskingOf(const Step& step, Participants threads) const {
  if (program_.uniform) return std::nullopt;
  Team team =
      step.kind == Step::Kind::kTileOp && step.expr->tile.team != Team::kNone ? step.expr->tile.team : Team::kCta;
  return Asking{team, {threads[0], static_cast<int64_t>(threads.size())}};
}

// Threads that execute one step together agree on the scalars in it.
absl::Status Cta::CheckUniform(const Step& step, Participants threads) const {
  if (threads.size() < 2 || step.kind == Step::Kind::kCall) return absl::OkStatus();
  if (step.kind == Step::Kind::kTileOp && IsReduction(step.expr->tile.op)) return absl::OkStatus();
  absl::Status status;
  auto check = [&](const Expr& node) {
    if (node->kind != ExprKind::kVar || !status.ok()) return;
    auto it = program_.names.find(node->name);
    if (it == program_.names.end()) return;
    auto id = static_cast<size_t>(it->second.id);
    const ValuePtr& first = threads_[static_cast<size_t>(threads[0])].frame.variables[id].value;
    for (int64_t t : threads) {
      const ValuePtr& value = threads_[static_cast<size_t>(t)].frame.variables[id].value;
      if (!first || !value || first == value || !first->IsScalar() || !value->IsScalar()) continue;
      if (std::memcmp(first->data.data(), value->data.data(), sizeof(Slot)) != 0) {
        status = absl::FailedPreconditionError(StrCat("\"", node->name, "\" differs between threads ", threads[0],
                                                      " and ", t, ", which execute this together"));
        return;
      }
    }
  };
  if (step.expr) ForEach(step.expr, check);
  if (step.target) ForEach(step.target, check);
  return status;
}

absl::Status Cta::ExecuteLet(const Step& step, Participants threads, Location& place) {
  Evaluator evaluator = EvaluatorOf(threads[0]);
  absl::Cleanup note = [&] { place = evaluator.place(); };
  const Expr& e = step.expr;
  bool chain = e->kind == ExprKind::kVar || e->kind == ExprKind::kSubscript || e->kind == ExprKind::kReshape ||
               e->kind == ExprKind::kPermute || e->kind == ExprKind::kReinterpret;
  if (chain) {
    KILN_ASSIGN_OR_RETURN(View view, evaluator.EvalView(e));
    bool memory = view.storage->data && view.storage->space != ir::Space::kLocal;
    if (memory && !view.dims.empty()) {
      Set(step, threads, {nullptr, std::make_shared<const View>(std::move(view))});
      return absl::OkStatus();
    }
  }
  KILN_ASSIGN_OR_RETURN(ValuePtr value, evaluator.Eval(e));
  if (step.stmt->dtype.Known()) value = ConvertValue(step.stmt->dtype.dtype, value);
  Set(step, threads, {value, nullptr});
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Storage>> Cta::StorageOf(const Step& step, int64_t thread, const Shape& shape) {
  const ir::TensorDecl& tensor = step.stmt->tensor;
  bool local = tensor.space == ir::Space::kLocal;
  Team owner = !local || tensor.owner == Team::kNone ? Team::kCta : tensor.owner;
  int64_t size = program_.uniform ? 1 : TeamSize(owner);
  auto key = std::make_pair(static_cast<int>(&step - program_.steps.data()), thread / size);
  std::shared_ptr<Storage>& storage = storages_[key];
  auto bytes = static_cast<size_t>(Bytes(tensor.dtype.dtype, ElementCount(shape)));
  // Run thread by thread, a loop that comes back here finds what others still use; alone, it finds new memory.
  if (storage && storage->bytes.size() == bytes && !program_.uniform) return storage;
  storage = std::make_shared<Storage>();
  storage->name = tensor.name;
  storage->dtype = tensor.dtype.dtype;
  storage->space = tensor.space;
  storage->owner = owner;
  storage->first_thread = thread / size * size;
  storage->bytes.assign(bytes, 0xcd);
  storage->data = storage->bytes.data();
  if (options_.check_uninitialized) storage->written.assign(bytes, 0);
  if (!step.ring.empty()) {
    const std::shared_ptr<Ring>& ring = rings_.at(step.ring);
    if (shape.empty() || shape[0] != ring->slots()) {
      return absl::InvalidArgumentError(
          StrCat("\"", tensor.name, "\": expected ", ring->slots(), " slots first, got ", ShapeText(shape)));
    }
    ring->AddField(static_cast<int64_t>(bytes) / ring->slots(), storage);
    storage->ring = ring;
  }
  if (local && !tensor.layout.empty() && !program_.uniform) {
    KILN_ASSIGN_OR_RETURN(storage->holders, HoldersOf(tensor, shape));
  }
  return storage;
}

absl::Status Cta::ExecuteAlloc(const Step& step, Participants threads, Location& place) {
  constexpr int64_t kMaxElements = int64_t{1} << 31;
  Evaluator evaluator = EvaluatorOf(threads[0]);
  absl::Cleanup note = [&] { place = evaluator.place(); };
  Shape shape;
  int64_t elements = 1;
  for (const Expr& extent : step.stmt->tensor.shape) {
    KILN_ASSIGN_OR_RETURN(int64_t value, evaluator.EvalInt(extent));
    if (value < 0 || value > kMaxElements || (elements *= value) > kMaxElements) {
      return absl::InvalidArgumentError(
          StrCat("alloc \"", step.stmt->tensor.name, "\": extent ", value, " is out of range"));
    }
    shape.push_back(value);
  }
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<Storage> storage, StorageOf(step, threads[0], shape));
  auto view = std::make_shared<const View>(WholeView(storage, shape));
  Set(step, threads, {nullptr, view});
  if (!step.expr) return absl::OkStatus();
  KILN_ASSIGN_OR_RETURN(ValuePtr init, evaluator.Eval(step.expr));
  return StoreView(*view, *init);
}

absl::Status Cta::ExecuteAssign(const Step& step, Participants threads, Location& place) {
  Evaluator evaluator = EvaluatorOf(threads[0]);
  absl::Cleanup note = [&] { place = evaluator.place(); };
  KILN_ASSIGN_OR_RETURN(ValuePtr value, evaluator.Eval(step.expr));
  if (step.target->kind == ExprKind::kVar) {
    auto it = program_.names.find(step.target->name);
    if (it == program_.names.end())
      return absl::InvalidArgumentError(StrCat("\"", step.target->name, "\" has no value here"));
    Variable& variable = threads_[static_cast<size_t>(threads[0])].frame.variables[static_cast<size_t>(it->second.id)];
    if (variable.value) {
      variable.value = ConvertValue(variable.value->dtype, value);
      return absl::OkStatus();
    }
  }
  KILN_ASSIGN_OR_RETURN(View target, evaluator.EvalView(step.target));
  if (target.storage->ring) KILN_RETURN_IF_ERROR(target.storage->ring->MayTouch(threads, target));
  return StoreView(target, *value);
}

absl::Status Cta::ExecuteReduction(const Step& step, Participants threads, Location& place) {
  const Expr& e = step.expr;
  KILN_RETURN_IF_ERROR(ExpectOperands(e, 1));
  // An operand that a smaller team owns has a value for each of them.
  Team owner = IsTile(program_, e->args[0]) ? OwnerOf(program_, e->args[0]) : Team::kThread;
  Team team = e->tile.team == Team::kNone ? Team::kCta : e->tile.team;
  const bool by_thread = ir::IsByThread(*e);
  std::optional<Asking> asking = by_thread ? std::nullopt : AskingOf(step, threads);
  std::vector<ValuePtr> parts;
  std::optional<int64_t> axis;
  bool many = owner != Team::kNone && owner < team && !program_.uniform;
  for (size_t k = 0; k < threads.size(); k += many ? static_cast<size_t>(TeamSize(owner)) : threads.size()) {
    Evaluator evaluator = EvaluatorOf(threads[k], asking ? &*asking : nullptr);
    absl::Cleanup note = [&] { place = evaluator.place(); };
    KILN_ASSIGN_OR_RETURN(ValuePtr part, evaluator.Eval(e->args[0]));
    parts.push_back(std::move(part));
    if (Expr attr = FindAttr(*e, "axis")) {
      KILN_ASSIGN_OR_RETURN(axis, evaluator.EvalInt(attr));
    }
  }
  if (program_.uniform && parts[0]->IsScalar()) {
    return absl::InvalidArgumentError(
        StrCat(OperationName(e), ": expected a tile, got a scalar that every thread has"));
  }
  DType dtype = e->type.Known() ? e->type.dtype : DType::kNone;
  KILN_ASSIGN_OR_RETURN(ValuePtr result, Reduce(e->tile.op, dtype, parts, axis, by_thread ? ir::kPartsOfRow : 1));
  if (step.variable >= 0) Set(step, threads, {result, nullptr});
  return absl::OkStatus();
}

absl::Status Cta::ExecuteTileOp(const Step& step, Participants threads, Location& place) {
  using enum TileOpKind;
  const Expr& e = step.expr;
  if (IsReduction(e->tile.op)) return ExecuteReduction(step, threads, place);
  std::optional<Asking> who = AskingOf(step, threads);
  const Asking* asking = who ? &*who : nullptr;
  Evaluator evaluator = EvaluatorOf(threads[0], asking);
  absl::Cleanup note = [&] { place = evaluator.place(); };
  switch (e->tile.op) {
    case kCopy:
    case kCopyAsync:
    case kFill:
    case kMap:
    case kPermuteLayout:
    case kAtomicAdd:
    case kAtomicMax:
    case kAtomicMin: {
      KILN_RETURN_IF_ERROR(ExpectOperands(e, 2));
      KILN_ASSIGN_OR_RETURN(View target, evaluator.EvalView(e->args[0]));
      ValuePtr value;
      if (Expr fill = FindAttr(*e, "fill")) {
        KILN_ASSIGN_OR_RETURN(ValuePtr filler, evaluator.Eval(fill));
        LoadOptions options = ReadOptions(threads, asking);
        options.fill = ConvertValue(DType::kF64, filler)->data[0].f;
        KILN_ASSIGN_OR_RETURN(View source, evaluator.EvalView(e->args[1]));
        KILN_ASSIGN_OR_RETURN(value, LoadView(source, options));
      } else {
        KILN_ASSIGN_OR_RETURN(value, evaluator.Eval(e->args[1]));
      }
      bool shared = target.storage->space == ir::Space::kShared || target.storage->space == ir::Space::kSharedDyn;
      if (std::shared_ptr<Ring> ring = target.storage->ring) {
        if (e->tile.op == kCopyAsync && !e->tile.via_config.empty()) {
          KILN_ASSIGN_OR_RETURN(uint64_t mask, MulticastMask(e, evaluator));
          return ring->IssueTo(mask, target, value);
        }
        if (e->tile.op == kCopyAsync) return ring->Issue(target, std::move(value));
        KILN_RETURN_IF_ERROR(ring->MayTouch(threads, target));
      }
      if (e->tile.op == kCopyAsync && shared) return Issue(target, std::move(value));
      if (e->tile.op == kCopyAsync) KILN_RETURN_IF_ERROR(IssueStore(e, evaluator, value, threads));
      bool atomic = e->tile.op >= kAtomicAdd && e->tile.op <= kAtomicMin;
      return StoreView(target, *value, asking, atomic ? CombineOf(e->tile.op) : nullptr);
    }
    case kGemm:
    case kGemmAsync:
      return ExecuteGemm(e, evaluator, threads);
    case kGather:
      return ExecuteGather(e, evaluator, asking);
    case kScatter:
      return ExecuteScatter(e, evaluator);
    case kWaitCopy: {
      int64_t pending = 0;
      if (Expr attr = FindAttr(*e, "pending")) {
        KILN_ASSIGN_OR_RETURN(pending, evaluator.EvalInt(attr));
      }
      return Wait(pending);
    }
    case kWaitGemm: {
      int64_t pending = 0;
      if (Expr attr = FindAttr(*e, "pending")) {
        KILN_ASSIGN_OR_RETURN(pending, evaluator.EvalInt(attr));
      }
      return WaitGemm(pending, threads);
    }
    case kWaitStore: {
      int64_t pending = 0;
      if (Expr attr = FindAttr(*e, "pending")) {
        KILN_ASSIGN_OR_RETURN(pending, evaluator.EvalInt(attr));
      }
      return WaitStore(pending, threads);
    }
    case kPush:
    case kPop:
    case kRelease:
      return ExecuteRingOperation(step, threads[0]);
    default:
      return absl::OkStatus();  // Synchronization, and waits for what is complete by now.
  }
}

}  // namespace kiln::interp
