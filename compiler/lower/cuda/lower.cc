#include "compiler/lower/cuda/lower.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/print.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/visit.h"
#include "compiler/lower/abi.h"
#include "compiler/lower/cuda/operations.h"
#include "compiler/lower/cuda/place.h"
#include "compiler/lower/cuda/rings.h"
#include "compiler/plan/uniform.h"
#include "compiler/specialize/bind.h"
#include "compiler/specialize/normalize.h"
#include "compiler/specialize/simplify_body.h"
#include "compiler/specialize/type.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace cuda {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

using LowerFunction = absl::Status (*)(Lowering&, const StmtNode&);

struct Row {
  std::string_view rule;
  TileOpKind op;
  LowerFunction lower;
};

constexpr Row kRows[] = {
#define KILN_RULE(name, function, op, feature, priority, applies, layouts, accepts, doc) \
  {name, TileOpKind::op, &Lower##function},
#include "compiler/rules/rules_cuda.inc"
#undef KILN_RULE
};

TileOpKind OperationOf(const StmtNode& stmt) {
  if (AsMap(stmt)) return TileOpKind::kMap;
  TileOpKind op = stmt.value->tile.op;
  return IsReduction(op) ? TileOpKind::kSum : op;
}

class Walker {
 public:
  explicit Walker(Lowering& lower) : lower_(lower), uniformity_(*lower.plan().uniformity) {}

  absl::Status Run(const Block& block) {
    for (const Stmt& stmt : block) KILN_RETURN_IF_ERROR(Visit(stmt));
    return absl::OkStatus();
  }

 private:
  absl::Status Visit(const Stmt& stmt) {
    if (nesting_ == 0 && stmt->kind != StmtKind::kIf) lower_.barriers.Join(std::exchange(parts_, {}));
    SyncForElements(*stmt);
    auto planned = lower_.plan().of.find(stmt.get());
    if (planned != lower_.plan().of.end()) StartRings(lower_);
    if (planned != lower_.plan().of.end()) return LowerPlanned(*stmt, lower_.plan().decisions[planned->second]);
    if (StartsWork(*stmt)) StartRings(lower_);
    if (stmt->value && stmt->value->kind == ExprKind::kTileOp && ir::IsRingOp(stmt->value->tile.op)) {
      LowerRingOperation(lower_, *stmt);
      return absl::OkStatus();
    }
    switch (stmt->kind) {
      case StmtKind::kRing:
        for (const Stmt& field : stmt->body) KILN_RETURN_IF_ERROR(LowerAlloc(*field));
        return DeclareRing(lower_, *stmt);
      case StmtKind::kAlloc:
        return LowerAlloc(*stmt);
      case StmtKind::kEval:
        return LowerEval(stmt);
      case StmtKind::kFor:
        return LowerLoop(*stmt);
      case StmtKind::kWhile:
      case StmtKind::kIf:
        return LowerBranch(*stmt);
      case StmtKind::kAssign:
        return LowerElement(*stmt);
      case StmtKind::kLet: {
        StmtNode node = *stmt;
        KILN_ASSIGN_OR_RETURN(node.value, Scalar(stmt->value));
        AddLetFact(node, lower_.facts);
        lower_.Add(ir::MakeStmt(std::move(node)));
        return absl::OkStatus();
      }
      case StmtKind::kAssume: {
        StmtNode node = *stmt;
        KILN_ASSIGN_OR_RETURN(node.value, Scalar(stmt->value));
        lower_.facts = Assuming(node.value, std::move(lower_.facts));
        lower_.Add(ir::MakeStmt(std::move(node)));  // The printer narrows by it.
        return absl::OkStatus();
      }
      default: {
        StmtNode node = *stmt;
        if (node.value) {
          KILN_ASSIGN_OR_RETURN(node.value, Scalar(stmt->value));
        }
        lower_.Add(ir::MakeStmt(std::move(node)));
        return absl::OkStatus();
      }
    }
  }

  // Anything but a declaration: barriers must be ready before it.
  static bool StartsWork(const StmtNode& stmt) {
    if (stmt.kind == StmtKind::kLet) return stmt.value->kind == ExprKind::kTileOp;
    return stmt.kind != StmtKind::kRing && stmt.kind != StmtKind::kAlloc && stmt.kind != StmtKind::kComment &&
           stmt.kind != StmtKind::kAssume;
  }

  absl::Status LowerPlanned(const StmtNode& stmt, const Decision& decision) {
    TileOpKind op = OperationOf(stmt);
    for (const Row& row : kRows) {
      if (row.rule != decision.rule || row.op != op) continue;
      std::vector<std::string> lines = absl::StrSplit(decision.text, '\n');
      lower_.Add(ir::Comment(absl::StrCat(lines[0], "  [", decision.rule, "]")));
      KILN_ASSIGN_OR_RETURN(const Stmt loaded, WithLoads(stmt));
      absl::Status status = row.lower(lower_, *loaded);
      if (!status.ok())
        return absl::Status(status.code(), absl::StrCat("kernel \"", lower_.kernel().name, "\" ", stmt.at.line, ":",
                                                        stmt.at.column, ": ", status.message()));
      return status;
    }
    return absl::InternalError(absl::StrCat("lower: no lowering for rule ", decision.rule, " of ", decision.operation));
  }

  // A tile statement whose single elements are loads: factors of its value, starts of its slices.
  absl::StatusOr<Stmt> WithLoads(const StmtNode& stmt) {
    absl::Status failed;
    Stmt out = ir::RewriteRoots(ir::MakeStmt(stmt), [&](const Expr& root) {
      auto loaded = root && failed.ok() ? Loaded(root) : root;
      if (!loaded.ok()) failed = loaded.status();
      return loaded.ok() ? *loaded : root;
    });
    if (!failed.ok()) return failed;
    return out;
  }

  // The shared tensor of which `e` is one element; null where it is something else, or a ring's, whose waits order it.
  const TensorInfo* ElementOf(const Expr& e) const {
    if (e->kind != ExprKind::kSubscript || e->type.tile) return nullptr;
    auto it = lower_.tensors().find(RootOf(e)->name);
    if (it == lower_.tensors().end() || !IsShared(it->second) || !it->second.ring.empty()) return nullptr;
    return &it->second;
  }

  // A barrier where threads take elements one by one that a tile operation has left. Under a condition on which they
  // do not agree it would not be reached by all of them: it stands in front of that.
  void SyncForElements(const StmtNode& stmt) {
    if (divergent_ > 0) return;
    bool due = false;
    auto look = [&](const StmtNode& s) {
      ir::ForEachRoot(s, [&](const Expr& root) {
        ForEach(root, [&](const Expr& e) {
          const TensorInfo* tensor = ElementOf(e);
          if (tensor == nullptr) return;
          const bool written = s.kind == StmtKind::kAssign && e == s.target;
          due |= written ? lower_.barriers.NeedsBeforeElementWrite(tensor->name)
                         : lower_.barriers.NeedsBeforeElementRead(tensor->name);
        });
      });
    };
    look(stmt);
    if (Diverges(stmt)) {
      ir::ForEachStmt(stmt.body, [&](const Stmt& s) { look(*s); });
      ir::ForEachStmt(stmt.orelse, [&](const Stmt& s) { look(*s); });
    }
    if (due) lower_.SyncNow();
    ir::ForEachRoot(stmt, [&](const Expr& root) {
      ForEach(root, [&](const Expr& e) {
        if (const TensorInfo* tensor = ElementOf(e)) lower_.barriers.ReadElement(tensor->name);
      });
    });
  }

  // Whether some threads may run another part of the statement than others.
  bool Diverges(const StmtNode& stmt) const {
    if (stmt.kind == StmtKind::kIf || stmt.kind == StmtKind::kWhile)
      return uniformity_.Of(stmt.value) != Agreement::kCta;
    if (stmt.kind != StmtKind::kFor) return false;
    return uniformity_.Of(stmt.begin) != Agreement::kCta || uniformity_.Of(stmt.end) != Agreement::kCta ||
           (stmt.step && uniformity_.Of(stmt.step) != Agreement::kCta);
  }

  absl::Status LowerAlloc(const StmtNode& stmt) {
    StmtNode node = stmt;
    const TensorInfo& tensor = lower_.tensors().at(stmt.tensor.name);
    if (tensor.space == ir::Space::kLocal) {
      node.tensor.shape = {I(tensor.distribution->Slots())};
      node.tensor.owner = Team::kThread;
    } else {
      KILN_ASSIGN_OR_RETURN(layout::Extent extent, layout::AllocationExtent(*tensor.layout));
      node.tensor.shape = {I(extent.constant())};
      // A swizzle repeats over its period; the tile starts on one, so that address bits are the layout's own.
      int64_t align = 16;
      if (const layout::SwizzledLayout* swizzled = tensor.layout->swizzled_if())
        align = std::max<int64_t>(align, swizzled->swizzle().Period() * Bits(tensor.dtype) / 8);
      node.tensor.align = std::max(node.tensor.align, std::min<int64_t>(align, 1024));
    }
    node.tensor.layout.clear();
    node.tensor.padded.clear();
    lower_.Add(ir::MakeStmt(std::move(node)));
    return absl::OkStatus();
  }

  absl::Status LowerEval(const Stmt& stmt) {
    const Expr& value = stmt->value;
    if (value->kind == ExprKind::kTileOp && value->tile.op == TileOpKind::kWaitCopy) {
      Expr pending = FindAttr(*value, "pending");
      lower_.Add(ir::Eval(Intrinsic("cp_async_wait", {pending ? pending : I(0)})));
      lower_.barriers.Landed();
      return absl::OkStatus();
    }
    if (value->kind == ExprKind::kTileOp && value->tile.op == TileOpKind::kWaitGemm) {
      int64_t pending = 0;
      if (Expr written = FindAttr(*value, "pending")) IsConst(written, &pending);
      WaitForProducts(lower_, pending);
      return absl::OkStatus();
    }
    if (value->kind == ExprKind::kTileOp && value->tile.op == TileOpKind::kWaitStore) {
      WaitForStores(lower_, *value);
      return absl::OkStatus();
    }
    if (value->kind == ExprKind::kTileOp && value->tile.op == TileOpKind::kSync) {
      lower_.Sync(value->tile.team);
      return absl::OkStatus();
    }
    KILN_ASSIGN_OR_RETURN(Expr scalar, Scalar(value));
    lower_.Add(ir::Eval(scalar));
    return absl::OkStatus();
  }

  // A loop is entered again with what its body left: every shared tensor that it touches may still be in use.
  absl::Status LowerLoop(const StmtNode& stmt) {
    AddLoopFact(stmt, lower_.facts);
    const BarrierTracker before = lower_.barriers;
    Assume(stmt.body);
    StmtNode node = stmt;
    KILN_ASSIGN_OR_RETURN(node.begin, Scalar(stmt.begin));
    KILN_ASSIGN_OR_RETURN(node.end, Scalar(stmt.end));
    divergent_ += Diverges(stmt);
    KILN_ASSIGN_OR_RETURN(node.body, Nested(stmt.body));
    divergent_ -= Diverges(stmt);
    lower_.Add(ir::MakeStmt(std::move(node)));
    lower_.barriers.Join(before);
    return absl::OkStatus();
  }

  void Assume(const Block& body) {
    // Scratch that the last iteration read may be written by the next.
    for (const DTypeInfo& info : kDTypes) lower_.barriers.Read(ScratchName(info.dtype));
    ir::ForEachStmt(body, [&](const Stmt& s) {
      const bool tile_op = s->kind == StmtKind::kEval && s->value->kind == ExprKind::kTileOp;
      const bool async = tile_op && s->value->tile.op == TileOpKind::kCopyAsync;
      if (auto map = AsMap(*s)) AssumeWritten(map->target);
      if (s->kind == StmtKind::kAssign)
        if (const TensorInfo* element = ElementOf(s->target)) lower_.barriers.WriteElement(element->name);
      if (tile_op && !async && !s->value->args.empty() && IsTileReference(s->value->args[0]))
        AssumeWritten(s->value->args[0]);
      // An asynchronous copy reads its source alone.
      ir::ForEachRoot(*s, [&](const Expr& root) { AssumeRead(async ? root->args[1] : root); });
    });
  }
  void AssumeRead(const Expr& e) {
    if (!e) return;
    const TensorInfo* element = ElementOf(e);
    if (element != nullptr) lower_.barriers.ReadElement(element->name);
    if (e->kind == ExprKind::kVar && e->type.tile) {
      auto it = lower_.tensors().find(e->name);
      if (it != lower_.tensors().end() && IsShared(it->second)) lower_.barriers.Read(e->name);
    }
    for (size_t i = element != nullptr ? 1 : 0; i < e->args.size(); ++i) AssumeRead(e->args[i]);
    for (const Attr& attr : e->attrs) AssumeRead(attr.value);
  }
  void AssumeWritten(const Expr& reference) {
    const std::string& name = RootOf(reference)->name;
    auto it = lower_.tensors().find(name);
    if (it != lower_.tensors().end() && IsShared(it->second)) lower_.barriers.Write(name);
  }

  absl::Status LowerBranch(const StmtNode& stmt) {
    StmtNode node = stmt;
    KILN_ASSIGN_OR_RETURN(node.value, Scalar(stmt.value));
    if (stmt.kind == StmtKind::kWhile) Assume(stmt.body);
    const Facts facts = lower_.facts;
    Facts inside = Assuming(stmt.value, facts);
    // What the CTA did so far is shown to all of it while all of it is here.
    const bool part = nesting_ == 0 && lower_.IsPartOfCta(inside);
    if (nesting_ == 0 && !part) lower_.barriers.Join(std::exchange(parts_, {}));
    if (part && !lower_.barriers.Quiet()) lower_.SyncNow();
    lower_.facts = std::move(inside);
    const BarrierTracker before = lower_.barriers;
    divergent_ += Diverges(stmt);
    KILN_ASSIGN_OR_RETURN(node.body, Nested(stmt.body));
    lower_.facts = facts;
    BarrierTracker after = lower_.barriers;
    lower_.barriers = before;
    KILN_ASSIGN_OR_RETURN(node.orelse, Nested(stmt.orelse));
    divergent_ -= Diverges(stmt);
    lower_.barriers.Join(after);
    if (part) {
      // Parts of the CTA run side by side: what one did counts for the whole CTA, once it meets again.
      parts_.Join(std::exchange(lower_.barriers, before));
    }
    lower_.Add(ir::MakeStmt(std::move(node)));
    return absl::OkStatus();
  }

  absl::StatusOr<Block> Nested(const Block& body) {
    absl::Status status;
    ++nesting_;
    Block block = lower_.Inside([&] { status = Run(body); });
    --nesting_;
    if (!status.ok()) return status;
    return block;
  }

  // `x[i] = v` and `s = v`.
  absl::Status LowerElement(const StmtNode& stmt) {
    KILN_ASSIGN_OR_RETURN(Expr value, Scalar(stmt.value));
    if (stmt.target->kind == ExprKind::kVar) {
      lower_.Add(ir::Assign(stmt.target, value));
      return absl::OkStatus();
    }
    KILN_ASSIGN_OR_RETURN(Expr place, Scalar(stmt.target));
    KILN_CHECK(place->kind == ExprKind::kLoad, ir::Print(stmt.target));
    lower_.Add(ir::Store(place->args[0], place->args[1], value));
    if (const TensorInfo* tensor = ElementOf(stmt.target)) lower_.barriers.WriteElement(tensor->name);
    return absl::OkStatus();
  }

  absl::StatusOr<Expr> Scalar(const Expr& e) {
    KILN_ASSIGN_OR_RETURN(const Expr loaded, Loaded(e));
    return lower_.Simple(loaded);
  }

  // Element subscripts become loads.
  absl::StatusOr<Expr> Loaded(const Expr& e) {
    absl::Status failed;
    Expr out = Rewrite(e, [&](const Expr& n) -> Expr {
      if (n->kind != ExprKind::kSubscript || n->type.tile || !failed.ok()) return n;
      auto operand = ResolveOperand(n, lower_.tensors());
      if (!operand.ok()) {
        failed = operand.status();
        return n;
      }
      const TensorInfo& tensor = *operand->tensor;
      Expr index;
      if (tensor.space == ir::Space::kLocal) {
        index = SlotOf(*tensor.distribution, RootIndices(*operand, {}, lower_.facts), lower_.facts);
        if (!index) {
          failed = absl::InvalidArgumentError(
              absl::StrCat("lower: `", ir::Print(n), "`: the element may be in another thread's registers"));
          return n;
        }
      } else {
        index = AddressOf(*operand, {}, lower_.facts);
      }
      return Element(TensorVar(tensor.name, tensor.dtype), index);
    });
    if (!failed.ok()) return failed;
    return out;
  }

  Lowering& lower_;
  BarrierTracker parts_;  // What branches for parts of the CTA have touched since it was last whole
  int nesting_ = 0;       // Loops and branches around what is lowered
  const Uniformity& uniformity_;
  int divergent_ = 0;  // Conditions around the statement on which threads do not agree
};

}  // namespace
}  // namespace cuda

absl::StatusOr<ir::Kernel> LowerCuda(const ir::Kernel& kernel, const Plan& plan, const Target& target) {
  KILN_ASSIGN_OR_RETURN(Tensors tensors, TensorsOf(kernel));
  cuda::Lowering lower(kernel, target, plan, std::move(tensors));
  KILN_RETURN_IF_ERROR(cuda::Walker(lower).Run(kernel.body));
  ir::Kernel out = kernel;
  out.body = lower.Prologue();
  out.body.insert(out.body.end(), lower.top.begin(), lower.top.end());
  out.body = SimplifyBody(out.body, FactsOf(kernel));
  KILN_RETURN_IF_ERROR(PlaceShared(out, target));
  SetNativeParams(out);
  out.native_params.insert(out.native_params.end(), lower.tensor_maps().begin(), lower.tensor_maps().end());
  out.native = true;
  return out;
}

}  // namespace kiln
