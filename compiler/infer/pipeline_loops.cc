#include "compiler/infer/pipeline_loops.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/infer/choose_block.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/visit.h"
#include "compiler/rules/operand.h"
#include "compiler/rules/rule.h"
#include "compiler/rules/site.h"
#include "compiler/rules/tma.h"
#include "compiler/specialize/bind.h"
#include "compiler/specialize/normalize.h"
#include "compiler/specialize/simplify_body.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Block;
using ir::LoopKind;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

const Type& IndexType() {
  static const Type* const type = new Type{DType::kI64};
  return *type;
}
Expr I(int64_t v) { return WithType(Int(v), IndexType()); }
Expr T(Expr e) { return WithType(std::move(e), IndexType()); }
Expr B(Expr e) { return WithType(std::move(e), {DType::kBool}); }
Expr Commit() { return B(Call("cp_async_commit", {})); }

// A body split into what one step needs before its work can start, and the work.
struct Parts {
  Block lets;    // Scalar lets that the copies read
  Block allocs;  // Shared buffers
  Block copies;  // Global to those buffers
  Block work;
};

bool IsCopyInto(const Stmt& stmt, const Block& allocs) {
  if (stmt->kind != StmtKind::kEval || stmt->value->kind != ExprKind::kTileOp ||
      stmt->value->tile.op != TileOpKind::kCopy)
    return false;
  const Expr& dst = stmt->value->args[0];
  for (const Stmt& alloc : allocs)
    if (RootOf(dst)->name == alloc->tensor.name) return true;
  return false;
}

Parts Split(const Block& body) {
  Parts parts;
  bool head = true;
  for (const Stmt& stmt : body) {
    bool shared = stmt->kind == StmtKind::kAlloc &&
                  (stmt->tensor.space == ir::Space::kShared || stmt->tensor.space == ir::Space::kSharedDyn);
    bool let = stmt->kind == StmtKind::kLet && stmt->value->kind != ExprKind::kTileOp;
    if (head && shared) {
      parts.allocs.push_back(stmt);
    } else if (head && let) {
      parts.lets.push_back(stmt);
    } else if (head && IsCopyInto(stmt, parts.allocs)) {
      parts.copies.push_back(stmt);
    } else {
      head = false;
      parts.work.push_back(stmt);
    }
  }
  return parts;
}

Stmt Operation(TileOpKind op, Team team, std::vector<Attr> attrs = {}) {
  TileOpInfo info;
  info.op = op;
  info.team = team;
  return ir::Eval(WithType(TileOperation(info, {}, std::move(attrs)), {DType::kBool}));
}

Expr RingOperation(TileOpKind op, const std::string& ring) {
  TileOpInfo info;
  info.op = op;
  info.team = Team::kThread;
  Node node = *TileOperation(info, {});
  node.name = ring;
  node.type = {op == TileOpKind::kRelease ? DType::kBool : DType::kI64};
  return MakeExpr(std::move(node));
}

// A statement that may leave the loop's body early: a ring would lose count.
bool Leaves(const Block& body) {
  bool leaves = false;
  ir::ForEachStmt(body, [&](const Stmt& stmt) {
    leaves |= stmt->kind == StmtKind::kBreak || stmt->kind == StmtKind::kContinue || stmt->kind == StmtKind::kReturn;
  });
  return leaves;
}

// Whether `body` writes the tensor `name`: what it reads in later steps must not be fetched ahead.
bool Writes(const Block& body, const std::string& name) {
  bool writes = false;
  auto note = [&](const Expr& target) { writes |= RootOf(target)->name == name; };
  ir::ForEachStmt(body, [&](const Stmt& stmt) {
    if (stmt->kind == StmtKind::kAssign &&
        (stmt->target->kind == ExprKind::kSubscript || IsTileReference(stmt->target)))
      note(stmt->target);
    ir::ForEachRoot(*stmt, [&](const Expr& root) {
      ForEach(root, [&](const Expr& e) {
        const ir::TileOpRow* row = e->kind == ExprKind::kTileOp ? ir::FindTileOp(e->tile.op) : nullptr;
        if (row && row->written >= 0) note(e->args[static_cast<size_t>(row->written)]);
        const ir::IntrinsicInfo* info = e->kind == ExprKind::kCall ? ir::FindIntrinsic(e->name) : nullptr;
        if (info && info->effect != '-' && !e->args.empty() && e->args[0]->kind == ExprKind::kVar) note(e->args[0]);
      });
    });
  });
  return writes;
}

