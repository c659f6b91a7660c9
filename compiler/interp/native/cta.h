// One CTA of a lowered kernel: threads with registers and control flow of their own.
#ifndef KILN_COMPILER_INTERP_NATIVE_CTA_H_
#define KILN_COMPILER_INTERP_NATIVE_CTA_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "compiler/interp/native/bulk_copies.h"
#include "compiler/interp/native/clocks.h"
#include "compiler/interp/native/mbarriers.h"
#include "compiler/interp/native/program.h"
#include "compiler/interp/native/shared_memory.h"
#include "compiler/interp/value.h"

namespace kiln::interp {

class NativeCluster;

struct GlobalMemory {
  uint8_t* data = nullptr;
  int64_t elements = 0;
};

// A box on its way to a CTA.
struct BulkLoad {
  const TensorMap* map = nullptr;
  BoxAt at = {};
  int64_t target = 0;   // Byte in its shared memory
  int64_t barrier = 0;  // Byte of the barrier object there that its bytes complete at
  int pc = 0;           // Where it was issued
};

class NativeCta {
 public:
  // Borrows everything; `globals` go with the program's first tensors. `steps_left` counts down over all CTAs. `rank`
  // is the CTA's in `cluster`.
  NativeCta(const NativeProgram& program, absl::Span<const GlobalMemory> globals, int64_t threads,
            const RunOptions& options, NativeCluster& cluster, int64_t rank, int64_t& steps_left);

  // A new CTA; `image` is the program's registers with all filled in that its threads share.
  void Reset(const std::vector<Slot>& image);
  // Runs until no thread can go on by itself; `moved` is set when one could. Errors carry place and thread.
  absl::Status Advance(bool& moved);
  bool Done() const;

  // What the cluster does for its CTAs.
  bool WaitsForCluster(int* pc) const;
  void GatherAll(Gathering& gathering) const;
  void PassClusterBarrier(const Known& known);
  bool Awaits(int64_t barrier) const;
  absl::Status Land(const BulkLoad& load);
  // What asynchronous work the CTA leaves behind, and writes of it that nobody waited for.
  absl::Status Finish();
  // Why no thread can go on. REQUIRES: !Done().
  absl::Status Stuck() const;
  // "threads 0..31 wait at barrier at 3:1; ...", of all but those at `except`.
  std::string Waiting(int except) const;

  const SharedMemory& shared() const { return shared_; }

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
    int64_t barrier = 0;  // That it waits for, and the parity
    int64_t parity = 0;
    Knowledge knows;
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
  struct NamedBarrier {
    int64_t count = 0;
    int pc = 0;
    std::vector<int64_t> threads;
  };
  struct BulkStore {
    const TensorMap* map = nullptr;
    BoxAt at = {};
    int64_t source = 0;  // Byte in shared memory
    int pc = 0;
    std::vector<uint8_t> bytes;  // Once they have been read
  };
  struct StoreGroup {
    std::vector<BulkStore> stores;
    bool read = false;
  };
  // The bulk stores of one thread.
  struct Stores {
    int32_t actor = -1;
    uint32_t closed = 0;
    uint32_t read = 0;  // Groups whose reads are done
    std::vector<BulkStore> open;
    std::deque<StoreGroup> groups;
  };
  struct Product {
    const ProductCall* call = nullptr;
    int pc = 0;
    int64_t acc = 0;  // Byte in a thread's local memory
    int64_t a = 0;    // In shared memory, or in a thread's local memory
    int64_t b = 0;
    bool accumulate = false;
  };
  // The products of one warpgroup.
  struct Products {
    int32_t actor = -1;
    uint32_t closed = 0;
    std::vector<Product> open;
    std::deque<std::vector<Product>> groups;
  };
  // What a byte of a thread's local memory has been through.
  enum LocalFlag : uint8_t {
    kWritten = 1,
    kUnfenced = 2,  // And no wgmma_fence since
    kResult = 4,    // Of a product in flight
    kSource = 8,    // The same, which reads it
  };

  // Runs until the thread waits or ends. False: fault_ says why.
  bool RunThread(int64_t thread);
  bool RunAsync(const Instruction& in, Slot* regs, int64_t thread);
  bool MeetWarp(int64_t warp, bool& met);
  bool MeetGroup(int64_t group, bool& met);
  bool MeetCta();
  bool AllAt(int64_t first, int64_t last, int pc) const;
  void Resume(Thread& thread);
  void Block(Thread& thread);
  void Order(int64_t first, int64_t last);
  absl::Status Failure(int64_t thread) const;
  absl::Status StuckAtBarrier(const Thread& thread) const;
  absl::Status StuckAtNamedBarrier(int pc) const;
  absl::Status StuckAtMeeting(int64_t thread) const;
  std::string WaitName(const Thread& thread) const;

