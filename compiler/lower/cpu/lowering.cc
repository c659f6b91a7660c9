// Statements: scopes, tiles and what each kind of statement becomes.
#include "compiler/lower/cpu/lowering.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/bounds.h"
#include "compiler/expr/simplify.h"
#include "compiler/ir/print.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/visit.h"
#include "compiler/ir/words.h"
#include "compiler/lower/abi.h"
#include "compiler/lower/cpu/lower_cpu.h"
#include "compiler/rules/rule.h"
#include "compiler/specialize/bind.h"
#include "compiler/specialize/normalize.h"
#include "compiler/specialize/simplify_body.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace cpu {
namespace {

using ir::StmtKind;

constexpr int64_t kScratchAlign = 64;
// What a worker gives at most when the target does not say.
constexpr int64_t kDefaultCapacity = int64_t{256} << 20;

bool NamesThreads(const Expr& e) {
  return e->kind == ExprKind::kVar && (e->name == "thread_id" || e->name == "lane_id" || e->name == "warp_id");
}

std::string TeamName(Team team) { return std::string(ir::Name(team == Team::kNone ? Team::kCta : team)); }

std::string OperationName(TileOpKind op) {
  const ir::TileOpRow* row = ir::FindTileOp(op);
  return row ? std::string(row->name) : "operation";
}

}  // namespace

Lowering::Lowering(const ir::Kernel& kernel, const Target& target, std::vector<std::string>* rules)
    : kernel_(kernel), target_(target), rules_(rules) {}

absl::Status Lowering::Fail(absl::StatusCode code, Location at, const std::string& what) const {
  return absl::Status(code, absl::StrCat("lower: kernel \"", kernel_.name, "\" ", at.line, ":", at.column, ": ", what));
}

std::string Lowering::Fresh(const std::string& stem) {
  if (names_.insert(stem).second) return stem;
  for (int i = 1;; ++i) {
    std::string name = absl::StrCat(stem, i);
    if (names_.insert(name).second) return name;
  }
}

absl::Status Lowering::ChooseRule(TileOpKind op, Team team, const std::string& via, Location at) {
  const TileOpKind row = IsReduction(op) ? TileOpKind::kSum : op;
  for (const Rule& rule : CpuRules()) {
    if (rule.op != row) continue;
    if (!via.empty() && via != rule.name)
      return Fail(absl::StatusCode::kUnimplemented, at,
                  absl::StrCat("via ", via, ": the CPU has one family for it, ", std::string(rule.name)));
    if (rules_) rules_->push_back(absl::StrCat(TeamName(team), ".", OperationName(op), ": ", std::string(rule.name)));
    return absl::OkStatus();
  }
  return Fail(
      absl::StatusCode::kUnimplemented, at,
      absl::StrCat(TeamName(team), ".", OperationName(op), " has no CPU lowering; target `reference` interprets it"));
}

// A CTA is one worker. Text for more threads than that means something else on one of them.
absl::Status Lowering::CheckThreads() const {
  if (!kernel_.launch.block || IsConst(kernel_.launch.block, 1)) return absl::OkStatus();
  Location at;
  std::string found;
  ir::ForEachStmt(kernel_.body, [&](const ir::Stmt& stmt) {
    if (found.empty() && stmt->kind == StmtKind::kAlloc && stmt->tensor.owner != Team::kNone &&
        stmt->tensor.owner != Team::kCta) {
      found = absl::StrCat("alloc ", TeamName(stmt->tensor.owner), ".", stmt->tensor.name);
      at = stmt->at;
    }
  });
  ir::ForEachExpr(kernel_.body, [&](const Expr& e) {
    if (!found.empty()) return;
    bool narrow = e->kind == ExprKind::kTileOp &&
                  (e->tile.team == Team::kThread || e->tile.team == Team::kWarp || e->tile.team == Team::kWarpgroup);
    if (!narrow && !NamesThreads(e)) return;
    found = narrow ? absl::StrCat("a ", TeamName(e->tile.team), " operation") : e->name;
    at = e->at;
  });
  if (found.empty()) return absl::OkStatus();
  return Fail(
      absl::StatusCode::kUnimplemented, at,
      absl::StrCat("expected text for one thread a CTA, found ", found, " with block(", ir::Print(kernel_.launch.block),
                   "); write block(1), or use target `reference`, which interprets threads"));
}

