#include "compiler/infer/pipeline_loops.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/visit.h"
#include "compiler/rules/operand.h"
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
Expr T(Expr e) { return WithType(e, IndexType()); }
Expr B(Expr e) { return WithType(e, {DType::kBool}); }
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

class Pipeliner {
 public:
  Pipeliner(const Target& target, const Tensors& tensors, std::vector<std::string>* notes)
      : target_(target), tensors_(tensors), notes_(notes) {}

  Block Run(const Block& block, Facts facts) {
    Block out;
    for (const Stmt& stmt : block) {
      StmtNode node = *stmt;
      if (stmt->kind == StmtKind::kLet) AddLetFact(*stmt, facts);
      Facts inner = facts;
      if (stmt->kind == StmtKind::kFor) AddLoopFact(*stmt, inner);
      node.body = Run(stmt->body, inner);
      node.orelse = Run(stmt->orelse, facts);
      if (stmt->kind == StmtKind::kFor && stmt->loop == LoopKind::kPipelined) {
        AddLoop(std::move(node), inner, out);
        continue;
      }
      out.push_back(ir::MakeStmt(std::move(node)));
    }
    return out;
  }

 private:
  void AddLoop(StmtNode loop, const Facts& facts, Block& out) {
    int64_t stages = 2;
    if (loop.stages) IsConst(loop.stages, &stages);
    Parts parts = Split(loop.body);
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
      int64_t bits = Bits(src->type.dtype);
      std::string reason;
      if (VectorWidth(*operand, 128 / bits, facts, &reason) * bits < 32)
        return absl::StrCat("a copy moves less than 4 bytes at once: ", reason);
    }
    return "";
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
  static Block Copies(const Parts& parts, const std::string& k, const Expr& value, const Substitution& buffers) {
    Substitution values = {{k, value}};
    for (const Stmt& let : parts.lets) values[let->name] = Substitute(let->value, values);
    Block out;
    for (const Stmt& copy : parts.copies) {
      Node node = *copy->value;
      node.tile.op = TileOpKind::kCopyAsync;
      for (Expr& arg : node.args) arg = Substitute(Substitute(arg, values), buffers);
      StmtNode stmt = *copy;
      stmt.value = std::make_shared<const Node>(std::move(node));
      out.push_back(ir::MakeStmt(std::move(stmt)));
    }
    return out;
  }

  const Target& target_;
  const Tensors& tensors_;
  std::vector<std::string>* notes_;
};

bool CallsCommit(const ir::Kernel& kernel) {
  bool found = false;
  ir::ForEachExpr(kernel.body, [&](const Expr& e) {
    found = found || (e->kind == ExprKind::kCall && e->name == "cp_async_commit");
  });
  return found;
}

// Each `copy_async` of the text is a group of its own, unless the text closes its groups itself.
Block WithCommits(const Block& body) {
  return ir::RewriteStmts(body, [](const Stmt& stmt) -> Block {
    const bool async = stmt->kind == StmtKind::kEval && stmt->value->kind == ExprKind::kTileOp &&
                       stmt->value->tile.op == TileOpKind::kCopyAsync;
    if (!async) return {stmt};
    return {stmt, ir::Eval(Commit())};
  });
}

}  // namespace

absl::StatusOr<ir::Kernel> PipelineLoops(const ir::Kernel& kernel, const Target& target,
                                         std::vector<std::string>* notes) {
  KILN_ASSIGN_OR_RETURN(Tensors tensors, TensorsOf(kernel));
  ir::Kernel out = kernel;
  const Block body = CallsCommit(kernel) ? kernel.body : WithCommits(kernel.body);
  out.body = Pipeliner(target, tensors, notes).Run(body, FactsOf(kernel));
  return out;
}

}  // namespace kiln
