#include "compiler/plan/teams.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compiler/expr/visit.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/meeting.h"
#include "compiler/ir/print.h"
#include "compiler/ir/tile_ops.h"
#include "compiler/ir/visit.h"
#include "compiler/ir/words.h"
#include "compiler/plan/uniform.h"
#include "compiler/specialize/normalize.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

using ir::Block;
using ir::Stmt;
using ir::StmtKind;

constexpr int64_t kWarp = 32;
constexpr int64_t kWarpgroup = 128;

Agreement AgreementOf(Team team) {
  if (team == Team::kWarp) return Agreement::kWarp;
  return team == Team::kWarpgroup ? Agreement::kWarpgroup : Agreement::kCta;
}

// The threads that an intrinsic takes together; kThread where each stands for itself.
Team TeamOf(ir::Intrinsic id) {
  switch (id) {
    case ir::Intrinsic::kBarrier:
    case ir::Intrinsic::kClusterBarrier:
      return Team::kCta;
    case ir::Intrinsic::kWarpBarrier:
    case ir::Intrinsic::kShflIdx:
    case ir::Intrinsic::kShflXor:
    case ir::Intrinsic::kTransposeQuads:
    case ir::Intrinsic::kLdMatrix:
    case ir::Intrinsic::kStMatrix:
    case ir::Intrinsic::kMma:
    case ir::Intrinsic::kElect:
      return Team::kWarp;
    case ir::Intrinsic::kWgmma:
    case ir::Intrinsic::kWgmmaCommit:
    case ir::Intrinsic::kWgmmaFence:
    case ir::Intrinsic::kWgmmaWait:
    case ir::Intrinsic::kSetMaxRegisters:
      return Team::kWarpgroup;
    default:
      return Team::kThread;
  }
}

// What a thread must satisfy to be at a statement.
struct Condition {
  Expr value;  // Null of a loop's
  bool taken = true;
  const ir::StmtNode* loop = nullptr;  // A `for`: as many rounds as the others make
};

enum class Leaving { kNobody, kLoop, kKernel };

struct Guard {
  std::vector<Condition> conditions;
  Leaving leaves = Leaving::kNobody;  // Threads for which all hold are gone from there; else those are here
  bool carried = false;               // From an earlier round of a loop
  Location at;
  const char* what = "do not take the branch";
};

// One condition in one thread.
struct Outcome {
  enum class Kind { kHolds, kFails, kUnknown };
  Kind kind = Kind::kUnknown;
  Expr open;  // What it hangs on, where unknown
  Agreement agreement = Agreement::kNone;
};

class Checker {
 public:
  Checker(const ir::Kernel& kernel, const Uniformity& uniformity) : kernel_(kernel), uniformity_(uniformity) {}

  absl::Status Run(const Block& block) {
    const size_t outside = guards_.size();
    KILN_RETURN_IF_ERROR(RunAll(block));
    // Those who returned, and in a loop's body those who broke off, stay away; the rest of the block's guards are gone.
    std::vector<Guard> kept;
    for (size_t i = outside; i < guards_.size(); ++i)
      if (guards_[i].leaves != Leaving::kNobody) kept.push_back(guards_[i]);
    guards_.resize(outside);
    for (Guard& guard : kept) guards_.push_back(std::move(guard));
    return absl::OkStatus();
  }

 private:
  absl::Status RunAll(const Block& block) {
    for (const Stmt& stmt : block) {
      KILN_RETURN_IF_ERROR(Check(*stmt));
      switch (stmt->kind) {
        case StmtKind::kIf:
          KILN_RETURN_IF_ERROR(RunBranch(*stmt));
          break;
        case StmtKind::kFor:
        case StmtKind::kWhile:
          KILN_RETURN_IF_ERROR(RunLoop(*stmt));
          break;
        case StmtKind::kReturn:
          Leave(Leaving::kKernel, stmt->at, 0, "leave by the `return`");
          break;
        case StmtKind::kBreak:
          Leave(Leaving::kLoop, stmt->at, loop_start_, "leave by the `break`");
          break;
        case StmtKind::kContinue:
          Leave(Leaving::kLoop, stmt->at, loop_start_, "leave by the `continue`");
          break;
        case StmtKind::kAlloc:
          made_at_[stmt->tensor.name] = {stmt->tensor.owner, stmt->tensor.space, guards_.size()};
          break;
        case StmtKind::kRing:
          break;
        default:
          KILN_RETURN_IF_ERROR(Run(stmt->body));
      }
    }
    return absl::OkStatus();
  }

