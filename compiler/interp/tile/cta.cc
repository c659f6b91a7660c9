#include "compiler/interp/tile/cta.h"

#include <algorithm>
#include <string>

#include "compiler/interp/arith.h"
#include "compiler/ir/meeting.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

constexpr int64_t kWarp = 32;
constexpr int64_t kWarpgroup = 128;

std::string TeamText(Team team, int64_t instance) {
  if (team == Team::kWarp) return StrCat("warp ", instance);
  if (team == Team::kWarpgroup) return StrCat("warpgroup ", instance);
  return "the CTA";
}

Slot Next(DType dtype, const Value& value, const Value& step) {
  Slot slot;
  ApplyBinary(Op::kAdd, dtype, value.data.data(), 0, step.data.data(), 0, 1, &slot);  // Has no fault.
  return slot;
}

}  // namespace

Cta::Cta(const Program& program, const Frame& arguments, int64_t threads, const RunOptions& options, Cluster& cluster,
         int64_t rank, int64_t& steps_left)
    : program_(program),
      options_(options),
      cluster_(cluster),
      rank_(rank),
      steps_left_(steps_left),
      threads_(static_cast<size_t>(threads)) {
  for (size_t t = 0; t < threads_.size(); ++t) {
    threads_[t].frame = arguments;
    auto set = [&](std::string_view name, int64_t value) {
      auto id = static_cast<size_t>(program.names.at(std::string(name)).id);
      threads_[t].frame.variables[id].value = ScalarValue(DType::kI64, IntSlot(value));
    };
    auto id = static_cast<int64_t>(t);
    set(kThreadId, id);
    set(kLaneId, id % kWarp);
    set(kWarpId, id / kWarp);
  }
}

int64_t Cta::TeamSize(Team team) const {
  if (team == Team::kThread) return 1;
  if (team == Team::kWarp) return kWarp;
  if (team == Team::kWarpgroup) return kWarpgroup;
  return static_cast<int64_t>(threads_.size());
}

absl::StatusOr<bool> Cta::Advance() {
  bool done = true;
  for (size_t t = 0; t < threads_.size(); ++t) {
    if (!threads_[t].done && !threads_[t].waiting) KILN_RETURN_IF_ERROR(RunThread(static_cast<int64_t>(t)));
    done = done && threads_[t].done;
  }
  if (!done) {
    KILN_RETURN_IF_ERROR(Meet());
    return true;
  }
  if (stores_.empty()) return false;
  return absl::FailedPreconditionError(StrCat(ir::Place(stores_[0].at), "the CTA ends while this copy_async reads \"",
                                              stores_[0].source.storage->name, "\"; wait_store waits for it"));
}

bool Cta::PassClusterBarrier() {
  if (!at_cluster_barrier_) {
    at_cluster_barrier_ = cluster_.barriers;
    --steps_left_;
    if (++cluster_.arrived == cluster_.ctas) {
      cluster_.arrived = 0;
      ++cluster_.barriers;
    }
  }
  if (cluster_.barriers == *at_cluster_barrier_) return false;
  at_cluster_barrier_.reset();
  return true;
}

absl::Status Cta::RunThread(int64_t id) {
  Thread& thread = threads_[static_cast<size_t>(id)];
  while (!thread.done) {
    const Step& step = program_.steps[static_cast<size_t>(thread.pc)];
    if (step.team != Team::kThread && !program_.uniform) {
      thread.waiting = true;
      return absl::OkStatus();
    }
    if (AwaitsRing(id)) return absl::OkStatus();
    if (--steps_left_ < 0)
      return absl::ResourceExhaustedError(StrCat(ir::Place(step.at), "more steps than allowed: a loop without end?"));
    Location place;
    absl::Status status = Execute(step, {id}, place);
    if (!status.ok()) {
      std::string who = program_.uniform ? "" : StrCat(" (thread ", id, ")");
      return absl::Status(status.code(), StrCat(ir::Place(place.line > 0 ? place : step.at), status.message(), who));
    }
  }
  return absl::OkStatus();
}

