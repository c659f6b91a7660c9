#include "compiler/specialize/roles.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/ir/visit.h"
#include "compiler/ir/words.h"
#include "compiler/specialize/fresh_names.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;
using ir::StmtNode;

constexpr int64_t kWarpgroup = 128;
constexpr int64_t kWarps = 4;              // Of a warpgroup
constexpr int64_t kRegisters = 64 * 1024;  // Of a multiprocessor, for the one CTA it holds
constexpr int64_t kMostRegisters = 255;    // Of a thread

class Expander {
 public:
  explicit Expander(const ir::Kernel& kernel) : kernel_(kernel), names_(kernel) {}

  absl::StatusOr<Block> Run() {
    if (!kernel_.launch.block || !IsConst(kernel_.launch.block, &block_) || block_ < 1)
      return Fail(kernel_.at, "has roles: expected `launch ... block(THREADS)` with a constant");
    KILN_RETURN_IF_ERROR(CheckRegisters());
    Block out;
    for (const Stmt& stmt : kernel_.body) {
      if (stmt->kind != StmtKind::kRole) {
        out.push_back(stmt);
        continue;
      }
      KILN_ASSIGN_OR_RETURN(Stmt branch, Branch(*stmt));
      out.push_back(std::move(branch));
    }
    return out;
  }

 private:
  absl::Status Fail(Location at, const std::string& what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("specialize: kernel \"", kernel_.name, "\" ", at.line, ":", at.column, ": ", what));
  }

  // What a thread has at launch, with one CTA on the multiprocessor.
  int64_t LaunchRegisters() const { return std::min(kMostRegisters, kRegisters / block_) / 8 * 8; }

  absl::Status CheckRegisters() const {
    int64_t sum = 0, listed = 0;
    Location at;
    bool any = false;
    for (const Stmt& stmt : kernel_.body) {
      if (stmt->kind != StmtKind::kRole) continue;
      at = stmt->at;
      const int64_t threads = static_cast<int64_t>(stmt->members.size()) * kWarpgroup;
      if (stmt->members.back() * kWarpgroup + kWarpgroup > block_)
        return Fail(at, absl::StrCat("role ", stmt->name, " takes warpgroup ", stmt->members.back(), " of a block of ",
                                     block_, " threads"));
      int64_t registers = LaunchRegisters();
      if (stmt->value) {
        any = true;
        if (!IsConst(stmt->value, &registers) || registers < 24 || registers > 256 || registers % 8 != 0)
          return Fail(at, absl::StrCat("role ", stmt->name, ": expected a multiple of 8 from 24 to 256 registers"));
      }
      sum += threads * registers;
      listed += threads;
    }
    sum += (block_ - listed) * LaunchRegisters();
    if (!any || sum <= kRegisters) return absl::OkStatus();
    return Fail(at, absl::StrCat("the roles hold ", sum, " registers together, a multiprocessor has ", kRegisters));
  }

  absl::StatusOr<Stmt> Branch(const StmtNode& role) {
    const int64_t first = role.members.front() * kWarps, last = (role.members.back() + 1) * kWarps;
    const Expr warp = Var("warp_id");
    Expr here;
    if (first > 0) here = Binary(Op::kGe, warp, Int(first));
    if (last * kWarpgroup / kWarps < block_ || !here) {
      Expr before = Lt(warp, Int(last));
      here = here ? And(here, before) : before;
    }
    Block body;
    int64_t registers = 0;
    if (IsConst(role.value, &registers))
      body.push_back(ir::Eval(Call("set_max_registers", {Int(registers), Bool(registers > LaunchRegisters())})));
    // By a name of its own, the rank is seen to be one for the whole warpgroup.
    const std::string rank = names_.Fresh(absl::StrCat(role.name, "_rank"));
    bool ranked = false;
    ir::ForEachExpr(role.body, [&](const Expr& e) { ranked |= e->kind == ExprKind::kVar && e->name == ir::kRoleRank; });
    if (ranked) body.push_back(ir::Let(rank, FloorDiv(warp, Int(kWarps)) - Int(role.members.front())));
    Block inside = ir::Substitute(role.body, {{std::string(ir::kRoleRank), Var(rank)},
                                              {std::string(ir::kFirstWarp), Binary(Op::kEq, warp, Int(first))}});
    // Registers are of the role's unit.
    inside = ir::RewriteStmts(inside, [](const Stmt& stmt) -> Block {
      if (stmt->kind != StmtKind::kAlloc || stmt->tensor.space != ir::Space::kLocal ||
          stmt->tensor.owner != Team::kNone)
        return {stmt};
      StmtNode node = *stmt;
      node.tensor.owner = Team::kWarpgroup;
      return {ir::MakeStmt(std::move(node))};
    });
    body.insert(body.end(), inside.begin(), inside.end());
    StmtNode branch = *ir::If(here, std::move(body));
    branch.at = role.at;
    return ir::MakeStmt(std::move(branch));
  }

  const ir::Kernel& kernel_;
  FreshNames names_;
  int64_t block_ = 0;
};

}  // namespace

absl::Status ExpandRoles(ir::Kernel& kernel) {
  const bool roles = std::any_of(kernel.body.begin(), kernel.body.end(),
                                 [](const Stmt& stmt) { return stmt->kind == StmtKind::kRole; });
  if (!roles) return absl::OkStatus();
  KILN_ASSIGN_OR_RETURN(kernel.body, Expander(kernel).Run());
  if (kernel.launch.cluster.empty()) return absl::OkStatus();
  bool returns = false;
  ir::ForEachStmt(kernel.body, [&](const Stmt& stmt) { returns |= stmt->kind == StmtKind::kReturn; });
  if (returns)
    return absl::InvalidArgumentError(absl::StrCat("specialize: kernel \"", kernel.name,
                                                   "\": `return` beside roles of a cluster: threads that have left "
                                                   "cannot wait for the others"));
  kernel.body.push_back(ir::Eval(Call("cluster_barrier", {})));
  return absl::OkStatus();
}

}  // namespace kiln