  absl::Status RunBranch(const ir::StmtNode& stmt) {
    std::vector<Guard> gone;
    for (bool taken : {true, false}) {
      const size_t here = guards_.size();
      guards_.push_back({{{stmt.value, taken}}, Leaving::kNobody, false, stmt.at});
      KILN_RETURN_IF_ERROR(Run(taken ? stmt.body : stmt.orelse));
      gone.insert(gone.end(), guards_.begin() + static_cast<int64_t>(here) + 1, guards_.end());
      guards_.resize(here);
    }
    guards_.insert(guards_.end(), gone.begin(), gone.end());
    return absl::OkStatus();
  }

  absl::Status RunLoop(const ir::StmtNode& stmt) {
    const size_t start = guards_.size(), outer = std::exchange(loop_start_, start + 1);
    const bool counted = stmt.kind == StmtKind::kFor;
    Guard rounds{{{counted ? nullptr : stmt.value, true, counted ? &stmt : nullptr}}, Leaving::kNobody, false, stmt.at};
    rounds.what = "do not take every round of the loop";
    guards_.push_back(rounds);
    std::vector<Condition> path;
    AddCarried(stmt.body, path, false);
    KILN_RETURN_IF_ERROR(Run(stmt.body));
    // Whoever broke off or went on to the next round is back behind the loop.
    std::vector<Guard> gone;
    for (size_t i = start; i < guards_.size(); ++i)
      if (guards_[i].leaves == Leaving::kKernel && !guards_[i].carried) gone.push_back(guards_[i]);
    guards_.resize(start);
    for (Guard& guard : gone) guards_.push_back(std::move(guard));
    loop_start_ = outer;
    return absl::OkStatus();
  }

  // Threads that leave in one round are missing from the start of the next.
  void AddCarried(const Block& block, std::vector<Condition>& path, bool nested) {
    for (const Stmt& stmt : block) {
      if (stmt->kind == StmtKind::kReturn)
        guards_.push_back({path, Leaving::kKernel, true, stmt->at, "leave by the `return`"});
      if (stmt->kind == StmtKind::kBreak && !nested)
        guards_.push_back({path, Leaving::kLoop, true, stmt->at, "leave by the `break`"});
      if (stmt->kind == StmtKind::kIf) {
        path.push_back({stmt->value, true});
        AddCarried(stmt->body, path, nested);
        path.back().taken = false;
        AddCarried(stmt->orelse, path, nested);
        path.pop_back();
      } else if (stmt->kind == StmtKind::kFor || stmt->kind == StmtKind::kWhile) {
        path.push_back({stmt->kind == StmtKind::kWhile ? stmt->value : nullptr, true,
                        stmt->kind == StmtKind::kFor ? stmt.get() : nullptr});
        AddCarried(stmt->body, path, true);
        path.pop_back();
      }
    }
  }

  // The threads that are here go away; `from` is the first guard inside of what they leave.
  void Leave(Leaving leaving, Location at, size_t from, const char* what) {
    Guard guard{{}, leaving, false, at, what};
    for (size_t i = from; i < guards_.size(); ++i)
      if (guards_[i].leaves == Leaving::kNobody) guard.conditions.push_back(guards_[i].conditions[0]);
    guards_.push_back(std::move(guard));
  }

  // --- What is checked

  absl::Status Check(const ir::StmtNode& stmt) const {
    absl::Status status;
    ir::ForEachRoot(stmt, [&](const Expr& root) {
      ForEach(root, [&](const Expr& e) {
        if (!status.ok()) return;
        const Location at = e->at.line > 0 ? e->at : stmt.at;
        if (e->kind == ExprKind::kTileOp && !ir::IsRingOp(e->tile.op)) {
          const Team team = e->tile.team == Team::kNone ? Team::kCta : e->tile.team;
          const ir::TileOpRow* row = ir::FindTileOp(e->tile.op);
          status =
              CheckAt(team, absl::StrCat(std::string(ir::Name(team)), ".", row ? std::string(row->name) : ""), at, 0);
        } else if (e->kind == ExprKind::kCall) {
          const ir::IntrinsicInfo* info = ir::FindIntrinsic(e->name);
          if (info) status = CheckAt(TeamOf(info->id), e->name, at, 0);
        }
      });
    });
    if (!status.ok() || stmt.kind != StmtKind::kAssign || !stmt.target->type.tile) return status;
    return CheckAssignment(stmt);
  }