void Lowering::DeclareParams() {
  for (const ir::Param& param : kernel_.params) {
    names_.insert(param.name);
    if (!param.is_tensor) continue;
    Storage storage;
    storage.name = param.name;
    storage.global = true;
    storage.written = param.direction != ir::Direction::kIn;
    storage.logical = storage.stored = param.dtype.dtype;
    storage.shape = param.shape;
    storage.strides.assign(param.shape.size(), Int(1));
    for (size_t d = param.shape.size(); d-- > 1;)
      storage.strides[d - 1] = Simplify(storage.strides[d] * param.shape[d], scope_.facts);
    for (const ir::TensorFact& fact : kernel_.tensor_facts) {
      if (fact.param != param.name) continue;
      storage.align = fact.align;
      if (!fact.strides.empty()) storage.strides = fact.strides;
    }
    tensors_[param.name] = std::move(storage);
  }
}

absl::StatusOr<ir::Kernel> Lowering::Run() {
  KILN_RETURN_IF_ERROR(CheckThreads());
  scope_.facts = FactsOf(kernel_);
  for (const char* builtin : {"cta_id.x", "cta_id.y", "cta_id.z", "grid.x", "grid.y", "grid.z", "thread_id", "lane_id",
                              "warp_id", "lane", "gemm.i", "gemm.j", "gemm.k"})
    names_.insert(builtin);
  for (const ir::SymbolFact& fact : kernel_.symbol_facts) names_.insert(fact.name);
  ir::ForEachStmt(kernel_.body, [&](const ir::Stmt& stmt) { names_.insert(ir::DeclaredName(*stmt)); });
  const char* ids[] = {"cta_id.x", "cta_id.y", "cta_id.z"};
  for (size_t i = 0; i < kernel_.launch.grid.size() && i < 3; ++i) grid_[ids[i]] = kernel_.launch.grid[i];
  DeclareParams();
  packing_ = ChoosePacking(kernel_.body, target_);

  ir::Kernel native = kernel_;
  KILN_ASSIGN_OR_RETURN(native.body, LowerBlock(kernel_.body));
  native.native = true;
  native.scratch_bytes = scratch_max_;
  native.launch.block = nullptr;
  SetNativeParams(native);
  for (ir::NativeParam& param : native.native_params)
    if (param.kind == ir::NativeParam::Kind::kSymbol) param.dtype = DType::kI64;
  return native;
}

absl::StatusOr<ir::Block> Lowering::LowerBlock(const ir::Block& block) {
  Scope outer = scope_;
  ir::Block out;
  for (size_t i = 0; i < block.size();) {
    KILN_ASSIGN_OR_RETURN(size_t lowered, LowerStmts(block, i, out));
    i += lowered;
  }
  // A tile that the block wrote is no longer what was noted about it outside.
  Scope inner = std::move(scope_);
  scope_ = std::move(outer);
  for (auto it = scope_.valid.begin(); it != scope_.valid.end();) {
    auto now = inner.valid.find(it->first);
    bool kept = now != inner.valid.end() && now->second == it->second;
    it = kept ? std::next(it) : scope_.valid.erase(it);
  }
  return out;
}