absl::Status Cta::Meet() {
  for (size_t t = 0; t < threads_.size(); ++t) {
    if (!threads_[t].waiting) continue;
    int pc = threads_[t].pc;
    const Step& step = program_.steps[static_cast<size_t>(pc)];
    int64_t size = TeamSize(step.team), first = static_cast<int64_t>(t) / size * size;
    int64_t last = std::min(first + size, static_cast<int64_t>(threads_.size()));
    std::vector<int64_t> team;
    for (int64_t u = first; u < last; ++u) {
      const Thread& other = threads_[static_cast<size_t>(u)];
      if (other.waiting && other.pc == pc) team.push_back(u);
    }
    if (static_cast<int64_t>(team.size()) < last - first) continue;
    if (step.team == Team::kCluster && !PassClusterBarrier()) continue;
    for (int64_t u : team) threads_[static_cast<size_t>(u)].waiting = false;
    --steps_left_;
    Location place;
    absl::Status status = Execute(step, team, place);
    if (!status.ok()) {
      return absl::Status(status.code(), StrCat(ir::Place(place.line > 0 ? place : step.at), status.message(), " (",
                                                TeamText(step.team, first / size), ")"));
    }
  }
  return absl::OkStatus();
}

std::string Cta::StepName(const Step& step) {
  const bool operation = step.kind == Step::Kind::kTileOp || step.kind == Step::Kind::kCall;
  return operation ? OperationName(step.expr) : "this assignment";
}

absl::Status Cta::Stuck() const {
  for (size_t t = 0; t < threads_.size(); ++t)
    if (AwaitsRing(static_cast<int64_t>(t))) return StuckAtRings();
  // The first thread that waits names the operation; the others of its team say where they are instead.
  auto waiting = std::find_if(threads_.begin(), threads_.end(), [](const Thread& t) { return t.waiting; });
  int pc = waiting->pc;
  const Step& step = program_.steps[static_cast<size_t>(pc)];
  int64_t size = TeamSize(step.team), first = (waiting - threads_.begin()) / size * size;
  int64_t last = std::min(first + size, static_cast<int64_t>(threads_.size()));
  ir::Meeting meeting;
  meeting.at = step.at;
  meeting.operation = StepName(step);
  meeting.team = TeamText(step.team, first / size);
  meeting.lanes = step.team == Team::kWarp;
  meeting.total = last - first;
  meeting.branched = step.branch >= 0;
  if (meeting.branched) meeting.branch = program_.steps[static_cast<size_t>(step.branch)].at;
  std::map<int, ir::Meeting::Elsewhere> elsewhere;  // By the step they wait at; -1 = ended
  for (int64_t u = first; u < last; ++u) {
    const Thread& other = threads_[static_cast<size_t>(u)];
    if (other.waiting && other.pc == pc) continue;
    meeting.missing.push_back(meeting.lanes ? u - first : u);
    ir::Meeting::Elsewhere& there = elsewhere[other.done ? -1 : other.pc];
    there.who.push_back(meeting.missing.back());
    if (other.done) continue;
    const Step& where = program_.steps[static_cast<size_t>(other.pc)];
    there.operation = StepName(where);
    there.at = where.at;
  }
  for (auto& [where, who] : elsewhere) meeting.elsewhere.push_back(std::move(who));
  return absl::FailedPreconditionError(ir::MeetingText(meeting));
}

Evaluator Cta::EvaluatorOf(int64_t thread, const Asking* asking) const {
  return Evaluator(program_, threads_[static_cast<size_t>(thread)].frame, ReadOptions(acting_, asking));
}

LoadOptions Cta::ReadOptions(Participants readers, const Asking* asking) const {
  LoadOptions options;
  options.check_uninitialized = options_.check_uninitialized;
  options.asking = asking;
  options.readers = readers;
  return options;
}

void Cta::Set(const Step& step, Participants threads, const Variable& variable) {
  for (int64_t t : threads)
    threads_[static_cast<size_t>(t)].frame.variables[static_cast<size_t>(step.variable)] = variable;
}

