#include "compiler/interp/native/cta.h"

#include <algorithm>
#include <utility>

#include "compiler/interp/arith.h"
#include "compiler/interp/native/cluster.h"
#include "compiler/ir/meeting.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

constexpr int64_t kWarp = 32;

// Index arithmetic is most of what runs.
bool QuickI64(const Instruction& in, Slot* regs) {
  if (in.dtype != DType::kI64 || in.lanes != 1) return false;
  auto a = static_cast<uint64_t>(regs[in.arg[0]].i), b = static_cast<uint64_t>(regs[in.arg[1]].i);
  int64_t& dst = regs[in.dst].i;
  switch (in.op) {
    case Op::kAdd:
      dst = static_cast<int64_t>(a + b);
      return true;
    case Op::kSub:
      dst = static_cast<int64_t>(a - b);
      return true;
    case Op::kMul:
      dst = static_cast<int64_t>(a * b);
      return true;
    case Op::kLt:
      dst = static_cast<int64_t>(a) < static_cast<int64_t>(b);
      return true;
    default:
      return false;
  }
}

}  // namespace

NativeCta::NativeCta(const NativeProgram& program, absl::Span<const GlobalMemory> globals, int64_t threads,
                     const RunOptions& options, NativeCluster& cluster, int64_t rank, int64_t& steps_left)
    : program_(program),
      globals_(globals),
      options_(options),
      cluster_(cluster),
      rank_(rank),
      steps_left_(steps_left),
      threads_(static_cast<size_t>(threads)),
      registers_(static_cast<size_t>(threads) * program.image.size()),
      local_(static_cast<size_t>(threads * program.local_bytes)),
      local_flags_(local_.size()),
      shared_(program.shared_bytes, threads > 1 || program.asynchronous, options, cluster.actors()),
      ordered_(shared_.looks_for_races()),
      products_(static_cast<size_t>((threads + kGroupThreads - 1) / kGroupThreads)) {}

void NativeCta::Reset(const std::vector<Slot>& image) {
  for (size_t t = 0; t < threads_.size(); ++t) {
    threads_[t] = Thread{};
    auto id = static_cast<int64_t>(t);
    threads_[t].knows.actor = cluster_.actors().ThreadOf(rank_, id);
    Slot* regs = RegistersOf(id);
    std::copy(image.begin(), image.end(), regs);
    const int64_t ids[] = {id, id % kWarp, id / kWarp};
    for (size_t k = 0; k < std::size(ids); ++k) regs[program_.builtins[kThreadBuiltin + k]].i = ids[k];
  }
  std::fill(local_.begin(), local_.end(), 0xcd);
  std::fill(local_flags_.begin(), local_flags_.end(), 0);
  shared_.Reset();
  barriers_.Reset();
  named_.clear();
  stores_.clear();
  std::fill(products_.begin(), products_.end(), Products{});
  products_in_flight_ = 0;
}

absl::Status NativeCta::Advance(bool& moved) {
  for (bool any = true; any;) {
    any = false;
    for (int64_t warp = 0; warp * kWarp < count(); ++warp) {
      for (bool met = true; met;) {
        for (int64_t t = warp * kWarp; t < std::min(count(), (warp + 1) * kWarp); ++t) {
          if (ThreadAt(t).state != State::kReady) continue;
          any = true;
          if (!RunThread(t)) return Failure(t);
        }
        if (!MeetWarp(warp, met)) return Failure(-1);
      }
    }
    for (int64_t group = 0; program_.asynchronous && group * kGroupThreads < count(); ++group) {
      bool met = false;
      if (!MeetGroup(group, met)) return Failure(-1);
      any = any || met;
    }
    any = MeetCta() || any;
    moved = moved || any;
  }
  return absl::OkStatus();
}

bool NativeCta::Done() const {
  return std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state == State::kDone; });
}

absl::Status NativeCta::Failure(int64_t thread) const {
  const Location& at = program_.places[static_cast<size_t>(fault_pc_)];
  std::string who = thread >= 0 ? StrCat(" (thread ", thread, ")") : "";
  if (steps_left_ < 0) return absl::ResourceExhaustedError(StrCat(ir::Place(at), fault_));
  return absl::FailedPreconditionError(StrCat(ir::Place(at), fault_, who));
}