// Products that the matrix unit takes with this many threads, by statement.
std::map<const StmtNode*, bool> MatrixUnitProducts(const ir::Kernel& kernel, const Target& target,
                                                   const Tensors& tensors) {
  std::map<const StmtNode*, bool> out;
  if (!target.Has("wgmma") || !target.Has("tma")) return out;
  auto rules = CudaRules();
  auto rule = std::find_if(rules.begin(), rules.end(),
                           [](const Rule& r) { return r.name == "wgmma" && r.op == TileOpKind::kGemm; });
  absl::Status seen = ForEachSite(kernel, target, tensors, [&](const Stmt& stmt, OpSite& site) {
    if (site.op == TileOpKind::kGemm && (site.node->tile.via.empty() || site.node->tile.via == rule->name))
      out[stmt.get()] = rule->applies(site).yes;
    return absl::OkStatus();
  });
  return seen.ok() ? out : std::map<const StmtNode*, bool>();
}

class Pipeliner {
 public:
  Pipeliner(const ir::Kernel& kernel, const Target& target, const Tensors& tensors, std::vector<std::string>* notes)
      : target_(target), tensors_(tensors), products_(MatrixUnitProducts(kernel, target, tensors)), notes_(notes) {}

  Block Kernel(const Block& body, Facts facts) {
    Block out = Run(body, std::move(facts));
    out.insert(out.begin(), rings_.begin(), rings_.end());
    return out;
  }

 private:
  Block Run(const Block& block, Facts facts) {
    Block out;
    for (const Stmt& stmt : block) {
      if (stmt->kind == StmtKind::kLet) AddLetFact(*stmt, facts);
      if (stmt->body.empty() && stmt->orelse.empty()) {
        out.push_back(stmt);
        continue;
      }
      StmtNode node = *stmt;
      Facts inner = facts;
      if (stmt->kind == StmtKind::kFor) AddLoopFact(*stmt, inner);
      node.body = Run(stmt->body, inner);
      node.orelse = Run(stmt->orelse, facts);
      if (stmt->kind == StmtKind::kFor && stmt->loop == LoopKind::kPipelined) {
        AddLoop(std::move(node), *stmt, inner, out);
        continue;
      }
      out.push_back(ir::MakeStmt(std::move(node)));
    }
    return out;
  }

  // `original` is `loop` as its statements were before this pass.
  void AddLoop(StmtNode loop, const StmtNode& original, const Facts& facts, Block& out) {
    int64_t stages = 2;
    if (loop.stages) IsConst(loop.stages, &stages);
    Parts parts = Split(loop.body);
    if (std::string why = WhyNoRing(parts, original, stages, facts); why.empty()) {
      EmitRing(loop, parts, stages, out);
      return;
    } else if (!products_.empty()) {
      notes_->push_back(absl::StrCat("pipelined ", loop.name, ": no tma: ", why));
    }
    std::string why = WhyNot(parts, stages, facts);
    if (!why.empty()) {
      notes_->push_back(absl::StrCat("pipelined ", loop.name, ": serial: ", why));
      loop.loop = LoopKind::kSerial;
      loop.stages = nullptr;
      out.push_back(ir::MakeStmt(std::move(loop)));
      return;
    }
    notes_->push_back(absl::StrCat("pipelined ", loop.name, ": ", stages, " stages of cp_async, ", parts.copies.size(),
                                   " copies a step"));
    Emit(loop, parts, stages, out);
  }

  std::string WhyNot(const Parts& parts, int64_t stages, Facts facts) {
    if (stages < 2) return "one stage";
    if (!target_.Has("cp_async")) return absl::StrCat(target_.name, " has no cp_async");
    if (parts.copies.empty()) return "its body starts with no copy into a shared buffer";
    for (const Stmt& let : parts.lets) AddLetFact(*let, facts);
    for (const Stmt& copy : parts.copies) {
      const Expr &dst = copy->value->args[0], &src = copy->value->args[1];
      if (dst->type.dtype != src->type.dtype) return "a copy converts";
      auto operand = ResolveOperand(src, tensors_);
      if (!operand.ok()) return std::string(operand.status().message());
      if (operand->tensor->space != ir::Space::kGlobal) return "a copy is not from global memory";
      if (Writes(parts.work, operand->tensor->name)) return absl::StrCat(operand->tensor->name, " is written in it");
      int64_t bits = Bits(src->type.dtype);
      std::string reason;
      if (VectorWidth(*operand, 128 / bits, facts, &reason) * bits < 32)
        return absl::StrCat("a copy moves less than 4 bytes at once: ", reason);
    }
    return "";
  }

