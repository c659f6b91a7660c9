#include "compiler/specialize/schedules.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/ir/visit.h"
#include "compiler/specialize/fresh_names.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;
using ir::TileOrder;

struct Schedule {
  std::vector<Expr> extents;
  Expr tiles;
  TileOrder order = TileOrder::kRow;
  Expr rows;  // Of a group
};

class Expander {
 public:
  explicit Expander(const ir::Kernel& kernel) : names_(kernel) {
    for (const Expr& extent : kernel.launch.cluster) cluster_ = cluster_ ? cluster_ * extent : extent;
  }

  Block Run(const Block& block) {
    Block out;
    for (const Stmt& stmt : block) {
      if (stmt->kind == StmtKind::kSchedule) {
        Declare(*stmt, out);
        continue;
      }
      StmtNode node = *stmt;
      node.body = Run(stmt->body);
      node.orelse = Run(stmt->orelse);
      out.push_back(node.kind == StmtKind::kTiles ? Loop(node) : ir::MakeStmt(std::move(node)));
    }
    return out;
  }

 private:
  // Extents, and their product, are computed once.
  void Declare(const StmtNode& stmt, Block& out) {
    Schedule& schedule = schedules_[stmt.name];
    schedule.order = stmt.order;
    schedule.rows = stmt.value;
    auto let = [&](const std::string& stem, Expr value) {
      if (IsConst(value)) return value;
      std::string name = names_.Fresh(stem);
      out.push_back(ir::Let(name, std::move(value)));
      return Var(name);
    };
    for (size_t d = 0; d < stmt.extents.size(); ++d)
      schedule.extents.push_back(let(absl::StrCat(stmt.name, "_extent", d), stmt.extents[d]));
    Expr tiles = schedule.extents[0];
    for (size_t d = 1; d < schedule.extents.size(); ++d) tiles = tiles * schedule.extents[d];
    schedule.tiles = let(absl::StrCat(stmt.name, "_tiles"), tiles);
  }

  Stmt Loop(const StmtNode& stmt) {
    const Schedule& schedule = schedules_.at(stmt.name);
    const std::string tile = names_.Fresh(absl::StrCat(stmt.name, "_tile"));
    Block body = Indices(schedule, stmt.names, tile, stmt.name);
    body.insert(body.end(), stmt.body.begin(), stmt.body.end());
    auto per_cluster = [&](const char* builtin) { return cluster_ ? FloorDiv(Var(builtin), cluster_) : Var(builtin); };
    StmtNode loop = *ir::For(tile, per_cluster("cta_id.x"), schedule.tiles, std::move(body), ir::LoopKind::kSerial,
                             per_cluster("grid.x"));
    loop.at = stmt.at;
    return ir::MakeStmt(std::move(loop));
  }

  Block Indices(const Schedule& schedule, const std::vector<std::string>& names, const std::string& tile,
                const std::string& stem) {
    const std::vector<Expr>& extents = schedule.extents;
    Expr rest = Var(tile);
    Block out;
    auto split = [&](size_t d) {
      out.push_back(ir::Let(names[d], Mod(rest, extents[d])));
      rest = FloorDiv(rest, extents[d]);
    };
    switch (schedule.order) {
      case TileOrder::kRow:
        for (size_t d = extents.size(); d-- > 1;) split(d);
        out.push_back(ir::Let(names[0], rest));
        break;
      case TileOrder::kColumn:
        for (size_t d = 0; d + 1 < extents.size(); ++d) split(d);
        out.push_back(ir::Let(names.back(), rest));
        break;
      case TileOrder::kGrouped: {
        const std::string group = names_.Fresh(absl::StrCat(stem, "_group")),
                          rows = names_.Fresh(absl::StrCat(stem, "_rows")),
                          place = names_.Fresh(absl::StrCat(stem, "_place"));
        const Expr per_group = schedule.rows * extents[1];
        out.push_back(ir::Let(group, FloorDiv(rest, per_group)));
        out.push_back(ir::Let(place, Mod(rest, per_group)));
        const Expr first = Var(group) * schedule.rows;
        out.push_back(ir::Let(rows, Min(extents[0] - first, schedule.rows)));
        out.push_back(ir::Assume(Binary(Op::kGe, Var(rows), Int(1))));
        out.push_back(ir::Let(names[0], first + Mod(Var(place), Var(rows))));
        out.push_back(ir::Let(names[1], FloorDiv(Var(place), Var(rows))));
        break;
      }
      case TileOrder::kSerpentine: {
        const std::string place = names_.Fresh(absl::StrCat(stem, "_place"));
        out.push_back(ir::Let(names[0], FloorDiv(rest, extents[1])));
        out.push_back(ir::Let(place, Mod(rest, extents[1])));
        Expr forth = Binary(Op::kEq, Mod(Var(names[0]), Int(2)), Int(0));
        out.push_back(ir::Let(names[1], Select(forth, Var(place), extents[1] - Int(1) - Var(place))));
        break;
      }
    }
    return out;
  }

  FreshNames names_;
  Expr cluster_;  // CTAs of a cluster; null = 1
  std::map<std::string, Schedule> schedules_;
};

}  // namespace

absl::Status ExpandSchedules(ir::Kernel& kernel) {
  bool any = false;
  ir::ForEachStmt(kernel.body, [&](const Stmt& stmt) { any |= stmt->kind == StmtKind::kSchedule; });
  if (!any) return absl::OkStatus();
  if (!kernel.launch.persistent && kernel.launch.grid.size() != 1)
    return absl::InvalidArgumentError(absl::StrCat("specialize: kernel \"", kernel.name, "\": a schedule in a grid of ",
                                                   kernel.launch.grid.size(),
                                                   " dimensions; expected `launch persistent` or one dimension"));
  kernel.body = Expander(kernel).Run(kernel.body);
  return absl::OkStatus();
}

}  // namespace kiln
