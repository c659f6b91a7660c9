#include "compiler/interp/native/cta.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/interp/arith.h"
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

std::string MeetingName(Code code) {
  switch (code) {
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
    default:
      return "mma";
  }
}

NativeCta::NativeCta(const NativeProgram& program, absl::Span<const GlobalMemory> globals, int64_t threads,
                     const RunOptions& options, int64_t& steps_left)
    : program_(program),
      globals_(globals),
      options_(options),
      steps_left_(steps_left),
      threads_(static_cast<size_t>(threads)),
      registers_(static_cast<size_t>(threads) * program.image.size()),
      local_(static_cast<size_t>(threads * program.local_bytes)),
      local_written_(local_.size()),
      shared_(program.shared_bytes, threads, options) {}

void NativeCta::Reset(const std::vector<Slot>& image) {
  for (size_t t = 0; t < threads_.size(); ++t) {
    threads_[t] = Thread{};
    auto id = static_cast<int64_t>(t);
    Slot* regs = RegistersOf(id);
    std::copy(image.begin(), image.end(), regs);
    const int64_t ids[] = {id, id % kWarp, id / kWarp};
    for (size_t k = 0; k < std::size(ids); ++k) regs[program_.builtins[kThreadBuiltin + k]].i = ids[k];
  }
  std::fill(local_.begin(), local_.end(), 0xcd);
  std::fill(local_written_.begin(), local_written_.end(), 0);
  shared_.Reset();
}

absl::Status NativeCta::Run(const std::vector<Slot>& image) {
  Reset(image);
  auto threads = static_cast<int64_t>(threads_.size());
  for (;;) {
    for (int64_t warp = 0; warp * kWarp < threads; ++warp) {
      for (bool met = true; met;) {
        for (int64_t t = warp * kWarp; t < std::min(threads, (warp + 1) * kWarp); ++t) {
          if (threads_[static_cast<size_t>(t)].state == State::kReady && !RunThread(t)) return Failure(t);
        }
        if (!MeetWarp(warp, met)) return Failure(-1);
      }
    }
    if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state == State::kDone; }))
      return absl::OkStatus();
    if (!MeetCta()) return Stuck();
  }
}

absl::Status NativeCta::Failure(int64_t thread) const {
  const Location& at = program_.places[static_cast<size_t>(fault_pc_)];
  std::string who = thread >= 0 ? StrCat(" (thread ", thread, ")") : "";
  if (steps_left_ < 0) return absl::ResourceExhaustedError(StrCat(ir::Place(at), fault_));
  return absl::FailedPreconditionError(StrCat(ir::Place(at), fault_, who));
}

bool NativeCta::MeetWarp(int64_t warp, bool& met) {
  met = false;
  int64_t first = warp * kWarp, last = std::min<int64_t>(first + kWarp, static_cast<int64_t>(threads_.size()));
  int pc = threads_[static_cast<size_t>(first)].pc;
  const Instruction& in = program_.code[static_cast<size_t>(pc)];
  if (in.code <= Code::kBarrier) return true;
  for (int64_t t = first; t < last; ++t) {
    const Thread& thread = threads_[static_cast<size_t>(t)];
    if (thread.state != State::kWaiting || thread.pc != pc) return true;
  }
  fault_pc_ = pc;
  switch (in.code) {
    case Code::kWarpBarrier:
      shared_.WarpBarrier(warp);
      break;
    case Code::kShfl:
    case Code::kShflXor:
      if (!Exchange(in, first, last - first)) return false;
      break;
    default:
      if (last - first < kWarp)
        return Wrong(StrCat(MeetingName(in.code), " needs a whole warp; warp ", warp, " has ", last - first, " lanes"));
      if (!(in.code == Code::kLdMatrix ? LdMatrix(in, first) : Mma(in, first))) return false;
  }
  for (int64_t t = first; t < last; ++t) {
    threads_[static_cast<size_t>(t)].state = State::kReady;
    ++threads_[static_cast<size_t>(t)].pc;
  }
  met = true;
  return true;
}

bool NativeCta::MeetCta() {
  int pc = threads_[0].pc;
  for (const Thread& thread : threads_) {
    if (thread.state != State::kWaiting || thread.pc != pc) return false;
  }
  if (program_.code[static_cast<size_t>(pc)].code != Code::kBarrier) return false;
  shared_.Barrier();
  for (Thread& thread : threads_) {
    thread.state = State::kReady;
    ++thread.pc;
  }
  return true;
}

absl::Status NativeCta::Stuck() const {
  auto waiting =
      std::find_if(threads_.begin(), threads_.end(), [](const Thread& t) { return t.state == State::kWaiting; });
  int pc = waiting->pc;
  Code code = program_.code[static_cast<size_t>(pc)].code;
  auto threads = static_cast<int64_t>(threads_.size());
  ir::Meeting meeting;
  meeting.at = program_.places[static_cast<size_t>(pc)];
  meeting.operation = MeetingName(code);
  meeting.lanes = code != Code::kBarrier;
  int64_t size = meeting.lanes ? kWarp : threads;
  int64_t first = (waiting - threads_.begin()) / size * size, last = std::min(first + size, threads);
  meeting.team = meeting.lanes ? StrCat("warp ", first / kWarp) : "the CTA";
  meeting.total = last - first;
  std::map<int, ir::Meeting::Elsewhere> elsewhere;
  for (int64_t t = first; t < last; ++t) {
    const Thread& thread = threads_[static_cast<size_t>(t)];
    bool done = thread.state == State::kDone;
    if (!done && thread.pc == pc) continue;
    meeting.missing.push_back(meeting.lanes ? t - first : t);
    ir::Meeting::Elsewhere& there = elsewhere[done ? -1 : thread.pc];
    there.who.push_back(meeting.lanes ? t - first : t);
    if (done) continue;
    there.operation = MeetingName(program_.code[static_cast<size_t>(thread.pc)].code);
    there.at = program_.places[static_cast<size_t>(thread.pc)];
  }
  for (auto& [where, who] : elsewhere) meeting.elsewhere.push_back(std::move(who));
  return absl::FailedPreconditionError(ir::MeetingText(meeting));
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
        ok = Arithmetic(in, regs);
    }
    if (!ok) return false;
  }
}

}  // namespace kiln::interp