absl::Status Cta::Execute(const Step& step, Participants threads, Location& place) {
  using enum Step::Kind;
  acting_ = threads;
  for (int64_t t : threads) ++threads_[static_cast<size_t>(t)].pc;
  KILN_RETURN_IF_ERROR(CheckUniform(step, threads));
  switch (step.kind) {
    case kLet:
      return ExecuteLet(step, threads, place);
    case kAlloc:
      return ExecuteAlloc(step, threads, place);
    case kAssign:
      return ExecuteAssign(step, threads, place);
    case kTileOp:
      return ExecuteTileOp(step, threads, place);
    case kCall:
      return ExecuteCall(step, threads, place);
    default:
      return ExecuteControl(step, threads_[static_cast<size_t>(threads[0])], place);
  }
}

absl::Status Cta::ExecuteControl(const Step& step, Thread& thread, Location& place) {
  using enum Step::Kind;
  Evaluator evaluator = EvaluatorOf(&thread - threads_.data());
  auto fail = [&](absl::Status status) {
    place = evaluator.place();
    return status;
  };
  auto variable = [&](int id) -> Variable& { return thread.frame.variables[static_cast<size_t>(id)]; };
  switch (step.kind) {
    case kMutable: {
      absl::StatusOr<ValuePtr> value = evaluator.Eval(step.expr);
      if (!value.ok()) return fail(value.status());
      variable(step.variable).value = ConvertValue(step.stmt->dtype.dtype, *value);
      return absl::OkStatus();
    }
    case kForBegin: {
      int64_t bounds[3] = {0, 0, 1};
      const Expr exprs[] = {step.stmt->begin, step.stmt->end, step.stmt->step};
      const int ids[] = {step.variable, step.end_variable, step.step_variable};
      for (size_t k = 0; k < 3; ++k) {
        if (exprs[k]) {
          absl::StatusOr<int64_t> value = evaluator.EvalInt(exprs[k]);
          if (!value.ok()) return fail(value.status());
          bounds[k] = *value;
        }
        variable(ids[k]).value = ScalarValue(DType::kI64, IntSlot(bounds[k]));
      }
      if (bounds[2] <= 0)
        return absl::FailedPreconditionError(StrCat("loop step: expected at least 1, got ", bounds[2]));
      return absl::OkStatus();
    }
    case kForTest:
      if (variable(step.variable).value->data[0].i >= variable(step.end_variable).value->data[0].i)
        thread.pc = step.jump;
      return absl::OkStatus();
    case kForNext: {
      Slot next = Next(DType::kI64, *variable(step.variable).value, *variable(step.step_variable).value);
      variable(step.variable).value = ScalarValue(DType::kI64, next);
      thread.pc = step.jump;
      return absl::OkStatus();
    }
    case kBranch: {
      absl::StatusOr<bool> taken = evaluator.EvalBool(step.expr);
      if (!taken.ok()) return fail(taken.status());
      if (!*taken) thread.pc = step.jump;
      return absl::OkStatus();
    }
    case kRing: {
      absl::Status declared = ExecuteRing(step, evaluator);
      return declared.ok() ? declared : fail(declared);
    }
    case kJump:
      thread.pc = step.jump;
      return absl::OkStatus();
    case kAssert: {
      absl::StatusOr<bool> holds = evaluator.EvalBool(step.expr);
      if (!holds.ok()) return fail(holds.status());
      if (*holds) return absl::OkStatus();
      bool assumed = step.stmt->kind == ir::StmtKind::kAssume;
      return absl::FailedPreconditionError(StrCat(assumed ? "assume does not hold" : "assert failed",
                                                  step.stmt->text.empty() ? "" : ": ", step.stmt->text));
    }
    default:
      thread.done = true;
      return absl::OkStatus();
  }
}

absl::Status ExpectOperands(const Expr& e, size_t count) {
  if (e->args.size() >= count) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(OperationName(e), ": expected ", count, " operands, got ", e->args.size()));
}

}  // namespace kiln::interp
