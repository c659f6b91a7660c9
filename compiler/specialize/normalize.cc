#include "compiler/specialize/normalize.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/visit.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

const char* ReductionName(TileOpKind op) {
  switch (op) {
    case TileOpKind::kSum:
      return "sum";
    case TileOpKind::kMax:
      return "max";
    case TileOpKind::kMin:
      return "min";
    case TileOpKind::kProd:
      return "prod";
    default:
      return "any";
  }
}

bool IsReductionExpr(const Expr& e) { return e->kind == ExprKind::kTileOp && IsReduction(e->tile.op); }

class Normalizer {
 public:
  explicit Normalizer(const ir::Kernel& kernel) : kernel_(kernel) {
    ir::ForEachStmt(kernel.body, [&](const Stmt& s) { names_.insert(ir::DeclaredName(*s)); });
    for (const ir::Param& param : kernel.params) names_.insert(param.name);
  }

  absl::StatusOr<Block> Run(const Block& block) {
    Block rest = block;
    Block out;
    for (size_t i = 0; i < rest.size(); ++i) {
      if (rest[i]->kind == StmtKind::kAlloc && !allocated_.insert(rest[i]->tensor.name).second) Rename(rest, i);
      KILN_RETURN_IF_ERROR(Add(*rest[i], out));
    }
    return out;
  }

 private:
  // A tile named like one of a sibling block gets a name of its own, from statement `i` on: later stages know tiles by
  // name.
  void Rename(Block& block, size_t i) {
    const std::string old = block[i]->tensor.name, fresh = Fresh(absl::StrCat(old, "_"));
    allocated_.insert(fresh);
    StmtNode node = *block[i];
    node.tensor.name = fresh;
    Expr reference = Reference(node.tensor);
    block[i] = ir::MakeStmt(std::move(node));
    Block after(block.begin() + i + 1, block.end());
    after = ir::Substitute(after, {{old, reference}});
    block.resize(i + 1);
    block.insert(block.end(), after.begin(), after.end());
  }

  absl::Status Add(const StmtNode& stmt, Block& out) {
    StmtNode node = stmt;
    switch (stmt.kind) {
      case StmtKind::kLet:
        if (stmt.value->type.tile) {
          AddTile(stmt.name, stmt.value, stmt.at, out);
          return absl::OkStatus();
        }
        node.value = Hoist(stmt.value, out, /*keep_outer=*/true);
        break;
      case StmtKind::kAlloc: {
        node.value = nullptr;
        if (stmt.tensor.owner == Team::kWarp || stmt.tensor.owner == Team::kWarpgroup)
          owners_[stmt.tensor.name] = stmt.tensor.owner;
        out.push_back(ir::MakeStmt(node));
        if (stmt.value) AddAssign(Reference(stmt.tensor), stmt.value, stmt.at, out);
        return absl::OkStatus();
      }
      case StmtKind::kAssign:
        if (stmt.target->type.tile) {
          AddAssign(stmt.target, stmt.value, stmt.at, out);
          return absl::OkStatus();
        }
        node.value = Hoist(stmt.value, out, /*keep_outer=*/false);
        break;
      case StmtKind::kEval:
        node.value = Evaluate(stmt.value, out);
        break;
      case StmtKind::kWhile:
        if (Any(stmt.value, IsReductionExpr))
          return absl::InvalidArgumentError(
              absl::StrCat("specialize: kernel \"", kernel_.name, "\" ", stmt.at.line, ":", stmt.at.column,
                           ": the condition of a `while` holds a reduction; assign it to a `var` in the loop"));
        break;
      case StmtKind::kIf:
        node.value = Hoist(stmt.value, out, false);
        break;
      default:
        break;
    }
    KILN_ASSIGN_OR_RETURN(node.body, Run(stmt.body));
    KILN_ASSIGN_OR_RETURN(node.orelse, Run(stmt.orelse));
    out.push_back(ir::MakeStmt(std::move(node)));
    return absl::OkStatus();
  }

  static Expr Reference(const ir::TensorDecl& tensor) {
    return Var(tensor.name, {tensor.dtype.dtype, 1, true, tensor.shape});
  }

  std::string Fresh(const std::string& stem) {
    for (int i = 0;; ++i) {
      std::string name = absl::StrCat(stem, i);
      if (names_.insert(name).second) return name;
    }
  }

