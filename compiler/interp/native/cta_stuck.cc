// Why no thread of a CTA can go on.
#include <algorithm>
#include <map>
#include <utility>

#include "compiler/interp/native/cluster.h"
#include "compiler/interp/native/cta.h"
#include "compiler/ir/meeting.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

constexpr int64_t kWarp = 32;

std::string At(const Location& at) { return at.line > 0 ? StrCat(" at ", at.line, ":", at.column) : ""; }

}  // namespace

std::string MeetingName(Code code) {
  switch (code) {
    case Code::kMBarrierWait:
      return "mbarrier_wait";
    case Code::kNamedBarrier:
      return "named_barrier";
    case Code::kClusterBarrier:
      return "cluster_barrier";
    case Code::kBarrier:
      return "barrier";
    case Code::kWarpBarrier:
      return "warp_barrier";
    case Code::kShfl:
      return "shfl";
    case Code::kShflXor:
      return "shfl_xor";
    case Code::kLdMatrix:
      return "ldmatrix";
    case Code::kStMatrix:
      return "stmatrix";
    case Code::kQuads:
      return "transpose_quads";
    case Code::kElect:
      return "elect";
    case Code::kWgmma:
      return "wgmma";
    case Code::kWgmmaCommit:
      return "wgmma_commit";
    case Code::kWgmmaFence:
      return "wgmma_fence";
    case Code::kWgmmaWait:
      return "wgmma_wait";
    case Code::kSetMaxRegisters:
      return "set_max_registers";
    default:
      return "mma";
  }
}

std::string NativeCta::WaitName(const Thread& thread) const {
  const Instruction& in = program_.code[static_cast<size_t>(thread.pc)];
  std::string name = MeetingName(in.code);
  if (in.code == Code::kMBarrierWait) {
    const NativeTensor& barriers = TensorAt(in.arg[0]);
    const int64_t index = (thread.barrier - barriers.offset) / kMBarrierBytes;
    StrAppend(&name, " of ", BarrierName(in.arg[0], index), " parity ", thread.parity);
  } else if (in.code == Code::kNamedBarrier) {
    StrAppend(&name, " ", in.arg[0]);
  }
  return name;
}

std::string NativeCta::Waiting(int except) const {
  std::map<std::pair<int, int64_t>, std::vector<int64_t>> waiting;  // By place and barrier
  for (int64_t t = 0; t < count(); ++t) {
    const Thread& thread = ThreadAt(t);
    if (thread.state == State::kWaiting && thread.pc != except) waiting[{thread.pc, thread.barrier}].push_back(t);
  }
  std::string text;
  for (const auto& [where, who] : waiting) {
    StrAppend(&text, text.empty() ? "" : "; ", who.size() == 1 ? "thread " : "threads ", ir::Ranges(who),
              who.size() == 1 ? " waits at " : " wait at ", WaitName(ThreadAt(who[0])),
              At(program_.places[static_cast<size_t>(where.first)]));
  }
  return text;
}

absl::Status NativeCta::Stuck() const {
  auto waiting =
      std::find_if(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state == State::kWaiting; });
  switch (program_.code[static_cast<size_t>(waiting->pc)].code) {
    case Code::kMBarrierWait:
      return StuckAtBarrier(*waiting);
    case Code::kNamedBarrier:
      return StuckAtNamedBarrier(waiting->pc);
    default:
      return StuckAtMeeting(waiting - threads_.begin());
  }
}

absl::Status NativeCta::StuckAtBarrier(const Thread& thread) const {
  const MBarrier& barrier = *barriers_.Find(thread.barrier);
  std::vector<int64_t> who;
  for (int64_t t = 0; t < count(); ++t) {
    const Thread& other = ThreadAt(t);
    if (other.state == State::kWaiting && other.pc == thread.pc && other.barrier == thread.barrier) who.push_back(t);
  }
  std::string text =
      StrCat(ir::Place(program_.places[static_cast<size_t>(thread.pc)]),
             "deadlock: ", who.size() == 1 ? "thread " : "threads ", ir::Ranges(who),
             who.size() == 1 ? " waits" : " wait", " for phase ", barrier.ended, " of ", barrier.name,
             ", which misses ", barrier.arrivals, " of ", barrier.count, " arrivals and ", barrier.bytes, " bytes");
  std::string others = Waiting(thread.pc);
  if (!others.empty()) StrAppend(&text, "; ", others);
  return absl::FailedPreconditionError(text);
}

absl::Status NativeCta::StuckAtNamedBarrier(int pc) const {
  const Instruction& in = program_.code[static_cast<size_t>(pc)];
  std::vector<int64_t> who = named_.at(in.arg[0]).threads;
  std::sort(who.begin(), who.end());
  std::string text = StrCat(ir::Place(program_.places[static_cast<size_t>(pc)]), "deadlock: named_barrier ", in.arg[0],
                            " needs ", in.arg[1], " threads and has ", who.size(), ": ", ir::Ranges(who));
  std::string others = Waiting(pc);
  if (!others.empty()) StrAppend(&text, "; ", others);
  return absl::FailedPreconditionError(text);
}

absl::Status NativeCta::StuckAtMeeting(int64_t thread) const {
  const int pc = ThreadAt(thread).pc;
  const Code code = program_.code[static_cast<size_t>(pc)].code;
  ir::Meeting meeting;
  meeting.at = program_.places[static_cast<size_t>(pc)];
  meeting.operation = MeetingName(code);
  meeting.lanes = code >= kFirstWarpMeeting && code < kFirstGroupMeeting;
  const int64_t size = meeting.lanes ? kWarp : code >= kFirstGroupMeeting ? kGroupThreads : count();
  const int64_t first = thread / size * size, last = std::min(first + size, count());
  meeting.team = meeting.lanes                ? StrCat("warp ", first / kWarp)
                 : code >= kFirstGroupMeeting ? StrCat("warpgroup ", first / kGroupThreads)
                                              : "the CTA";
  meeting.total = last - first;
  std::map<std::pair<int, int64_t>, ir::Meeting::Elsewhere> elsewhere;
  for (int64_t t = first; t < last; ++t) {
    const Thread& other = ThreadAt(t);
    const bool done = other.state == State::kDone;
    if (!done && other.pc == pc) continue;
    meeting.missing.push_back(meeting.lanes ? t - first : t);
    ir::Meeting::Elsewhere& there = elsewhere[done ? std::pair{-1, int64_t{0}} : std::pair{other.pc, other.barrier}];
    there.who.push_back(meeting.lanes ? t - first : t);
    if (done) continue;
    there.operation = WaitName(other);
    there.at = program_.places[static_cast<size_t>(other.pc)];
  }
  for (auto& [where, who] : elsewhere) meeting.elsewhere.push_back(std::move(who));
  if (!meeting.missing.empty()) return absl::FailedPreconditionError(ir::MeetingText(meeting));
  // All of the CTA is at a cluster barrier; others of the cluster are not.
  return absl::FailedPreconditionError(
      StrCat(ir::Place(meeting.at), meeting.operation, " needs all CTAs of the cluster; some are not there"));
}

}  // namespace kiln::interp