  // A tile is written by the threads that made it, or by the team that its declaration names.
  absl::Status CheckAssignment(const ir::StmtNode& stmt) const {
    auto made = made_at_.find(RootOf(stmt.target)->name);
    const std::string what = "the assignment of a tile";
    if (made == made_at_.end()) return CheckAt(Team::kCta, what, stmt.at, 0);
    if (made->second.owner != Team::kNone) return CheckAt(made->second.owner, what, stmt.at, 0);
    const bool local = made->second.space == ir::Space::kLocal;
    return CheckAt(Team::kCta, what, stmt.at, local ? made->second.guards : 0);
  }

  absl::Status CheckAt(Team team, const std::string& operation, Location at, size_t from) const {
    if (team == Team::kThread || guards_.size() <= from) return absl::OkStatus();
    KILN_RETURN_IF_ERROR(CheckWith(team, operation, at, from, guards_.size()));
    for (size_t i = from; i < guards_.size(); ++i)
      if (guards_[i].carried) KILN_RETURN_IF_ERROR(CheckWith(team, operation, at, from, i));
    return absl::OkStatus();
  }

  // With every guard of this round, and the carried one `carried`.
  absl::Status CheckWith(Team team, const std::string& operation, Location at, size_t from, size_t carried) const {
    const int64_t all = uniformity_.threads();
    const int64_t size = team == Team::kWarp ? kWarp : team == Team::kWarpgroup ? kWarpgroup : all;
    for (int64_t first = 0; first < all; first += size) {
      const int64_t last = std::min(first + size, all);
      ir::Meeting meeting;
      meeting.at = at;
      meeting.operation = operation;
      meeting.lanes = team == Team::kWarp;
      meeting.team = team == Team::kWarp        ? absl::StrCat("warp ", first / size)
                     : team == Team::kWarpgroup ? absl::StrCat("warpgroup ", first / size)
                                                : "the CTA";
      meeting.total = last - first;
      std::vector<bool> here(all, true);
      absl::Status parted;  // What is known comes before what is not.
      for (size_t i = from; i < guards_.size(); ++i) {
        if (guards_[i].carried && i != carried) continue;
        absl::Status status = Pass(guards_[i], AgreementOf(team), first, last, here, meeting);
        if (parted.ok()) parted = std::move(status);
      }
      for (int64_t t = first; t < last; ++t)
        if (!here[t]) meeting.missing.push_back(meeting.lanes ? t - first : t);
      if (static_cast<int64_t>(meeting.missing.size()) == last - first) continue;
      if (!meeting.missing.empty()) return Refuse(ir::MeetingText(meeting));
      KILN_RETURN_IF_ERROR(parted);
    }
    return absl::OkStatus();
  }

  // Takes away who is not `here` for `guard`; an error where threads of the team may part over it unseen.
  absl::Status Pass(const Guard& guard, Agreement team, int64_t first, int64_t last, std::vector<bool>& here,
                    ir::Meeting& meeting) const {
    std::vector<int64_t> open;
    Outcome unknown;
    bool stays = false, differ = false;
    const bool leaves = guard.leaves != Leaving::kNobody;
    const int64_t most = MostRounds(guard, first, last, here);
    for (int64_t t = first; t < last; ++t) {
      if (!here[t]) continue;
      const Outcome outcome = OfGuard(guard, t, most);
      if (outcome.kind == Outcome::Kind::kUnknown) {
        differ |= !open.empty() && !Equal(outcome.open, unknown.open);
        unknown = outcome;
        open.push_back(meeting.lanes ? t - first : t);
      } else if ((outcome.kind == Outcome::Kind::kHolds) == leaves) {
        here[t] = false;
        meeting.branched = true;
        meeting.branch = guard.at;
        meeting.why = guard.what;
      } else {
        stays = true;
      }
    }
    if (open.empty() || (!stays && !differ && unknown.agreement >= team)) return absl::OkStatus();
    const char* threads = meeting.lanes ? "lanes" : "threads";
    return Refuse(
        absl::StrCat(ir::Place(meeting.at), meeting.operation, " needs all ", meeting.total, " ", threads, " of ",
                     meeting.team, "; any of ", threads, " ", ir::Ranges(open), " may be missing: ",
                     unknown.open ? absl::StrCat("`", ir::Print(unknown.open), "`") : std::string("a condition"),
                     " at ", guard.at.line, ":", guard.at.column, " can differ between them"));
  }

  absl::Status Refuse(const std::string& text) const {
    return absl::FailedPreconditionError(absl::StrCat("plan: kernel \"", kernel_.name, "\": ", text));
  }

