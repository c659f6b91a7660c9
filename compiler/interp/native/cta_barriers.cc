// Barrier objects and named barriers: threads wait one by one.
#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/interp/native/cluster.h"
#include "compiler/interp/native/cta.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {

bool NativeCta::RunAsync(const Instruction& in, Slot* regs, int64_t thread) {
  switch (in.code) {
    case Code::kMBarrierInit:
      return InitBarrier(in, regs, thread);
    case Code::kMBarrierArrive:
    case Code::kMBarrierExpect:
      return ArriveAtBarrier(in, regs, thread);
    case Code::kMBarrierWait:
      return WaitAtBarrier(in, regs, thread);
    case Code::kNamedBarrier:
      return WaitAtNamedBarrier(in, thread);
    case Code::kFenceBarrierInit:
      FenceBarriers(thread);
      return true;
    case Code::kFenceProxyAsync:
      FenceBarriers(thread);
      if (ordered_) ThreadAt(thread).knows.Fence();
      return true;
    case Code::kTmaLoad:
      return IssueLoad(program_.bulk_calls[static_cast<size_t>(in.arg[0])], regs, thread);
    case Code::kTmaStore:
      return IssueStore(program_.bulk_calls[static_cast<size_t>(in.arg[0])], regs, thread);
    case Code::kBulkCommit:
      CloseStores(thread);
      return true;
    default:
      WaitStores(in.arg[0], in.code == Code::kBulkWaitRead, thread);
      return true;
  }
}

std::string NativeCta::BarrierName(int tensor, int64_t index) const {
  return StrCat("\"", TensorAt(tensor).name, "\"[", index, "]");
}

bool NativeCta::BarrierOf(const Instruction& in, const Slot* regs, int64_t thread, int64_t* offset) {
  Reach place;
  if (!Locate(in.arg[0], regs[in.arg[1]].i, 1, thread, place)) return false;
  *offset = place.shared;
  if (place.shared % kMBarrierBytes == 0) return true;
  return Wrong(StrCat(BarrierName(in.arg[0], regs[in.arg[1]].i), ": a barrier object at byte ", place.shared,
                      " of shared memory: expected a multiple of 8"));
}

bool NativeCta::UseBarrier(NativeCta& owner, int64_t offset, const std::string& name, int64_t thread, bool fenced,
                           MBarrier** barrier) {
  *barrier = owner.barriers_.Find(offset);
  if (!*barrier) return Wrong(StrCat(name, " is used, and nothing initialized it"));
  const Touch& init = (*barrier)->initialized;
  if (ordered_ && !ThreadAt(thread).knows.Sees(init.actor, init.when)) {
    return Wrong(StrCat(name, " is used by thread ", thread, " and initialized by ",
                        cluster_.actors().Name(init.actor, init.when), " with no barrier between"));
  }
  if (fenced && !(*barrier)->fenced)
    return Wrong(StrCat(name, " is initialized by ", cluster_.actors().Name(init.actor, init.when),
                        " with no fence_barrier_init behind it"));
  return true;
}

bool NativeCta::InitBarrier(const Instruction& in, const Slot* regs, int64_t thread) {
  int64_t offset = 0;
  if (!BarrierOf(in, regs, thread, &offset)) return false;
  const std::string name = BarrierName(in.arg[0], regs[in.arg[1]].i);
  if (const MBarrier* other = barriers_.Find(offset)) {
    const Location& at = program_.places[static_cast<size_t>(other->init_pc)];
    return Wrong(StrCat(name, " is initialized again; the first time is at ", at.line, ":", at.column));
  }
  if (!shared_.PlaceBarrier(offset, kMBarrierBytes))
    return Wrong(StrCat(name, " is initialized where another barrier object or a copy in flight is"));
  const Knowledge& knows = ThreadAt(thread).knows;
  MBarrier barrier;
  barrier.name = name;
  barrier.count = barrier.arrivals = in.arg[2];
  barrier.initialized = {knows.actor, knows.own};
  barrier.init_pc = fault_pc_;
  barriers_.Add(offset, std::move(barrier));
  return true;
}

void NativeCta::FenceBarriers(int64_t thread) { barriers_.Fence(ThreadAt(thread).knows.actor); }