  // The team whose registers the tiles of `value` are in: a value made of a warpgroup's tiles is the warpgroup's.
  Team OwnerOf(const Expr& value) const {
    Team owner = Team::kNone;
    ForEach(value, [&](const Expr& e) {
      if (e->kind != ExprKind::kVar) return;
      if (auto it = owners_.find(e->name); it != owners_.end()) owner = std::max(owner, it->second);
    });
    return owner;
  }

  // alloc name; name = value
  Expr AddTile(const std::string& name, const Expr& value, Location at, Block& out) {
    ir::TensorDecl tensor;
    tensor.name = name;
    allocated_.insert(name);
    tensor.dtype.dtype = value->type.dtype;
    tensor.shape = value->type.shape;
    tensor.owner = OwnerOf(value);
    if (tensor.owner != Team::kNone) owners_[name] = tensor.owner;
    Expr reference = Reference(tensor);
    StmtNode alloc;
    alloc.kind = StmtKind::kAlloc;
    alloc.tensor = std::move(tensor);
    alloc.at = at;
    out.push_back(ir::MakeStmt(std::move(alloc)));
    AddAssign(reference, value, at, out);
    return reference;
  }

  void AddAssign(const Expr& target, const Expr& value, Location at, Block& out) {
    bool direct = IsReductionExpr(value) && target->kind == ExprKind::kVar && value->type.dtype == target->type.dtype;
    StmtNode node;
    node.kind = StmtKind::kAssign;
    node.target = target;
    node.value = Hoist(value, out, direct);
    node.at = at;
    out.push_back(ir::MakeStmt(std::move(node)));
  }

  Expr Evaluate(const Expr& value, Block& out) {
    if (value->kind != ExprKind::kTileOp) return value;
    bool copy = value->tile.op == TileOpKind::kCopy || value->tile.op == TileOpKind::kCopyAsync;
    if (!copy || IsTileReference(value->args[1])) return value;
    Node map = *value;
    map.tile.op = TileOpKind::kMap;
    map.args[1] = Hoist(value->args[1], out, false);
    return MakeExpr(std::move(map));
  }

  // Reductions inside `e` become names of their own, innermost first. With `keep_outer`, one that is all of `e` stays.
  Expr Hoist(const Expr& e, Block& out, bool keep_outer) {
    if (IsReductionExpr(e) && keep_outer) return WithArgs(e, {Hoist(e->args[0], out, false)});
    Expr node = MapChildren(e, [&](const Expr& child) { return child ? Hoist(child, out, false) : child; });
    if (!IsReductionExpr(node)) return node;
    std::string name = Fresh(ReductionName(node->tile.op));
    if (node->type.tile) return AddTile(name, node, node->at, out);
    Stmt let = ir::Let(name, node);
    out.push_back(let);
    return Var(name, node->type);
  }

  const ir::Kernel& kernel_;
  std::set<std::string> names_;
  std::set<std::string> allocated_;
  std::map<std::string, Team> owners_;  // Of tiles that a warp or a warpgroup owns
};

}  // namespace

absl::Status Normalize(ir::Kernel& kernel) {
  KILN_ASSIGN_OR_RETURN(kernel.body, Normalizer(kernel).Run(kernel.body));
  return absl::OkStatus();
}

bool IsTileReference(const Expr& e) {
  switch (e->kind) {
    case ExprKind::kVar:
      return e->type.tile;
    case ExprKind::kSubscript:
    case ExprKind::kReshape:
    case ExprKind::kPermute:
    case ExprKind::kReinterpret:
      return e->type.tile && IsTileReference(e->args[0]);
    default:
      return false;
  }
}

const Expr& RootOf(const Expr& reference) {
  const Expr* e = &reference;
  while ((*e)->kind != ExprKind::kVar) e = &(*e)->args[0];
  return *e;
}

bool IsReduction(TileOpKind op) { return op >= TileOpKind::kSum && op <= TileOpKind::kAny; }

std::optional<MapStmt> AsMap(const ir::StmtNode& stmt) {
  if (stmt.kind == StmtKind::kAssign && stmt.target->type.tile && !IsReductionExpr(stmt.value))
    return MapStmt{stmt.target, stmt.value, Team::kCta};
  if (stmt.kind == StmtKind::kEval && stmt.value->kind == ExprKind::kTileOp && stmt.value->tile.op == TileOpKind::kMap)
    return MapStmt{stmt.value->args[0], stmt.value->args[1], stmt.value->tile.team};
  return std::nullopt;
}

}  // namespace kiln