  // The copy engine into a ring, where it feeds the matrix unit.
  std::string WhyNoRing(const Parts& parts, const StmtNode& original, int64_t stages, Facts facts) {
    bool feeds = false;
    ir::ForEachStmt(original.body, [&](const Stmt& stmt) {
      auto product = products_.find(stmt.get());
      feeds |= product != products_.end() && product->second;
    });
    if (!feeds) return "no product in it is one of the matrix unit's";
    if (stages < 2) return "one stage";
    if (parts.copies.empty()) return "its body starts with no copy into a shared buffer";
    if (parts.copies.size() != parts.allocs.size()) return "a buffer is filled by no copy, or by several";
    if (Leaves(original.body)) return "its body may leave early";
    for (const Stmt& let : parts.lets) AddLetFact(*let, facts);
    for (const Stmt& copy : parts.copies) {
      const Expr &dst = copy->value->args[0], &src = copy->value->args[1];
      if (dst->type.dtype != src->type.dtype) return "a copy converts";
      if (dst->kind != ExprKind::kVar) return "a copy fills a part of its buffer";
      if (FindAttr(*copy->value, "fill")) return "a copy has a fill value";
      auto operand = ResolveOperand(src, tensors_);
      if (!operand.ok()) return std::string(operand.status().message());
      if (operand->tensor->space != ir::Space::kGlobal) return "a copy is not from global memory";
      if (Writes(parts.work, operand->tensor->name)) return absl::StrCat(operand->tensor->name, " is written in it");
      if (Verdict verdict = TmaTakes(*operand->tensor, facts); !verdict.yes) return verdict.reason;
      int last = -1;
      for (const OperandDim& dim : operand->dims) {
        if (dim.root <= last) return "a copy permutes dimensions";
        last = dim.root;
        if (!Equal(dim.limit, operand->tensor->shape[static_cast<size_t>(dim.root)])) return "a copy is from a view";
      }
      if (last + 1 != static_cast<int>(operand->tensor->shape.size())) return "a copy reads across rows";
    }
    return "";
  }

  // One product and nothing else, whose accumulator nobody else touches in the loop: the next may begin before it ends.
  bool IsOneProduct(const Block& work) {
    if (work.size() != 1) return false;
    auto product = products_.find(work[0].get());
    if (product == products_.end() || !product->second || work[0]->value->tile.team != Team::kCta) return false;
    const Node& op = *work[0]->value;
    return op.args[0]->kind == ExprKind::kVar && tensors_.at(RootOf(op.args[1])->name).space != ir::Space::kLocal;
  }

