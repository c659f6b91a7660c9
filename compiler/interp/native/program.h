// A lowered kernel as code for a register machine, so that a thread is a number and its registers, and can wait inside
// an expression.
#ifndef KILN_COMPILER_INTERP_NATIVE_PROGRAM_H_
#define KILN_COMPILER_INTERP_NATIVE_PROGRAM_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/interp/element.h"
#include "compiler/interp/native/matrix_unit.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

// A vector of `lanes` takes that many registers in a row. `arg` holds registers unless said otherwise.
enum class Code : uint8_t {
  kMove,        // dst = arg0
  kSpread,      // every lane of dst = arg0
  kRamp,        // lane k of dst = arg0 + k, in dtype
  kBinary,      // dst = arg0 op arg1 in dtype
  kUnary,       // dst = op arg0 in dtype
  kMath,        // dst = op(arg0, arg1, arg2) in dtype
  kConvert,     // dst = arg0 from `from` to dtype
  kSelect,      // dst = arg0 ? arg1 : arg2, lane by lane
  kFold,        // dst = the lanes of arg0 joined by op, by halving; `lanes` are arg0's
  kZip,         // dst = lanes of arg0 and arg1 in turn, from lane arg2 (a number) of each
  kLoad,        // dst = tensor arg0 (a number) at element arg1
  kGather,      // as kLoad, each lane at its own element
  kStore,       // tensor arg0 (a number) at element arg1 = arg2
  kScatter,     // as kStore, each lane at its own element
  kAtomic,      // tensor arg0 (a number) at element arg1 = itself op arg2
  kEnter,       // tensor arg0 (a number) holds nothing: its alloc runs
  kJump,        // to target
  kJumpIfZero,  // to target when arg0 is zero
  kJumpIfOne,   // to target when arg0 is not
  kCheckStep,   // arg0 is at least 1
  kCheck,       // arg0 is not zero; text says what failed
  kCpAsync,     // tensors arg0, arg2 (numbers) at arg1, arg3: arg4 bytes (a number), arg5 of them read
  kCpCommit,
  kCpWait,  // until at most arg0 (a number) groups are in flight
  // Barrier objects: tensor arg0 (a number) at element arg1.
  kMBarrierInit,    // arg2 (a number) arrivals
  kMBarrierArrive,  // of CTA arg2; -1 = the thread's own
  kMBarrierExpect,  // arg2 bytes
  kMBarrierWait,    // parity arg2
  kNamedBarrier,    // arg0 (a number) for arg1 (a number) threads
  kFenceBarrierInit,
  kFenceProxyAsync,
  kTmaLoad,   // bulk_calls[arg0]
  kTmaStore,  // bulk_calls[arg0]
  kBulkCommit,
  kBulkWait,      // until at most arg0 (a number) groups are in flight
  kBulkWaitRead,  // the same, of their reads
  kEnd,
  // The thread waits for all of the cluster or the CTA.
  kClusterBarrier,
  kBarrier,
  // For all of its warp.
  kWarpBarrier,
  kShfl,      // dst = arg0 of lane arg1
  kShflXor,   // dst = arg0 of lane ^ arg1
  kStMatrix,  // as kLdMatrix, from registers to shared memory
  kLdMatrix,  // tensors arg0, arg2 (numbers) at arg1, arg3; arg4 matrices (a number), transposed when arg5 (a number)
  kMma,       // tensors arg0, arg2, arg4 (numbers) at arg1, arg3, arg5: m16n8k`lanes`
  kElect,     // dst = this is the lane
  kQuads,     // tensor arg0 (a number) at arg1: four words of each of four lanes, transposed
  // For all of its warpgroup.
  kWgmma,  // products[arg0]
  kWgmmaCommit,
  kWgmmaFence,
  kWgmmaWait,        // until at most arg0 (a number) groups are in flight
  kSetMaxRegisters,  // arg0 (a number)
};

inline constexpr Code kFirstMeeting = Code::kClusterBarrier;
inline constexpr Code kFirstWarpMeeting = Code::kWarpBarrier;
inline constexpr Code kFirstGroupMeeting = Code::kWgmma;

struct Instruction {
  Code code = Code::kEnd;
  Op op = Op::kNone;
  DType dtype = DType::kNone;
  DType from = DType::kNone;
  int lanes = 1;
  int dst = -1;
  int arg[6] = {-1, -1, -1, -1, -1, -1};
  int target = -1;
  int text = -1;  // Of kCheck, into texts
};

struct NativeTensor {
  std::string name;
  DType dtype = DType::kNone;
  ir::Space space = ir::Space::kNone;
  int64_t elements = 0;   // Of a parameter: known when its argument is
  int64_t offset = 0;     // Bytes into the CTA's shared memory, or into a thread's local memory
  bool in_arena = false;  // A local tensor placed in the CTA's memory (CPU scratch)
};

// A copy between a box of a global tensor and shared memory. Tensors and the map are numbers, the rest registers.
struct BulkCall {
  int map = -1;
  int tensor = -1, index = -1;                   // In shared memory
  int barrier = -1, barrier_index = -1;          // Of a load
  int mask = -1;                                 // -1 = this CTA alone
  std::array<int, 5> at = {-1, -1, -1, -1, -1};  // Coordinates, innermost first
};

// A product of the matrix unit. Tensors are numbers, indices and `accumulate` registers.
struct ProductCall {
  int acc = -1, acc_index = -1;
  int a = -1, a_index = -1;
  int b = -1, b_index = -1;
  int accumulate = -1;
  bool a_shared = false;
  SharedOperand a_layout, b_layout;  // The dtype of a is there too when it is in registers
};

struct NativeProgram {
  std::vector<Instruction> code;
  std::vector<Location> places;  // One an instruction
  std::vector<NativeTensor> tensors;
  std::vector<std::string> texts;
  std::vector<Slot> image;  // Initial registers: constants
  std::vector<BulkCall> bulk_calls;
  std::vector<ProductCall> products;
  std::vector<ir::NativeParam> maps;  // Of kind kTensorMap
  bool asynchronous = false;          // Work runs beside the threads: barrier objects, copy engine, matrix unit
  // Where the machine puts what differs between CTAs and threads; -1 = not used.
  int builtins[10] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  struct Scalar {
    std::string name;
    DType dtype;
    int reg;
  };
  std::vector<Scalar> scalars;  // Native parameters that are no pointers
  int64_t shared_bytes = 0;
  int64_t local_bytes = 0;
};

// Order of NativeProgram::builtins.
inline constexpr const char* kNativeBuiltins[] = {"cta_id.x", "cta_id.y", "cta_id.z",  "grid.x",  "grid.y",
                                                  "grid.z",   "cta_rank", "thread_id", "lane_id", "warp_id"};
inline constexpr int kRankBuiltin = 6;
inline constexpr int kThreadBuiltin = 7;

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_PROGRAM_H_
