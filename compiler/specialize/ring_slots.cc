#include "compiler/specialize/ring_slots.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/visit.h"
#include "compiler/specialize/fresh_names.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

constexpr int64_t kWarpgroup = 128;

bool IsRingOperation(const Expr& e) { return e && e->kind == ExprKind::kTileOp && ir::IsRingOp(e->tile.op); }

// Threads that pop or release each ring: of whole roles; 0 where one does outside of every role.
std::map<std::string, int64_t> ReadersOf(const Block& body) {
  std::map<std::string, std::set<std::string>> roles;
  std::map<std::string, int64_t> threads, readers;
  for (const Stmt& stmt : body) {
    const std::string role = stmt->kind == StmtKind::kRole ? stmt->name : "";
    threads[role] = static_cast<int64_t>(stmt->members.size()) * kWarpgroup;
    ir::ForEachExpr({stmt}, [&](const Expr& e) {
      if (IsRingOperation(e) && e->tile.op != TileOpKind::kPush) roles[e->name].insert(role);
    });
  }
  threads[""] = 0;
  for (const auto& [ring, names] : roles) {
    readers[ring] = 0;
    if (names.count("")) continue;
    for (const std::string& name : names) readers[ring] += threads.at(name);
  }
  return readers;
}

class Expander {
 public:
  explicit Expander(const ir::Kernel& kernel) : names_(kernel), readers_(ReadersOf(kernel.body)) {}

  Block Run(const Block& block) {
    Block out;
    for (const Stmt& stmt : block) {
      if (stmt->kind == StmtKind::kRing) {
        out.push_back(Declare(*stmt));
        continue;
      }
      if (stmt->kind == StmtKind::kLet && IsRingOperation(stmt->value)) rings_[stmt->name] = stmt->value->name;
      StmtNode node = *stmt;
      node.body.clear();
      node.orelse.clear();
      Stmt head = ir::RewriteRoots(ir::MakeStmt(std::move(node)), [&](const Expr& root) {
        return Rewrite(root, [&](const Expr& e) { return e->kind == ExprKind::kField ? Field(e, out) : e; });
      });
      StmtNode whole = *head;
      whole.body = Run(stmt->body);
      whole.orelse = Run(stmt->orelse);
      out.push_back(ir::MakeStmt(std::move(whole)));
    }
    return out;
  }

 private:
  Stmt Declare(const StmtNode& ring) {
    StmtNode node = ring;
    node.readers = readers_[ring.name];
    node.body.clear();
    for (const Stmt& field : ring.body) {
      StmtNode alloc = *field;
      if (alloc.kind == StmtKind::kAlloc && alloc.tensor.space == ir::Space::kNone) {
        alloc.tensor.space = ir::Space::kShared;
        alloc.tensor.shape.insert(alloc.tensor.shape.begin(), ring.stages);
        alloc.tensor.name = names_.Fresh(absl::StrCat(ring.name, "_", field->tensor.name));
        fields_[{ring.name, field->tensor.name}] = alloc.tensor.name;
      }
      node.body.push_back(ir::MakeStmt(std::move(alloc)));
    }
    return ir::MakeStmt(std::move(node));
  }

  Expr Field(const Expr& e, Block& before) {
    Expr slot = e->args[0];
    std::string ring;
    if (IsRingOperation(slot)) {
      ring = slot->name;
      Stmt let = ir::Let(names_.Fresh(absl::StrCat(ring, "_slot")), slot);
      StmtNode placed = *let;
      placed.at = slot->at;
      before.push_back(ir::MakeStmt(std::move(placed)));
      slot = Var(let->name);
    } else {
      ring = rings_.at(slot->name);
    }
    return At(Subscript(Var(fields_.at({ring, e->name})), {slot}), e->at);
  }

  FreshNames names_;
  std::map<std::string, int64_t> readers_;
  std::map<std::string, std::string> rings_;                           // By slot
  std::map<std::pair<std::string, std::string>, std::string> fields_;  // By ring and field
};

}  // namespace

void ExpandRingSlots(ir::Kernel& kernel) { kernel.body = Expander(kernel).Run(kernel.body); }

}  // namespace kiln