bool NativeCta::Arithmetic(const Instruction& in, Slot* regs) {
  const Slot* a = regs + in.arg[0];
  Slot* dst = regs + in.dst;
  switch (in.code) {
    case Code::kMove:
      std::copy(a, a + in.lanes, dst);
      return true;
    case Code::kSpread:
      std::fill(dst, dst + in.lanes, *a);
      return true;
    case Code::kRamp:
      for (int k = 0; k < in.lanes; ++k) dst[k].i = scalar::Wrap(in.dtype, a->i + k);
      return true;
    case Code::kBinary: {
      if (QuickI64(in, regs)) return true;
      Fault fault = ApplyBinary(in.op, in.dtype, a, 1, regs + in.arg[1], 1, in.lanes, dst);
      return !fault || Wrong(fault);
    }
    case Code::kUnary: {
      Fault fault = ApplyUnary(in.op, in.dtype, a, in.lanes, dst);
      return !fault || Wrong(fault);
    }
    case Code::kMath: {
      const Slot* operands[3] = {};
      for (int k = 0; k < 3; ++k) operands[k] = in.arg[k] < 0 ? nullptr : regs + in.arg[k];
      Fault fault = ApplyMath(in.op, in.dtype, operands, in.lanes, dst);
      return !fault || Wrong(fault);
    }
    case Code::kConvert:
      std::copy(a, a + in.lanes, dst);
      ConvertAll(in.dtype, in.from, dst, in.lanes);
      return true;
    case Code::kSelect:
      for (int k = 0; k < in.lanes; ++k) dst[k] = regs[in.arg[a[k].i ? 1 : 2] + k];
      return true;
    case Code::kZip:
      for (int k = 0; k < in.lanes; ++k) dst[k] = regs[in.arg[k % 2] + in.arg[2] + k / 2];
      return true;
    default: {  // kFold
      std::vector<Slot> lanes(a, a + in.lanes);
      for (int half = in.lanes / 2; half > 0; half /= 2) {
        Fault fault = ApplyBinary(in.op, in.dtype, lanes.data(), 1, lanes.data() + half, 1, half, lanes.data());
        if (fault) return Wrong(fault);
      }
      *dst = lanes[0];
      return true;
    }
  }
}

bool NativeCta::RunThread(int64_t id) {
  Thread& thread = threads_[static_cast<size_t>(id)];
  Slot* regs = RegistersOf(id);
  for (;;) {
    const Instruction& in = program_.code[static_cast<size_t>(thread.pc)];
    fault_pc_ = thread.pc;
    if (--steps_left_ < 0) return Wrong("more steps than allowed: a loop without end?");
    if (in.code >= kFirstMeeting) {
      thread.state = State::kWaiting;
      return true;
    }
    ++thread.pc;
    bool ok = true;
    switch (in.code) {
      case Code::kLoad:
        ok = Load(in.arg[0], regs[in.arg[1]].i, in.lanes, id, regs + in.dst);
        break;
      case Code::kGather:
        for (int k = 0; k < in.lanes && ok; ++k) ok = Load(in.arg[0], regs[in.arg[1] + k].i, 1, id, regs + in.dst + k);
        break;
      case Code::kStore:
        ok = Store(in.arg[0], regs[in.arg[1]].i, in.lanes, id, regs + in.arg[2]);
        break;
      case Code::kScatter:
        for (int k = 0; k < in.lanes && ok; ++k)
          ok = Store(in.arg[0], regs[in.arg[1] + k].i, 1, id, regs + in.arg[2] + k);
        break;
      case Code::kAtomic:
        ok = Atomic(in, regs, id);
        break;
      case Code::kEnter:
        Enter(in.arg[0], id);
        break;
      case Code::kJump:
        thread.pc = in.target;
        break;
      case Code::kJumpIfZero:
        if (!regs[in.arg[0]].i) thread.pc = in.target;
        break;
      case Code::kJumpIfOne:
        if (regs[in.arg[0]].i) thread.pc = in.target;
        break;
      case Code::kCheckStep:
        if (regs[in.arg[0]].i < 1) return Wrong(StrCat("loop step: expected at least 1, got ", regs[in.arg[0]].i));
        break;
      case Code::kCheck:
        if (!regs[in.arg[0]].i) return Wrong(program_.texts[static_cast<size_t>(in.text)]);
        break;
      case Code::kCpAsync:
        ok = CpAsync(in, regs, id);
        break;
      case Code::kCpCommit:
        thread.groups.push_back(std::exchange(thread.open, {}));
        break;
      case Code::kCpWait:
        CpWait(in.arg[0], id);
        break;
      case Code::kEnd:
        thread.state = State::kDone;
        return true;
      default:
        if (in.code < Code::kMBarrierInit) {
          ok = Arithmetic(in, regs);
          break;
        }
        if (!RunAsync(in, regs, id)) return false;
        if (thread.state != State::kReady) return true;
    }
    if (!ok) return false;
  }
}

}  // namespace kiln::interp