  bool Locate(int tensor, int64_t index, int64_t count, int64_t thread, Reach& place);
  bool Aligned(const Reach& place, int64_t bytes, const std::string& name);
  bool Load(int tensor, int64_t index, int64_t count, int64_t thread, Slot* out);
  bool Store(int tensor, int64_t index, int64_t count, int64_t thread, const Slot* values);
  bool ReadBytes(const Reach& place, int64_t thread, const std::string& name);
  bool WriteLocal(const Reach& place, const std::string& name);
  void Enter(int tensor, int64_t thread);

  bool Arithmetic(const Instruction& in, Slot* regs);
  bool Atomic(const Instruction& in, Slot* regs, int64_t thread);
  bool CpAsync(const Instruction& in, Slot* regs, int64_t thread);
  void CpWait(int64_t pending, int64_t thread);

  // Of a whole warp, at one instruction.
  bool Exchange(const Instruction& in, int64_t first, int64_t lanes);
  bool TransposeQuads(const Instruction& in, int64_t first);
  bool LdMatrix(const Instruction& in, int64_t first);
  bool StMatrix(const Instruction& in, int64_t first);
  bool Mma(const Instruction& in, int64_t first);

  // Barrier objects and named barriers.
  std::string BarrierName(int tensor, int64_t index) const;
  bool BarrierOf(const Instruction& in, const Slot* regs, int64_t thread, int64_t* offset);
  bool UseBarrier(NativeCta& owner, int64_t offset, const std::string& name, int64_t thread, bool fenced,
                  MBarrier** barrier);
  bool InitBarrier(const Instruction& in, const Slot* regs, int64_t thread);
  bool ArriveAtBarrier(const Instruction& in, const Slot* regs, int64_t thread);
  bool WaitAtBarrier(const Instruction& in, const Slot* regs, int64_t thread);
  bool WaitAtNamedBarrier(const Instruction& in, int64_t thread);
  void FenceBarriers(int64_t thread);
  void Wake(int64_t offset, const MBarrier& barrier);

  // The copy engine.
  BoxAt BoxOf(const BulkCall& call, const Slot* regs) const;
  bool IssueLoad(const BulkCall& call, const Slot* regs, int64_t thread);
  bool IssueLoadTo(NativeCta& target, const BulkLoad& load, const std::string& tensor, const std::string& barrier,
                   int64_t thread);
  bool IssueStore(const BulkCall& call, const Slot* regs, int64_t thread);
  void CloseStores(int64_t thread);
  void WaitStores(int64_t pending, bool reads_alone, int64_t thread);
  void ReadStores(StoreGroup& group);

  // The matrix unit, of a whole warpgroup.
  bool IssueProduct(const ProductCall& call, int64_t group);
  bool SameOperands(const ProductCall& call, int64_t first);
  bool HoldRegisters(const ProductCall& call, Product& product, int64_t first);
  bool HoldShared(const SharedOperand& layout, const char* operand, int tensor, int64_t start, int64_t group);
  void RetireProducts(int64_t pending, int64_t group);
  void RunProduct(const Product& product, int64_t first);
  void MarkRegisters(const Product& product, int64_t first, bool held);
  void FenceRegisters(int64_t group);

  Slot* RegistersOf(int64_t thread) { return registers_.data() + thread * static_cast<int64_t>(program_.image.size()); }
  Thread& ThreadAt(int64_t thread) { return threads_[static_cast<size_t>(thread)]; }
  const Thread& ThreadAt(int64_t thread) const { return threads_[static_cast<size_t>(thread)]; }
  const NativeTensor& TensorAt(int tensor) const { return program_.tensors[static_cast<size_t>(tensor)]; }
  int64_t count() const { return static_cast<int64_t>(threads_.size()); }
  bool Wrong(std::string text) {
    fault_ = std::move(text);
    return false;
  }

  const NativeProgram& program_;
  absl::Span<const GlobalMemory> globals_;
  const RunOptions& options_;
  NativeCluster& cluster_;
  int64_t rank_;
  int64_t& steps_left_;
  std::vector<Thread> threads_;
  std::vector<Slot> registers_;
  std::vector<uint8_t> local_;
  std::vector<uint8_t> local_flags_;
  SharedMemory shared_;
  bool ordered_;  // Who has seen what is kept track of
  MBarriers barriers_;
  std::map<int64_t, NamedBarrier> named_;
  std::map<int64_t, Stores> stores_;  // By thread
  std::vector<Products> products_;    // By warpgroup
  int64_t products_in_flight_ = 0;
  std::string fault_;
  int fault_pc_ = 0;
};

// The instruction's name in `.kiln` text, of those that wait.
std::string MeetingName(Code code);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_CTA_H_