absl::Status Lowering::LowerStmt(const ir::StmtNode& stmt, ir::Block& out) {
  ir::StmtNode node = stmt;
  switch (stmt.kind) {
    case StmtKind::kLet: {
      if (stmt.value->kind == ExprKind::kTileOp)
        return LowerReduction(stmt.value, nullptr, stmt.name, stmt.at, nullptr, out);
      KILN_ASSIGN_OR_RETURN(node.value, Scalar(stmt.value));
      AddLet(stmt.name, node.value);
      break;
    }
    case StmtKind::kMutable: {
      KILN_ASSIGN_OR_RETURN(node.value, Scalar(stmt.value));
      break;
    }
    case StmtKind::kAlloc:
      return LowerAlloc(stmt, out);
    case StmtKind::kAssign:
      return LowerAssign(stmt, out);
    case StmtKind::kEval:
      return LowerEval(stmt, out);
    case StmtKind::kFor: {
      KILN_ASSIGN_OR_RETURN(node.begin, Scalar(stmt.begin));
      KILN_ASSIGN_OR_RETURN(node.end, Scalar(stmt.end));
      if (stmt.step) {
        KILN_ASSIGN_OR_RETURN(node.step, Scalar(stmt.step));
      }
      node.stages = nullptr;
      node.loop = stmt.loop == ir::LoopKind::kUnroll ? stmt.loop : ir::LoopKind::kSerial;
      Scope outer = scope_;
      scope_.valid.clear();
      AddLoopFact(stmt, scope_.facts);
      KILN_ASSIGN_OR_RETURN(node.body, LowerBlock(stmt.body));
      scope_ = std::move(outer);
      scope_.valid.clear();
      break;
    }
    case StmtKind::kWhile:
    case StmtKind::kIf: {
      KILN_ASSIGN_OR_RETURN(node.value, Scalar(stmt.value));
      Scope outer = scope_;
      if (stmt.kind == StmtKind::kWhile) scope_.valid.clear();
      scope_.facts = Assuming(stmt.value, scope_.facts);
      KILN_ASSIGN_OR_RETURN(node.body, LowerBlock(stmt.body));
      scope_ = outer;
      KILN_ASSIGN_OR_RETURN(node.orelse, LowerBlock(stmt.orelse));
      scope_ = std::move(outer);
      scope_.valid.clear();
      break;
    }
    case StmtKind::kAssume:
      scope_.facts = Assuming(stmt.value, scope_.facts);
      return absl::OkStatus();
    case StmtKind::kAssert:
      return absl::OkStatus();
    default:
      break;
  }
  out.push_back(ir::MakeStmt(std::move(node)));
  return absl::OkStatus();
}

void Lowering::AddLet(const std::string& name, const Expr& value) {
  bool reads = Any(value, [](const Expr& e) { return e->kind == ExprKind::kLoad || e->kind == ExprKind::kCall; });
  Bounds bounds = BoundsOf(value, scope_.facts);
  scope_.facts[name] = {bounds.min, bounds.max, DivisorOf(value, scope_.facts)};
  scope_.lets.erase(name);
  if (!reads && value->kind != ExprKind::kSelect) scope_.lets[name] = Substitute(value, scope_.lets);
}

absl::StatusOr<const Storage*> Lowering::AddTile(const std::string& name, DType dtype, const std::vector<Expr>& shape,
                                                 const Packing* packing, Location at, ir::Block& out) {
  Storage storage;
  storage.name = name;
  storage.logical = storage.stored = dtype;
  if (packing) storage.stored = packing->stored;
  storage.align = kScratchAlign;
  storage.shape = shape;
  storage.strides.assign(shape.size(), Int(1));
  std::vector<int64_t> extents;
  for (const Expr& extent : shape) {
    int64_t value = 0;
    if (!IsConst(extent, &value) || value < 0)
      return Fail(absl::StatusCode::kUnimplemented, at,
                  absl::StrCat("tile \"", name, "\": expected constant extents, found ", ir::Print(extent)));
    extents.push_back(value);
  }
  if (packing && packing->panel_dim >= 0) {
    KILN_CHECK(extents.size() == 2, "a packed tile has two dimensions");
    int other = 1 - packing->panel_dim;
    storage.panel_dim = packing->panel_dim;
    storage.panel = packing->panel;
    storage.panel_stride = packing->panel * extents[other];
    storage.strides[other] = Int(packing->panel);
    extents[packing->panel_dim] = (extents[packing->panel_dim] + packing->panel - 1) / packing->panel * packing->panel;
  } else {
    int64_t stride = 1;
    for (size_t d = extents.size(); d-- > 0;) {
      storage.strides[d] = Int(stride);
      if (__builtin_mul_overflow(stride, std::max<int64_t>(extents[d], 1), &stride)) stride = INT64_MAX / 16;
    }
  }
  // In 128 bits: extents are the author's.
  __int128_t elements = 1;
  for (int64_t extent : extents) elements = std::min<__int128_t>(elements * extent, INT64_MAX);
  const MemorySpace* space = target_.Find("local");
  int64_t capacity = space && space->capacity ? space->capacity : kDefaultCapacity;
  __int128_t bytes = elements * Bits(storage.stored) / 8;
  if (scope_.scratch_top + bytes > capacity)
    return Fail(absl::StatusCode::kResourceExhausted, at,
                absl::StrCat("tile \"", name, "\" takes ", static_cast<int64_t>(std::min<__int128_t>(bytes, INT64_MAX)),
                             " bytes after ", scope_.scratch_top, " of others: expected at most ", capacity));
  storage.elements = static_cast<int64_t>(elements);

  ir::TensorDecl tensor;
  tensor.name = name;
  tensor.dtype.dtype = storage.stored;
  tensor.shape = {Int(storage.elements)};
  tensor.space = ir::Space::kLocal;
  tensor.align = kScratchAlign;
  tensor.offset = scope_.scratch_top;
  scope_.scratch_top += (static_cast<int64_t>(bytes) + kScratchAlign - 1) / kScratchAlign * kScratchAlign;
  scratch_max_ = std::max(scratch_max_, scope_.scratch_top);
  out.push_back(ir::Alloc(std::move(tensor)));
  scope_.valid.erase(name);
  Storage& added = tensors_[name];
  added = std::move(storage);
  return &added;
}

