#include "compiler/interp/tile/program.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/meeting.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/visit.h"
#include "compiler/ir/words.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

bool IsReduction(TileOpKind op) { return op >= TileOpKind::kSum && op <= TileOpKind::kAny; }

// Intrinsics that mean the same whether a CTA or each of its threads calls them.
bool IsOfTheCta(ir::Intrinsic id) {
  return id == ir::Intrinsic::kBarrier || id == ir::Intrinsic::kCpAsyncCommit || id == ir::Intrinsic::kCpAsyncWait;
}

bool TellsThreadsApart(const ir::Kernel& kernel) {
  bool found = false;
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& stmt) {
    if (stmt->kind == ir::StmtKind::kAlloc) {
      Team owner = stmt->tensor.owner;
      found = found || owner == Team::kThread || owner == Team::kWarp || owner == Team::kWarpgroup;
    }
  });
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    bool id = e->kind == ExprKind::kVar && (e->name == kThreadId || e->name == kLaneId || e->name == kWarpId);
    bool team = e->kind == ExprKind::kTileOp && e->tile.team < Team::kCta && e->tile.team != Team::kNone;
    bool exchange = false;
    if (e->kind == ExprKind::kCall) {
      const ir::IntrinsicInfo* info = ir::FindIntrinsic(e->name);
      exchange = !info || !IsOfTheCta(info->id);
    }
    found = found || id || team || exchange;
  });
  return found;
}

// The variable a chain of subscripts, reshapes, permutes and reinterpretations stands on; null for anything else.
const Node* BaseOf(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kVar:
      return e.get();
    case ExprKind::kSubscript:
    case ExprKind::kReshape:
    case ExprKind::kPermute:
    case ExprKind::kReinterpret:
      return BaseOf(e->args[0]);
    default:
      return nullptr;
  }
}

// Whether a subscript's item leaves a dimension.
bool Keeps(const Expr& item) {
  return item->kind == ExprKind::kSlice || item->kind == ExprKind::kFull || item->kind == ExprKind::kNewAxis;
}

// Of a reference; -1 where it is not known.
int RankOf(const Program& program, const Expr& e) {
  switch (e->kind) {
    case ExprKind::kVar: {
      auto it = program.names.find(e->name);
      return it == program.names.end() ? -1 : it->second.rank;
    }
    case ExprKind::kReshape:
      return static_cast<int>(e->args.size()) - 1;
    case ExprKind::kPermute:
    case ExprKind::kReinterpret:
      return RankOf(program, e->args[0]);
    case ExprKind::kSubscript: {
      int rank = RankOf(program, e->args[0]);
      if (rank < 0) return rank;
      for (size_t i = 1; i < e->args.size(); ++i)
        rank += e->args[i]->kind == ExprKind::kNewAxis ? 1 : Keeps(e->args[i]) ? 0 : -1;
      return rank < 0 ? -1 : rank;
    }
    default:
      return -1;
  }
}

class Flattener {
 public:
  explicit Flattener(Program& program) : program_(program) {}

  void Declare(const std::string& name, bool tile, ir::Space space, Team owner, int rank = -1) {
    NameInfo& info = program_.names[name];
    if (info.id < 0) info.id = program_.variables++;
    info.tile = tile;
    info.rank = rank;
    info.space = space;
    info.owner = owner;
  }

  absl::Status Flatten(const ir::Block& block) {
    for (const ir::Stmt& stmt : block) KILN_RETURN_IF_ERROR(Flatten(stmt));
    return absl::OkStatus();
  }

  void End() { Append(Step::Kind::kEnd, nullptr); }

 private:
  struct Loop {
    int next = -1;  // Where `continue` goes; -1 while not known
    std::vector<int> breaks;
    std::vector<int> continues;
  };

  Step& Append(Step::Kind kind, const ir::Stmt& stmt) {
    Step step;
    step.kind = kind;
    step.stmt = stmt;
    step.branch = branch_;
    if (stmt) step.at = stmt->at;
    program_.steps.push_back(std::move(step));
    return program_.steps.back();
  }
  int Here() const { return static_cast<int>(program_.steps.size()); }

  int Hidden() { return program_.variables++; }