  void EmitRing(const StmtNode& loop, const Parts& parts, int64_t stages, Block& out) {
    const std::string &k = loop.name, ring = k + "_ring", slot = k + "_slot", fill = k + "_fill", first = k + "_first";
    const bool overlap = IsOneProduct(parts.work);
    notes_->push_back(absl::StrCat("pipelined ", k, ": ring of ", stages, " slots filled by tma, ", parts.copies.size(),
                                   " copies a step", overlap ? ", one product in flight" : ""));
    // With a product in flight its slot is freed a step later.
    const int64_t ahead = overlap ? stages - 1 : stages;
    Expr step = loop.step ? loop.step : I(1);
    StmtNode declared;
    declared.kind = StmtKind::kRing;
    declared.name = ring;
    declared.stages = I(stages);
    declared.at = loop.at;
    Substitution read, write;
    for (const Stmt& alloc : parts.allocs) {
      StmtNode node = *alloc;
      node.tensor.shape.insert(node.tensor.shape.begin(), I(stages));
      Expr whole = Var(node.tensor.name, {node.tensor.dtype.dtype, 1, true, node.tensor.shape});
      read[node.tensor.name] = Slot(whole, slot);
      write[node.tensor.name] = Slot(whole, fill);
      declared.body.push_back(ir::MakeStmt(std::move(node)));
    }
    rings_.push_back(ir::MakeStmt(std::move(declared)));

    auto filling = [&](const Expr& value) {
      Block block = {ir::Let(fill, RingOperation(TileOpKind::kPush, ring))};
      for (Stmt& copy : Copies(parts, k, value, write, Team::kThread, "tma")) block.push_back(std::move(copy));
      return block;
    };
    Expr one_thread = B(Binary(Op::kEq, Var("thread_id", IndexType()), I(0)));
    Expr early = Simplify(T(loop.begin + T(Var(first, IndexType()) * step)), {});
    Block prologue = {ir::If(B(Lt(early, loop.end)), filling(early))};
    out.push_back(ir::If(one_thread, {ir::For(first, I(0), I(ahead), std::move(prologue), LoopKind::kUnroll)}));

    StmtNode steady = loop;
    steady.loop = LoopKind::kSerial;
    steady.stages = nullptr;
    steady.body = {ir::Let(slot, RingOperation(TileOpKind::kPop, ring))};
    steady.body.insert(steady.body.end(), parts.lets.begin(), parts.lets.end());
    Block work = ir::Substitute(parts.work, read);
    Stmt release = ir::Eval(RingOperation(TileOpKind::kRelease, ring));
    if (overlap) {
      Node product = *work[0]->value;
      product.tile.op = TileOpKind::kGemmAsync;
      StmtNode stmt = *work[0];
      stmt.value = MakeExpr(std::move(product));
      steady.body.push_back(ir::MakeStmt(std::move(stmt)));
      steady.body.push_back(Operation(TileOpKind::kWaitGemm, Team::kCta, {{"pending", I(1)}}));
      steady.body.push_back(ir::If(B(Lt(loop.begin, Var(k, IndexType()))), {release}));
    } else {
      steady.body.insert(steady.body.end(), work.begin(), work.end());
      steady.body.push_back(release);
    }
    Expr later = Simplify(T(Var(k, IndexType()) + T(I(ahead) * step)), {});
    steady.body.push_back(ir::If(B(And(one_thread, B(Lt(later, loop.end)))), filling(later)));
    out.push_back(ir::MakeStmt(std::move(steady)));
    if (!overlap) return;
    out.push_back(Operation(TileOpKind::kWaitGemm, Team::kCta, {{"pending", I(0)}}));
    out.push_back(ir::If(B(Lt(loop.begin, loop.end)), {release}));
  }

  void Emit(const StmtNode& loop, const Parts& parts, int64_t stages, Block& out) {
    const std::string &k = loop.name, read = k + "_slot", write = k + "_fill", first = k + "_first";
    Expr step = loop.step ? loop.step : I(1);
    Substitution buffers_read, buffers_write, buffers_first;
    for (const Stmt& alloc : parts.allocs) {
      StmtNode node = *alloc;
      node.tensor.shape.insert(node.tensor.shape.begin(), I(stages));
      Expr whole = Var(node.tensor.name, {node.tensor.dtype.dtype, 1, true, node.tensor.shape});
      buffers_read[node.tensor.name] = Slot(whole, read);
      buffers_write[node.tensor.name] = Slot(whole, write);
      buffers_first[node.tensor.name] = Slot(whole, first);
      out.push_back(ir::MakeStmt(std::move(node)));
    }
    // The first stages - 1 steps.
    Expr early = Simplify(T(loop.begin + T(Var(first, IndexType()) * step)), {});
    Block prologue = {ir::If(B(Lt(early, loop.end)), Copies(parts, k, early, buffers_first)), ir::Eval(Commit())};
    out.push_back(ir::For(first, I(0), I(stages - 1), std::move(prologue), LoopKind::kUnroll));

    TileOpInfo wait;
    wait.op = TileOpKind::kWaitCopy;
    wait.team = Team::kCta;
    auto wait_for = [&](int64_t pending) {
      return ir::Eval(WithType(TileOperation(wait, {}, {{"pending", I(pending)}}), {DType::kBool}));
    };
    // One barrier a step: it shows everyone this step's data, and that the last step's buffer has been read.
    TileOpInfo sync;
    sync.op = TileOpKind::kSync;
    sync.team = Team::kCta;
    // Slots follow from the loop variable, so that their ranges are plain.
    Expr trip = T(FloorDiv(T(Var(k, IndexType()) - loop.begin), step));
    Block body = {ir::Let(read, Simplify(T(Mod(trip, I(stages))), {})),
                  ir::Let(write, T(Mod(T(Var(read, IndexType()) + I(stages - 1)), I(stages)))), wait_for(stages - 2),
                  ir::Eval(WithType(TileOperation(sync, {}), {DType::kBool}))};
    Expr later = Simplify(T(Var(k, IndexType()) + T(I(stages - 1) * step)), {});
    body.push_back(ir::If(B(Lt(later, loop.end)), Copies(parts, k, later, buffers_write)));
    body.push_back(ir::Eval(Commit()));
    body.insert(body.end(), parts.lets.begin(), parts.lets.end());
    Block work = ir::Substitute(parts.work, buffers_read);
    body.insert(body.end(), work.begin(), work.end());

    StmtNode steady = loop;
    steady.loop = LoopKind::kSerial;
    steady.stages = nullptr;
    steady.body = std::move(body);
    out.push_back(ir::MakeStmt(std::move(steady)));
    out.push_back(wait_for(0));
  }