absl::Status Lowering::LowerAlloc(const ir::StmtNode& stmt, ir::Block& out) {
  auto it = packing_.find(stmt.tensor.name);
  const Packing* packing = it == packing_.end() || stmt.tensor.shape.size() != 2 ? nullptr : &it->second;
  return AddTile(stmt.tensor.name, stmt.tensor.dtype.dtype, stmt.tensor.shape, packing, stmt.at, out).status();
}

absl::Status Lowering::LowerAssign(const ir::StmtNode& stmt, ir::Block& out) {
  if (stmt.value->kind == ExprKind::kTileOp) return LowerReduction(stmt.value, stmt.target, "", stmt.at, nullptr, out);
  if (stmt.target->type.tile) {
    KILN_RETURN_IF_ERROR(ChooseRule(TileOpKind::kMap, Team::kCta, "", stmt.at));
    return LowerMap({stmt.target, stmt.value, nullptr, stmt.at}, out);
  }
  KILN_ASSIGN_OR_RETURN(Expr value, Scalar(stmt.value));
  if (stmt.target->kind == ExprKind::kVar) {
    out.push_back(ir::Assign(stmt.target, value));
    return absl::OkStatus();
  }
  Access access;
  KILN_RETURN_IF_ERROR(ResolveInto(stmt.target, {}, scope_.facts, access));
  scope_.valid.erase(access.storage->name);
  out.push_back(
      ir::Store(Var(access.storage->name), Simplify(FlatIndex(*access.storage, access.index), scope_.facts), value));
  return absl::OkStatus();
}

absl::Status Lowering::LowerEval(const ir::StmtNode& stmt, ir::Block& out) {
  if (stmt.value->kind == ExprKind::kTileOp) {
    out.push_back(ir::Comment(ir::Print(stmt.value)));
    // Each operation's temporaries end with it.
    int64_t top = scope_.scratch_top;
    ir::Block body;
    KILN_RETURN_IF_ERROR(LowerTileOp(stmt.value, stmt.at, body));
    scope_.scratch_top = top;
    out.insert(out.end(), body.begin(), body.end());
    return absl::OkStatus();
  }
  KILN_ASSIGN_OR_RETURN(Expr value, Scalar(stmt.value));
  out.push_back(ir::Eval(value));
  return absl::OkStatus();
}

absl::Status Lowering::LowerTileOp(const Expr& op, Location at, ir::Block& out) {
  const TileOpKind kind = op->tile.op;
  if (kind >= TileOpKind::kSync) return absl::OkStatus();  // One thread, and every operation is done when it returns
  KILN_RETURN_IF_ERROR(ChooseRule(kind, op->tile.team, op->tile.via, at));
  switch (kind) {
    case TileOpKind::kGemm:
    case TileOpKind::kGemmAsync:
      return LowerGemm(op, at, out);
    case TileOpKind::kGather:
      return LowerGather(op, at, out);
    case TileOpKind::kScatter:
      return LowerScatter(op, at, out);
    case TileOpKind::kAtomicAdd:
    case TileOpKind::kAtomicMax:
    case TileOpKind::kAtomicMin:
      return LowerAtomic(op, out);
    default:
      return LowerMap({op->args[0], op->args[1], FindAttr(*op, "fill"), at}, out);
  }
}

}  // namespace cpu

absl::StatusOr<ir::Kernel> LowerCpu(const ir::Kernel& kernel, const Target& target, std::vector<std::string>* rules) {
  KILN_CHECK(kernel.specialized, "LowerCpu takes what Specialize gives; \"", kernel.name, "\" is not");
  return cpu::Lowering(kernel, target, rules).Run();
}

}  // namespace kiln