  // Operations inside an expression become steps before it, whose results it reads by name.
  Expr Hoist(const Expr& e, const ir::Stmt& stmt) {
    if (!e) return e;
    return Rewrite(e, [&](const Expr& node) -> Expr {
      bool operation = node->kind == ExprKind::kTileOp;
      if (!operation && node->kind != ExprKind::kCall) return node;
      std::string name = StrCat("%", Here());
      // Of a reduction, the tile that is left belongs to who has the operand.
      Declare(name, IsTile(program_, node), ir::Space::kNone,
              operation && !node->args.empty() ? OwnerOf(program_, node->args[0]) : Team::kNone);
      AppendOperation(node, stmt).variable = program_.names[name].id;
      Expr result = Var(name, node->type);
      return node->at.line > 0 ? At(result, node->at) : result;
    });
  }

  Step& AppendOperation(const Expr& node, const ir::Stmt& stmt) {
    bool operation = node->kind == ExprKind::kTileOp;
    Step& step = Append(operation ? Step::Kind::kTileOp : Step::Kind::kCall, stmt);
    step.expr = node;
    if (node->at.line > 0) step.at = node->at;
    if (operation) {
      step.team = node->tile.team == Team::kNone ? Team::kCta : node->tile.team;
      // Every thread's part is an element of a tile of the operand's owner.
      if (ir::IsByThread(*node)) step.team = OwnerOf(program_, node->args[0]);
    } else if (const ir::IntrinsicInfo* info = ir::FindIntrinsic(node->name)) {
      if (IsOfTheCta(info->id)) step.team = Team::kCta;
      if (info->id == ir::Intrinsic::kClusterBarrier) step.team = Team::kCluster;
      program_.commits = program_.commits || info->id == ir::Intrinsic::kCpAsyncCommit;
      bool warp = info->id == ir::Intrinsic::kWarpBarrier || info->id == ir::Intrinsic::kShflIdx ||
                  info->id == ir::Intrinsic::kShflXor;
      if (warp) step.team = Team::kWarp;
    }
    return step;
  }

  // A statement-level operation: operands are hoisted, itself stays.
  void FlattenOperation(const Expr& e, const ir::Stmt& stmt) {
    std::vector<Expr> args;
    for (const Expr& arg : e->args) args.push_back(Hoist(arg, stmt));
    AppendOperation(WithArgs(e, std::move(args)), stmt);
  }