  // --- Conditions

  // The largest number of rounds that a thread of the team makes; -1 where it is not known of all.
  int64_t MostRounds(const Guard& guard, int64_t first, int64_t last, const std::vector<bool>& here) const {
    int64_t most = -1;
    for (const Condition& condition : guard.conditions) {
      if (!condition.loop) continue;
      for (int64_t t = first; t < last; ++t) {
        if (!here[t]) continue;
        std::optional<int64_t> rounds = Rounds(*condition.loop, t);
        if (!rounds) return -1;
        most = std::max(most, *rounds);
      }
    }
    return most;
  }

  std::optional<int64_t> Rounds(const ir::StmtNode& loop, int64_t thread) const {
    auto begin = uniformity_.In(thread, loop.begin), end = uniformity_.In(thread, loop.end);
    auto step = loop.step ? uniformity_.In(thread, loop.step) : std::optional<int64_t>(1);
    if (!begin || !end || !step || *step < 1) return std::nullopt;
    return *end <= *begin ? 0 : (*end - *begin + *step - 1) / *step;
  }

  Outcome OfGuard(const Guard& guard, int64_t thread, int64_t most) const {
    // All hold, unless one fails; what is open hangs on every one that is.
    Outcome out{Outcome::Kind::kHolds, nullptr, Agreement::kCta};
    for (const Condition& condition : guard.conditions) {
      const Outcome one = OfCondition(condition, thread, most, guard.leaves != Leaving::kNobody);
      if (one.kind == Outcome::Kind::kFails) return one;
      if (one.kind == Outcome::Kind::kHolds) continue;
      out.kind = Outcome::Kind::kUnknown;
      out.agreement = std::min(out.agreement, one.agreement);
      out.open = out.open && one.open ? And(out.open, one.open) : one.open ? one.open : out.open;
    }
    return out;
  }

  Outcome OfCondition(const Condition& condition, int64_t thread, int64_t most, bool leaves) const {
    if (condition.loop) {
      const ir::StmtNode& loop = *condition.loop;
      std::optional<int64_t> rounds = Rounds(loop, thread);
      // Whoever leaves from inside of a loop is there in one round; who is inside, in all rounds of those who make
      // most.
      if (rounds && leaves)
        return {*rounds > 0 ? Outcome::Kind::kHolds : Outcome::Kind::kFails, nullptr, Agreement::kCta};
      if (rounds && most >= 0) {
        return {*rounds == most ? Outcome::Kind::kHolds : Outcome::Kind::kFails, nullptr, Agreement::kCta};
      }
      Agreement agreement = std::min(uniformity_.Of(loop.begin), uniformity_.Of(loop.end));
      if (loop.step) agreement = std::min(agreement, uniformity_.Of(loop.step));
      return {Outcome::Kind::kUnknown, uniformity_.Of(loop.begin) < uniformity_.Of(loop.end) ? loop.begin : loop.end,
              agreement};
    }
    if (std::optional<int64_t> value = uniformity_.In(thread, condition.value))
      return {(*value != 0) == condition.taken ? Outcome::Kind::kHolds : Outcome::Kind::kFails, nullptr,
              Agreement::kCta};
    const Expr open = Open(thread, condition.value);
    return {Outcome::Kind::kUnknown, open, uniformity_.Of(open)};
  }

  // What is left of a condition once the sides that the ids decide are gone.
  Expr Open(int64_t thread, const Expr& e) const {
    if (e->kind == ExprKind::kUnary && e->op == Op::kNot) return Open(thread, e->args[0]);
    if (e->kind != ExprKind::kBinary || (e->op != Op::kAnd && e->op != Op::kOr)) return e;
    if (uniformity_.In(thread, e->args[0])) return Open(thread, e->args[1]);
    if (uniformity_.In(thread, e->args[1])) return Open(thread, e->args[0]);
    return e;
  }

  struct Made {
    Team owner = Team::kNone;
    ir::Space space = ir::Space::kLocal;
    size_t guards = 0;
  };

  const ir::Kernel& kernel_;
  const Uniformity& uniformity_;
  std::vector<Guard> guards_;
  size_t loop_start_ = 0;  // The first guard inside of the innermost loop's body
  std::map<std::string, Made> made_at_;
};

}  // namespace

absl::Status CheckTeams(const ir::Kernel& kernel, const Uniformity& uniformity) {
  return Checker(kernel, uniformity).Run(kernel.body);
}

}  // namespace kiln
