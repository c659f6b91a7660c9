// Threads that wait for each other: warps, warpgroups, the CTA.
#include <algorithm>

#include "compiler/interp/native/cluster.h"
#include "compiler/interp/native/cta.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

constexpr int64_t kWarp = 32;

}  // namespace

void NativeCta::Resume(Thread& thread) {
  thread.state = State::kReady;
  ++thread.pc;
}

// The instruction has been stepped over, and is where the thread waits.
void NativeCta::Block(Thread& thread) {
  thread.state = State::kWaiting;
  --thread.pc;
}

bool NativeCta::AllAt(int64_t first, int64_t last, int pc) const {
  for (int64_t t = first; t < last; ++t)
    if (ThreadAt(t).state != State::kWaiting || ThreadAt(t).pc != pc) return false;
  return true;
}

// What each of these threads has done happened before what all of them do next.
void NativeCta::Order(int64_t first, int64_t last) {
  if (!ordered_) return;
  Gathering gathering;
  for (int64_t t = first; t < last; ++t) gathering.Add(ThreadAt(t).knows);
  const Known known = gathering.Take();
  for (int64_t t = first; t < last; ++t) {
    ThreadAt(t).knows.known = known;
    ++ThreadAt(t).knows.own;
  }
}

bool NativeCta::MeetWarp(int64_t warp, bool& met) {
  met = false;
  const int64_t first = warp * kWarp, last = std::min(first + kWarp, count());
  const int pc = ThreadAt(first).pc;
  const Instruction& in = program_.code[static_cast<size_t>(pc)];
  if (in.code < kFirstWarpMeeting || in.code >= kFirstGroupMeeting || !AllAt(first, last, pc)) return true;
  fault_pc_ = pc;
  switch (in.code) {
    case Code::kWarpBarrier:
      Order(first, last);
      break;
    case Code::kShfl:
    case Code::kShflXor:
      if (!Exchange(in, first, last - first)) return false;
      break;
    case Code::kElect:
      for (int64_t t = first; t < last; ++t) RegistersOf(t)[in.dst].i = t == first;
      break;
    default:
      if (last - first < kWarp)
        return Wrong(StrCat(MeetingName(in.code), " needs a whole warp; warp ", warp, " has ", last - first, " lanes"));
      if (!(in.code == Code::kLdMatrix   ? LdMatrix(in, first)
            : in.code == Code::kStMatrix ? StMatrix(in, first)
            : in.code == Code::kQuads    ? TransposeQuads(in, first)
                                         : Mma(in, first)))
        return false;
  }
  for (int64_t t = first; t < last; ++t) Resume(ThreadAt(t));
  return met = true;
}

bool NativeCta::MeetGroup(int64_t group, bool& met) {
  const int64_t first = group * kGroupThreads, last = std::min(first + kGroupThreads, count());
  const int pc = ThreadAt(first).pc;
  const Instruction& in = program_.code[static_cast<size_t>(pc)];
  if (in.code < kFirstGroupMeeting || !AllAt(first, last, pc)) return true;
  fault_pc_ = pc;
  if (last - first < kGroupThreads) {
    return Wrong(
        StrCat(MeetingName(in.code), " needs a whole warpgroup; warpgroup ", group, " has ", last - first, " threads"));
  }
  Products& products = products_[static_cast<size_t>(group)];
  switch (in.code) {
    case Code::kWgmma:
      if (!IssueProduct(program_.products[static_cast<size_t>(in.arg[0])], group)) return false;
      break;
    case Code::kWgmmaCommit:
      products.groups.push_back(std::exchange(products.open, {}));
      ++products.closed;
      break;
    case Code::kWgmmaFence:
      FenceRegisters(group);
      break;
    case Code::kWgmmaWait:
      RetireProducts(in.arg[0], group);
      break;
    default:  // kSetMaxRegisters: registers have no end here
      break;
  }
  for (int64_t t = first; t < last; ++t) Resume(ThreadAt(t));
  return met = true;
}

bool NativeCta::MeetCta() {
  const int pc = ThreadAt(0).pc;
  if (program_.code[static_cast<size_t>(pc)].code != Code::kBarrier || !AllAt(0, count(), pc)) return false;
  Order(0, count());
  if (!program_.asynchronous) shared_.ForgetReaders();
  for (Thread& thread : threads_) Resume(thread);
  return true;
}

bool NativeCta::WaitsForCluster(int* pc) const {
  if (*pc < 0) *pc = ThreadAt(0).pc;
  return program_.code[static_cast<size_t>(*pc)].code == Code::kClusterBarrier && AllAt(0, count(), *pc);
}

void NativeCta::GatherAll(Gathering& gathering) const {
  for (const Thread& thread : threads_) gathering.Add(thread.knows);
}

void NativeCta::PassClusterBarrier(const Known& known) {
  for (Thread& thread : threads_) {
    thread.knows.known = known;
    ++thread.knows.own;
    Resume(thread);
  }
}

}  // namespace kiln::interp