  absl::Status Flatten(const ir::Stmt& stmt) {
    using enum ir::StmtKind;
    switch (stmt->kind) {
      case kRing:
        Append(Step::Kind::kRing, stmt);
        for (const ir::Stmt& field : stmt->body) {
          if (field->kind == kComment) continue;
          if (field->kind != kAlloc)
            return absl::InvalidArgumentError(StrCat(ir::Place(field->at), "a ring holds fields alone"));
          KILN_RETURN_IF_ERROR(Flatten(field));
          program_.steps.back().ring = stmt->name;
        }
        return absl::OkStatus();
      case kLet: {
        Expr value = Hoist(stmt->value, stmt);
        const Node* base = BaseOf(value);
        auto it = base ? program_.names.find(base->name) : program_.names.end();
        bool view = it != program_.names.end() && it->second.tile && it->second.space != ir::Space::kLocal &&
                    it->second.space != ir::Space::kNone;
        bool tile = IsTile(program_, value);
        Team owner = view ? Team::kNone : OwnerOf(program_, value);
        Declare(stmt->name, tile, view ? it->second.space : ir::Space::kNone, owner, RankOf(program_, value));
        Step& step = Append(Step::Kind::kLet, stmt);
        step.expr = value;
        step.variable = program_.names[stmt->name].id;
        if (tile && owner != Team::kNone) step.team = owner;
        return absl::OkStatus();
      }
      case kMutable: {
        Expr value = Hoist(stmt->value, stmt);
        Declare(stmt->name, false, ir::Space::kNone, Team::kNone);
        Step& step = Append(Step::Kind::kMutable, stmt);
        step.expr = value;
        step.variable = program_.names[stmt->name].id;
        return absl::OkStatus();
      }
      case kAlloc: {
        Expr init = Hoist(stmt->value, stmt);
        bool local = stmt->tensor.space == ir::Space::kLocal;
        Team owner = !local || stmt->tensor.owner == Team::kNone ? Team::kCta : stmt->tensor.owner;
        Declare(stmt->tensor.name, true, stmt->tensor.space, owner, static_cast<int>(stmt->tensor.shape.size()));
        Step& step = Append(Step::Kind::kAlloc, stmt);
        step.expr = init;
        step.variable = program_.names[stmt->tensor.name].id;
        if (init) step.team = owner;
        return absl::OkStatus();
      }
      case kAssign: {
        Expr value = Hoist(stmt->value, stmt);
        Step& step = Append(Step::Kind::kAssign, stmt);
        step.target = stmt->target;
        step.expr = value;
        if (!IsTile(program_, stmt->target)) return absl::OkStatus();
        const Node* base = BaseOf(stmt->target);
        auto it = base ? program_.names.find(base->name) : program_.names.end();
        bool local = it != program_.names.end() && it->second.space == ir::Space::kLocal;
        Team of_value = OwnerOf(program_, value);
        step.team = local ? it->second.owner : of_value != Team::kNone ? of_value : Team::kCta;
        return absl::OkStatus();
      }
      case kEval:
        if (stmt->value->kind == ExprKind::kTileOp || stmt->value->kind == ExprKind::kCall) {
          FlattenOperation(stmt->value, stmt);
        } else {
          Hoist(stmt->value, stmt);
        }
        return absl::OkStatus();
      case kFor:
        return FlattenFor(stmt);
      case kWhile:
        return FlattenWhile(stmt);
      case kIf:
        return FlattenIf(stmt);
      case kAssume:
      case kAssert:
        Append(Step::Kind::kAssert, stmt).expr = Hoist(stmt->value, stmt);
        return absl::OkStatus();
      case kReturn:
        Append(Step::Kind::kEnd, stmt);
        return absl::OkStatus();
      case kBreak:
      case kContinue: {
        if (loops_.empty())
          return absl::InvalidArgumentError(StrCat(ir::Place(stmt->at), "break or continue outside of a loop"));
        (stmt->kind == kBreak ? loops_.back().breaks : loops_.back().continues).push_back(Here());
        Append(Step::Kind::kJump, stmt);
        return absl::OkStatus();
      }
      case kRole:
      case kSchedule:
      case kTiles:
        return absl::InvalidArgumentError(
            StrCat(ir::Place(stmt->at), "roles and schedules are branches and loops in a specialized kernel"));
      case kComment:
        return absl::OkStatus();
      case kStore:
        return absl::InvalidArgumentError(StrCat(ir::Place(stmt->at), "a native store in a kernel that is not native"));
    }
    return absl::InvalidArgumentError(StrCat(ir::Place(stmt->at), "unknown statement"));
  }

  absl::Status FlattenFor(const ir::Stmt& stmt) {
    Expr begin = Hoist(stmt->begin, stmt), end = Hoist(stmt->end, stmt), step = Hoist(stmt->step, stmt);
    Declare(stmt->name, false, ir::Space::kNone, Team::kNone);
    Step loop = Append(Step::Kind::kForBegin, stmt);
    ir::StmtNode header = *stmt;
    header.begin = begin;
    header.end = end;
    header.step = step;
    loop.stmt = ir::MakeStmt(std::move(header));
    loop.variable = program_.names[stmt->name].id;
    loop.end_variable = Hidden();
    loop.step_variable = Hidden();
    program_.steps.back() = loop;
    int test = Here();
    loop.kind = Step::Kind::kForTest;
    program_.steps.push_back(loop);
    KILN_RETURN_IF_ERROR(FlattenLoopBody(stmt->body, test));
    int next = Here();
    loop.kind = Step::Kind::kForNext;
    loop.jump = test;
    program_.steps.push_back(loop);
    CloseLoop(next, test);
    return absl::OkStatus();
  }

  absl::Status FlattenWhile(const ir::Stmt& stmt) {
    int start = Here();
    Expr condition = Hoist(stmt->value, stmt);
    int test = Here();
    Append(Step::Kind::kBranch, stmt).expr = condition;
    KILN_RETURN_IF_ERROR(FlattenLoopBody(stmt->body, test));
    Append(Step::Kind::kJump, stmt).jump = start;
    CloseLoop(start, test);
    return absl::OkStatus();
  }

  absl::Status FlattenLoopBody(const ir::Block& body, int test) {
    loops_.emplace_back();
    int outer = std::exchange(branch_, test);
    KILN_RETURN_IF_ERROR(Flatten(body));
    branch_ = outer;
    return absl::OkStatus();
  }

