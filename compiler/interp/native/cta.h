// One CTA of a lowered kernel: threads with registers and control flow of their own.
#ifndef KILN_COMPILER_INTERP_NATIVE_CTA_H_
#define KILN_COMPILER_INTERP_NATIVE_CTA_H_

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/interp/native/program.h"
#include "compiler/interp/native/shared_memory.h"
#include "compiler/interp/value.h"

namespace kiln::interp {

struct GlobalMemory {
  uint8_t* data = nullptr;
  int64_t elements = 0;
};

class NativeCta {
 public:
  // Borrows everything; `globals` go with the program's first tensors, `image` is its registers with scalars and grid
  // filled in. `steps_left` counts down over all CTAs.
  NativeCta(const NativeProgram& program, absl::Span<const GlobalMemory> globals, int64_t threads,
            const RunOptions& options, int64_t& steps_left);

  // Once a CTA. Errors carry place and thread.
  absl::Status Run(const std::vector<Slot>& image);

 private:
  enum class State : uint8_t { kReady, kWaiting, kDone };
  struct Copy {
    int64_t target = 0;  // Byte in shared memory
    const uint8_t* source = nullptr;
    int64_t bytes = 0;
    int64_t read = 0;
  };
  struct Thread {
    State state = State::kReady;
    int pc = 0;
    std::vector<Copy> open;                // Issued, in no group yet
    std::deque<std::vector<Copy>> groups;  // Closed, oldest first
  };
  // Elements of a tensor as one thread reaches them.
  struct Reach {
    uint8_t* data = nullptr;  // Of element 0
    int64_t begin = 0;        // Bytes from there
    int64_t count = 0;
    int64_t shared = -1;  // Byte in the CTA's memory, when it is there
    int64_t local = -1;   // Byte in the thread's local memory of all threads
  };

  void Reset(const std::vector<Slot>& image);
  // Runs until the thread waits or ends. False: fault_ says why.
  bool RunThread(int64_t thread);
  bool MeetWarp(int64_t warp, bool& met);
  bool MeetCta();
  absl::Status Failure(int64_t thread) const;
  absl::Status Stuck() const;

  bool Locate(int tensor, int64_t index, int64_t count, int64_t thread, Reach& place);
  bool Aligned(const Reach& place, int64_t bytes, const std::string& name);
  bool Load(int tensor, int64_t index, int64_t count, int64_t thread, Slot* out);
  bool Store(int tensor, int64_t index, int64_t count, int64_t thread, const Slot* values);
  bool ReadBytes(const Reach& place, int64_t thread, const std::string& name);
  void Enter(int tensor, int64_t thread);

  bool Arithmetic(const Instruction& in, Slot* regs);
  bool Atomic(const Instruction& in, Slot* regs, int64_t thread);
  bool CpAsync(const Instruction& in, Slot* regs, int64_t thread);
  void CpWait(int64_t pending, int64_t thread);

  // Of a whole warp, at one instruction.
  bool Exchange(const Instruction& in, int64_t first, int64_t lanes);
  bool LdMatrix(const Instruction& in, int64_t first);
  bool Mma(const Instruction& in, int64_t first);

  Slot* RegistersOf(int64_t thread) { return registers_.data() + thread * static_cast<int64_t>(program_.image.size()); }
  bool Wrong(std::string text) {
    fault_ = std::move(text);
    return false;
  }

  const NativeProgram& program_;
  absl::Span<const GlobalMemory> globals_;
  const RunOptions& options_;
  int64_t& steps_left_;
  std::vector<Thread> threads_;
  std::vector<Slot> registers_;
  std::vector<uint8_t> local_;
  std::vector<uint8_t> local_written_;
  SharedMemory shared_;
  std::string fault_;
  int fault_pc_ = 0;
};

// The instruction's name in `.kiln` text, of those that wait.
std::string MeetingName(Code code);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_CTA_H_
