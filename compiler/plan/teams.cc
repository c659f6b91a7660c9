#include "compiler/plan/teams.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/meeting.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/visit.h"
#include "compiler/ir/words.h"
#include "compiler/rules/site.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;

constexpr int64_t kWarp = 32;
constexpr int64_t kWarpgroup = 128;

bool IsId(const std::string& name) { return name == "thread_id" || name == "lane_id" || name == "warp_id"; }

// The value of an integer or logical expression in one thread; nothing where it depends on more than the thread's ids.
class ThreadValue {
 public:
  ThreadValue(int64_t thread, const std::map<std::string, Expr>& lets) : thread_(thread), lets_(lets) {}

  std::optional<int64_t> Of(const Expr& e) const {
    switch (e->kind) {
      case ExprKind::kInt:
      case ExprKind::kBool:
        return e->int_value;
      case ExprKind::kVar:
        return OfName(e->name);
      case ExprKind::kCast:
        return IsInteger(e->type.dtype) && Bits(e->type.dtype) >= 32 ? Of(e->args[0]) : std::nullopt;
      case ExprKind::kUnary:
        return OfUnary(*e);
      case ExprKind::kBinary:
        return OfBinary(*e);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<int64_t> OfName(const std::string& name) const {
    if (name == "thread_id") return thread_;
    if (name == "lane_id") return thread_ % kWarp;
    if (name == "warp_id") return thread_ / kWarp;
    auto let = lets_.find(name);
    if (let == lets_.end()) return std::nullopt;
    return Of(let->second);
  }

  std::optional<int64_t> OfUnary(const Node& e) const {
    auto a = Of(e.args[0]);
    if (!a) return std::nullopt;
    if (e.op == Op::kNot) return *a == 0;
    return e.op == Op::kNeg ? std::optional<int64_t>(-*a) : std::nullopt;
  }

  std::optional<int64_t> OfBinary(const Node& e) const {
    auto a = Of(e.args[0]), b = Of(e.args[1]);
    // One side can decide alone.
    if (e.op == Op::kAnd && ((a && *a == 0) || (b && *b == 0))) return 0;
    if (e.op == Op::kOr && ((a && *a != 0) || (b && *b != 0))) return 1;
    if (!a || !b) return std::nullopt;
    int64_t out;
    switch (e.op) {
      case Op::kAdd:
        return __builtin_add_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
      case Op::kSub:
        return __builtin_sub_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
      case Op::kMul:
        return __builtin_mul_overflow(*a, *b, &out) ? std::nullopt : std::optional(out);
      case Op::kDiv:
        return *a >= 0 && *b > 0 ? std::optional(*a / *b) : std::nullopt;
      case Op::kMod:
        return *a >= 0 && *b > 0 ? std::optional(*a % *b) : std::nullopt;
      case Op::kBitAnd:
        return *a & *b;
      case Op::kMin:
        return std::min(*a, *b);
      case Op::kMax:
        return std::max(*a, *b);
      case Op::kAnd:
        return *a != 0 && *b != 0;
      case Op::kOr:
        return *a != 0 || *b != 0;
      case Op::kEq:
        return *a == *b;
      case Op::kNe:
        return *a != *b;
      case Op::kLt:
        return *a < *b;
      case Op::kLe:
        return *a <= *b;
      case Op::kGt:
        return *a > *b;
      case Op::kGe:
        return *a >= *b;
      default:
        return std::nullopt;
    }
  }

  const int64_t thread_;
  const std::map<std::string, Expr>& lets_;
};

class Checker {
 public:
  explicit Checker(const ir::Kernel& kernel) : kernel_(kernel), absent_(ThreadsOf(kernel), false) {}

  absl::Status Run(const Block& block) {
    for (const Stmt& stmt : block) {
      if (stmt->kind == StmtKind::kLet && stmt->value->kind != ExprKind::kTileOp && !stmt->value->type.tile)
        lets_[stmt->name] = stmt->value;
      else if (stmt->kind == StmtKind::kMutable || stmt->kind == StmtKind::kFor)
        lets_.erase(stmt->name);  // A sibling block's let of that name is gone.
      KILN_RETURN_IF_ERROR(Check(*stmt));
      if (stmt->kind == StmtKind::kIf) {
        KILN_RETURN_IF_ERROR(RunBranch(stmt, stmt->body, true));
        KILN_RETURN_IF_ERROR(RunBranch(stmt, stmt->orelse, false));
        continue;
      }
      KILN_RETURN_IF_ERROR(Run(stmt->body));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status RunBranch(const Stmt& stmt, const Block& block, bool taken) {
    if (block.empty()) return absl::OkStatus();
    const std::vector<bool> outside = absent_;
    const Location branch = branch_;
    if (Any(stmt->value,
            [&](const Expr& e) { return e->kind == ExprKind::kVar && (IsId(e->name) || lets_.count(e->name) != 0); })) {
      for (size_t t = 0; t < absent_.size(); ++t) {
        auto value = ThreadValue(static_cast<int64_t>(t), lets_).Of(stmt->value);
        if (!value || (*value != 0) == taken || absent_[t]) continue;
        absent_[t] = true;
        branch_ = stmt->at;
      }
    }
    absl::Status status = Run(block);
    absent_ = outside;
    branch_ = branch;
    return status;
  }

  absl::Status Check(const ir::StmtNode& stmt) const {
    if (!stmt.value || stmt.value->kind != ExprKind::kTileOp) return absl::OkStatus();
    const Node& op = *stmt.value;
    const int64_t all = static_cast<int64_t>(absent_.size());
    int64_t size = all;
    if (op.tile.team == Team::kWarp) size = kWarp;
    if (op.tile.team == Team::kWarpgroup) size = kWarpgroup;
    if (op.tile.team == Team::kThread || op.tile.team == Team::kCluster) return absl::OkStatus();
    for (int64_t first = 0; first < all; first += size) {
      const int64_t last = std::min(first + size, all);
      std::vector<int64_t> missing;
      for (int64_t t = first; t < last; ++t)
        if (absent_[t]) missing.push_back(op.tile.team == Team::kWarp ? t - first : t);
      if (missing.empty() || static_cast<int64_t>(missing.size()) == last - first) continue;
      return Refuse(op, stmt.at, first / size, last - first, std::move(missing));
    }
    return absl::OkStatus();
  }

  absl::Status Refuse(const Node& op, Location at, int64_t instance, int64_t total,
                      std::vector<int64_t> missing) const {
    const ir::TileOpRow* row = ir::FindTileOp(op.tile.op);
    const bool warp = op.tile.team == Team::kWarp;
    ir::Meeting meeting;
    meeting.at = op.at.line > 0 ? op.at : at;
    const Team team = op.tile.team == Team::kNone ? Team::kCta : op.tile.team;
    meeting.operation = absl::StrCat(std::string(ir::Name(team)), ".", row ? std::string(row->name) : "operation");
    meeting.team = warp                               ? absl::StrCat("warp ", instance)
                   : op.tile.team == Team::kWarpgroup ? absl::StrCat("warpgroup ", instance)
                                                      : "the CTA";
    meeting.lanes = warp;
    meeting.total = total;
    meeting.missing = std::move(missing);
    meeting.branched = true;
    meeting.branch = branch_;
    return absl::FailedPreconditionError(
        absl::StrCat("plan: kernel \"", kernel_.name, "\": ", ir::MeetingText(meeting)));
  }

  const ir::Kernel& kernel_;
  std::vector<bool> absent_;  // Threads that cannot be here
  std::map<std::string, Expr> lets_;
  Location branch_;
};

}  // namespace

absl::Status CheckTeams(const ir::Kernel& kernel) { return Checker(kernel).Run(kernel.body); }

}  // namespace kiln