  void CloseLoop(int next, int test) {
    program_.steps[static_cast<size_t>(test)].jump = Here();
    for (int k : loops_.back().breaks) program_.steps[static_cast<size_t>(k)].jump = Here();
    for (int k : loops_.back().continues) program_.steps[static_cast<size_t>(k)].jump = next;
    loops_.pop_back();
  }

  absl::Status FlattenIf(const ir::Stmt& stmt) {
    Expr condition = Hoist(stmt->value, stmt);
    int test = Here();
    Append(Step::Kind::kBranch, stmt).expr = condition;
    int outer = std::exchange(branch_, test);
    KILN_RETURN_IF_ERROR(Flatten(stmt->body));
    int skip = Here();
    if (!stmt->orelse.empty()) Append(Step::Kind::kJump, stmt);
    program_.steps[static_cast<size_t>(test)].jump = Here();
    KILN_RETURN_IF_ERROR(Flatten(stmt->orelse));
    if (!stmt->orelse.empty()) program_.steps[static_cast<size_t>(skip)].jump = Here();
    branch_ = outer;
    return absl::OkStatus();
  }

  Program& program_;
  std::vector<Loop> loops_;
  int branch_ = -1;
};

}  // namespace

absl::StatusOr<Program> FlattenBody(const ir::Kernel& kernel, const std::vector<std::string>& integers) {
  Program program;
  Flattener flattener(program);
  for (std::string_view name : kGridBuiltins)
    flattener.Declare(std::string(name), false, ir::Space::kNone, Team::kNone);
  for (std::string_view name : {kThreadId, kLaneId, kWarpId, kCtaRank})
    flattener.Declare(std::string(name), false, ir::Space::kNone, Team::kNone);
  for (const std::string& name : integers) flattener.Declare(name, false, ir::Space::kNone, Team::kNone);
  for (const ir::Param& param : kernel.params) {
    flattener.Declare(param.name, param.is_tensor, param.is_tensor ? ir::Space::kGlobal : ir::Space::kNone, Team::kNone,
                      static_cast<int>(param.shape.size()));
  }
  program.uniform = !TellsThreadsApart(kernel);
  KILN_RETURN_IF_ERROR(flattener.Flatten(kernel.body));
  flattener.End();
  return program;
}

bool IsTile(const Program& program, const Expr& e) {
  if (!e) return false;
  if (e->type.Known()) return e->type.tile;
  switch (e->kind) {
    case ExprKind::kVar: {
      auto it = program.names.find(e->name);
      return it != program.names.end() && it->second.tile;
    }
    case ExprKind::kSubscript:
      if (int rank = RankOf(program, e); rank >= 0) return rank > 0;
      return std::any_of(e->args.begin() + 1, e->args.end(), Keeps);
    case ExprKind::kReshape:
    case ExprKind::kPermute:
    case ExprKind::kReinterpret:
    case ExprKind::kIndex:
      return true;
    case ExprKind::kTileOp:
      return !ir::IsRingOp(e->tile.op) && (!IsReduction(e->tile.op) || FindAttr(*e, "axis") != nullptr);
    case ExprKind::kDim:
    case ExprKind::kCall:
      return false;
    default:
      return std::any_of(e->args.begin(), e->args.end(), [&](const Expr& arg) { return IsTile(program, arg); });
  }
}

Team OwnerOf(const Program& program, const Expr& e) {
  Team owner = Team::kNone;
  ForEach(e, [&](const Expr& node) {
    if (node->kind != ExprKind::kVar) return;
    auto it = program.names.find(node->name);
    if (it == program.names.end() || it->second.owner == Team::kNone || !it->second.tile) return;
    if (it->second.space == ir::Space::kShared || it->second.space == ir::Space::kSharedDyn) return;
    owner = owner == Team::kNone ? it->second.owner : std::min(owner, it->second.owner);
  });
  return owner;
}

std::string OperationName(const Expr& e) {
  if (e->kind != ExprKind::kTileOp) return e->name;
  Team team = e->tile.team == Team::kNone ? Team::kCta : e->tile.team;
  const ir::TileOpRow* row = ir::FindTileOp(e->tile.op);
  return StrCat(ir::IsRingOp(e->tile.op) ? std::string_view(e->name) : ir::Name(team), ".",
                row ? row->name : "operation");
}

}  // namespace kiln::interp