bool NativeCta::ArriveAtBarrier(const Instruction& in, const Slot* regs, int64_t thread) {
  int64_t offset = 0;
  if (!BarrierOf(in, regs, thread, &offset)) return false;
  const bool expects = in.code == Code::kMBarrierExpect, remote = !expects && in.arg[2] >= 0;
  const int64_t operand = in.arg[2] >= 0 ? regs[in.arg[2]].i : 0;
  if (remote && (operand < 0 || operand >= cluster_.size()))
    return Wrong(StrCat("mbarrier_arrive_at: CTA ", operand, " is outside the cluster's ", cluster_.size()));
  if (expects && (operand < 0 || operand > kMaxArrivals))
    return Wrong(StrCat("mbarrier_expect: expected 0 .. ", kMaxArrivals, " bytes, got ", operand));
  NativeCta& owner = remote ? cluster_.cta(operand) : *this;
  if (owner.Done()) return Wrong(StrCat("mbarrier_arrive_at: CTA ", operand, " of the cluster has ended"));
  MBarrier* barrier = nullptr;
  if (!UseBarrier(owner, offset, BarrierName(in.arg[0], regs[in.arg[1]].i), thread, &owner != this, &barrier))
    return false;
  Knowledge& knows = ThreadAt(thread).knows;
  if (expects) barrier->expect_pc = fault_pc_;
  std::optional<std::string> wrong = MBarriers::Arrive(*barrier, knows, expects ? operand : 0);
  if (wrong) return Wrong(*wrong);
  ++knows.own;
  if (MBarriers::EndPhase(*barrier)) owner.Wake(offset, *barrier);
  return true;
}

bool NativeCta::WaitAtBarrier(const Instruction& in, const Slot* regs, int64_t thread) {
  int64_t offset = 0;
  if (!BarrierOf(in, regs, thread, &offset)) return false;
  const int64_t parity = regs[in.arg[2]].i;
  if (parity != 0 && parity != 1) return Wrong(StrCat("mbarrier_wait: expected a parity of 0 or 1, got ", parity));
  MBarrier* barrier = nullptr;
  if (!UseBarrier(*this, offset, BarrierName(in.arg[0], regs[in.arg[1]].i), thread, false, &barrier)) return false;
  Thread& waiter = ThreadAt(thread);
  waiter.barrier = offset;
  waiter.parity = parity;
  if (barrier->Blocks(parity)) {
    Block(waiter);
  } else if (ordered_) {
    cluster_.acquirer().Acquire(waiter.knows, barrier->released);
  }
  return true;
}

// The phase has just ended: nobody misses it.
void NativeCta::Wake(int64_t offset, const MBarrier& barrier) {
  for (Thread& thread : threads_) {
    if (thread.state != State::kWaiting || thread.barrier != offset || barrier.Blocks(thread.parity)) continue;
    if (program_.code[static_cast<size_t>(thread.pc)].code != Code::kMBarrierWait) continue;
    if (ordered_) cluster_.acquirer().Acquire(thread.knows, barrier.released);
    Resume(thread);
  }
}

bool NativeCta::Awaits(int64_t barrier) const {
  return std::any_of(threads_.begin(), threads_.end(), [&](const Thread& thread) {
    return thread.state == State::kWaiting && thread.barrier == barrier &&
           program_.code[static_cast<size_t>(thread.pc)].code == Code::kMBarrierWait;
  });
}

bool NativeCta::WaitAtNamedBarrier(const Instruction& in, int64_t thread) {
  NamedBarrier& barrier = named_[in.arg[0]];
  if (!barrier.threads.empty() && barrier.count != in.arg[1]) {
    const Location& at = program_.places[static_cast<size_t>(barrier.pc)];
    return Wrong(StrCat("named_barrier ", in.arg[0], " is met for ", in.arg[1], " threads, and at ", at.line, ":",
                        at.column, " for ", barrier.count));
  }
  barrier.count = in.arg[1];
  barrier.pc = fault_pc_;
  barrier.threads.push_back(thread);
  Block(ThreadAt(thread));
  if (static_cast<int64_t>(barrier.threads.size()) < barrier.count) return true;
  Gathering gathering;
  for (int64_t t : barrier.threads) gathering.Add(ThreadAt(t).knows);
  const Known known = gathering.Take();
  for (int64_t t : barrier.threads) {
    ThreadAt(t).knows.known = known;
    ++ThreadAt(t).knows.own;
    Resume(ThreadAt(t));
  }
  barrier.threads.clear();
  return true;
}

}  // namespace kiln::interp