  static Expr Slot(const Expr& whole, const std::string& slot) {
    std::vector<Expr> items = {Var(slot, IndexType())};
    for (size_t d = 1; d < whole->type.shape.size(); ++d) items.push_back(Full());
    Type type = whole->type;
    type.shape.erase(type.shape.begin());
    return WithType(Subscript(whole, std::move(items)), type);
  }

  // The step's copies as asynchronous ones, at another value of the loop variable and into another slot.
  static Block Copies(const Parts& parts, const std::string& k, const Expr& value, const Substitution& buffers,
                      Team team = Team::kCta, const std::string& via = "") {
    Substitution values = {{k, value}};
    for (const Stmt& let : parts.lets) values[let->name] = Substitute(let->value, values);
    Block out;
    for (const Stmt& copy : parts.copies) {
      Node node = *copy->value;
      node.tile.op = TileOpKind::kCopyAsync;
      node.tile.team = team;
      node.tile.via = via;
      for (Expr& arg : node.args) arg = Substitute(Substitute(arg, values), buffers);
      StmtNode stmt = *copy;
      stmt.value = MakeExpr(std::move(node));
      out.push_back(ir::MakeStmt(std::move(stmt)));
    }
    return out;
  }

  const Target& target_;
  const Tensors& tensors_;
  const std::map<const StmtNode*, bool> products_;
  std::vector<std::string>* notes_;
  Block rings_;  // Declared before everything else
};

bool CallsCommit(const ir::Kernel& kernel) {
  bool found = false;
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    found = found || (e->kind == ExprKind::kCall && e->name == "cp_async_commit");
  });
  return found;
}

// Each `copy_async` of the text is a group of its own, unless the text closes its groups itself. Copies into slots
// complete at barriers, and those out of shared memory are the copy engine's.
Block WithCommits(const Block& body, const Tensors& tensors) {
  return ir::RewriteStmts(body, [&](const Stmt& stmt) -> Block {
    const bool async = stmt->kind == StmtKind::kEval && stmt->value->kind == ExprKind::kTileOp &&
                       stmt->value->tile.op == TileOpKind::kCopyAsync;
    if (!async) return {stmt};
    const TensorInfo& to = tensors.at(RootOf(stmt->value->args[0])->name);
    if (to.space == ir::Space::kGlobal || !to.ring.empty()) return {stmt};
    return {stmt, ir::Eval(Commit())};
  });
}

}  // namespace

absl::StatusOr<ir::Kernel> PipelineLoops(const ir::Kernel& kernel, const Target& target,
                                         std::vector<std::string>* notes) {
  KILN_ASSIGN_OR_RETURN(ir::Kernel out, ChooseBlock(kernel, target, notes));
  KILN_ASSIGN_OR_RETURN(Tensors tensors, TensorsOf(out));
  if (!CallsCommit(kernel)) out.body = WithCommits(kernel.body, tensors);
  out.body = Pipeliner(out, target, tensors, notes).Kernel(out.body, FactsOf(out));
  return out;
}

}  // namespace kiln
