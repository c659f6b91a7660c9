// Calls of barrier objects, the copy engine and the matrix unit.
#include <algorithm>

#include "compiler/interp/native/bulk_copies.h"
#include "compiler/interp/native/compiler.h"
#include "compiler/interp/native/mbarriers.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

constexpr int64_t kMaxNamedBarrier = 15;
constexpr int64_t kMaxThreads = 1024;

bool IsShared(const NativeTensor& tensor) {
  return tensor.space == ir::Space::kShared || tensor.space == ir::Space::kSharedDyn;
}

}  // namespace

absl::Status NativeCompiler::CompileAsynchronous(const ir::IntrinsicInfo& info, const Expr& e) {
  using enum ir::Intrinsic;
  program_.asynchronous = true;
  switch (info.id) {
    case kMBarrierInit:
      return CompileMBarrier(e, Code::kMBarrierInit);
    case kMBarrierArrive:
    case kMBarrierArriveAt:
      return CompileMBarrier(e, Code::kMBarrierArrive);
    case kMBarrierExpect:
      return CompileMBarrier(e, Code::kMBarrierExpect);
    case kMBarrierWait:
      return CompileMBarrier(e, Code::kMBarrierWait);
    case kFenceBarrierInit:
      Emit(Code::kFenceBarrierInit);
      return absl::OkStatus();
    case kFenceProxyAsync:
      Emit(Code::kFenceProxyAsync);
      return absl::OkStatus();
    case kBulkCommit:
      Emit(Code::kBulkCommit);
      return absl::OkStatus();
    case kBulkWait:
      return CompileGroupWait(e, Code::kBulkWait);
    case kBulkWaitRead:
      return CompileGroupWait(e, Code::kBulkWaitRead);
    case kTmaLoad:
    case kTmaLoadMulticast:
      return CompileBulk(e, Code::kTmaLoad, info.id == kTmaLoadMulticast);
    case kTmaStore:
      return CompileBulk(e, Code::kTmaStore, false);
    case kWgmma:
      return CompileWgmma(e);
    case kWgmmaCommit:
      Emit(Code::kWgmmaCommit);
      return absl::OkStatus();
    case kWgmmaFence:
      Emit(Code::kWgmmaFence);
      return absl::OkStatus();
    case kWgmmaWait:
      return CompileGroupWait(e, Code::kWgmmaWait);
    case kClusterBarrier:
      Emit(Code::kClusterBarrier);
      return absl::OkStatus();
    case kNamedBarrier:
      return CompileNamedBarrier(e);
    case kSetMaxRegisters:
      return CompileSetMaxRegisters(e);
    default:
      return absl::UnimplementedError(StrCat("the interpreter does not run the intrinsic \"", e->name, "\""));
  }
}

absl::Status NativeCompiler::CompileGroupWait(const Expr& e, Code code) {
  KILN_ASSIGN_OR_RETURN(int64_t pending, ConstantOf(e->args[0]));
  Emit(code).arg[0] = static_cast<int>(std::clamp<int64_t>(pending, 0, 1 << 20));
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileBarrierOperand(const Expr& e, size_t first, int* tensor, int* index) {
  KILN_ASSIGN_OR_RETURN(*tensor, TensorOf(e->args[first]));
  const NativeTensor& barriers = program_.tensors[static_cast<size_t>(*tensor)];
  if (barriers.dtype != DType::kMBarrier || !IsShared(barriers))
    return Fail(e, StrCat(e->name, ": expected a shared tensor of mbarrier, got \"", barriers.name, "\""));
  KILN_ASSIGN_OR_RETURN(Reg at, CompileAs(e->args[first + 1], DType::kI64, 1));
  *index = at.base;
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileMBarrier(const Expr& e, Code code) {
  int tensor = -1, index = -1, operand = -1;
  KILN_RETURN_IF_ERROR(CompileBarrierOperand(e, 0, &tensor, &index));
  if (code == Code::kMBarrierInit) {
    KILN_ASSIGN_OR_RETURN(int64_t count, ConstantOf(e->args[2]));
    if (count < 1 || count > kMaxArrivals)
      return Fail(e, StrCat("mbarrier_init: expected 1 .. ", kMaxArrivals, " arrivals, got ", count));
    operand = static_cast<int>(count);
  } else if (e->args.size() > 2) {
    KILN_ASSIGN_OR_RETURN(Reg value, CompileAs(e->args[2], DType::kI64, 1));
    operand = value.base;
  }
  Instruction& in = Emit(code);
  in.arg[0] = tensor;
  in.arg[1] = index;
  in.arg[2] = operand;
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileNamedBarrier(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(int64_t id, ConstantOf(e->args[0]));
  KILN_ASSIGN_OR_RETURN(int64_t threads, ConstantOf(e->args[1]));
  if (id < 1 || id > kMaxNamedBarrier)
    return Fail(e, StrCat("named_barrier: expected a barrier of 1 .. ", kMaxNamedBarrier, ", got ", id));
  if (threads < 32 || threads > kMaxThreads || threads % 32 != 0)
    return Fail(e, StrCat("named_barrier: expected whole warps, 32 .. 1024 threads, got ", threads));
  Instruction& in = Emit(Code::kNamedBarrier);
  in.arg[0] = static_cast<int>(id);
  in.arg[1] = static_cast<int>(threads);
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileSetMaxRegisters(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(int64_t registers, ConstantOf(e->args[0]));
  KILN_RETURN_IF_ERROR(ConstantOf(e->args[1]).status());
  if (registers < 24 || registers > 256 || registers % 8 != 0)
    return Fail(e, StrCat("set_max_registers: expected a multiple of 8 of 24 .. 256, got ", registers));
  Emit(Code::kSetMaxRegisters).arg[0] = static_cast<int>(registers);
  return absl::OkStatus();
}

absl::StatusOr<int> NativeCompiler::MapOf(const Expr& e) const {
  auto it = e->kind == ExprKind::kVar ? maps_.find(e->name) : maps_.end();
  if (it == maps_.end()) return Fail(e, StrCat("\"", e->name, "\" is no tensor map of the native function"));
  return it->second;
}

absl::Status NativeCompiler::CompileBulk(const Expr& e, Code code, bool multicast) {
  BulkCall call;
  const bool load = code == Code::kTmaLoad;
  size_t next = 0;
  auto take_shared = [&]() -> absl::Status {
    KILN_ASSIGN_OR_RETURN(call.tensor, TensorOf(e->args[next]));
    KILN_ASSIGN_OR_RETURN(Reg index, CompileAs(e->args[next + 1], DType::kI64, 1));
    call.index = index.base;
    next += 2;
    return absl::OkStatus();
  };
  if (load) KILN_RETURN_IF_ERROR(take_shared());
  KILN_ASSIGN_OR_RETURN(call.map, MapOf(e->args[next++]));
  if (load) {
    KILN_RETURN_IF_ERROR(CompileBarrierOperand(e, next, &call.barrier, &call.barrier_index));
    next += 2;
  } else {
    KILN_RETURN_IF_ERROR(take_shared());
  }
  if (multicast) {
    KILN_ASSIGN_OR_RETURN(Reg mask, CompileAs(e->args[next++], DType::kI64, 1));
    call.mask = mask.base;
  }
  const ir::NativeParam& map = program_.maps[static_cast<size_t>(call.map)];
  const size_t rank = e->args.size() - next;
  if (rank != map.box.size())
    return Fail(e, StrCat(e->name, ": \"", map.name, "\" takes ", map.box.size(), " coordinates, got ", rank));
  for (size_t d = 0; d < rank; ++d) {
    KILN_ASSIGN_OR_RETURN(Reg at, CompileAs(e->args[next + d], DType::kI64, 1));
    call.at[d] = at.base;
  }
  const NativeTensor& tensor = program_.tensors[static_cast<size_t>(call.tensor)];
  if (!IsShared(tensor) || Bits(tensor.dtype) != Bits(map.dtype) || tensor.dtype == DType::kMBarrier) {
    return Fail(e, StrCat(e->name, ": expected a shared tensor of elements like ", Name(map.dtype), ", got \"",
                          tensor.name, "\""));
  }
  Emit(code).arg[0] = static_cast<int>(program_.bulk_calls.size());
  program_.bulk_calls.push_back(call);
  return absl::OkStatus();
}

absl::Status NativeCompiler::CheckProduct(const Expr& e, const ProductCall& call, int64_t n) const {
  auto tensor = [&](int number) -> const NativeTensor& { return program_.tensors[static_cast<size_t>(number)]; };
  const DType a = call.a_layout.dtype, b = call.b_layout.dtype, acc = tensor(call.acc).dtype;
  if (tensor(call.acc).space != ir::Space::kLocal || tensor(call.acc).in_arena)
    return Fail(e, "wgmma: expected an accumulator in registers");
  if (!IsShared(tensor(call.b))) return Fail(e, "wgmma: expected b in shared memory");
  if (!call.a_shared && tensor(call.a).space != ir::Space::kLocal)
    return Fail(e, "wgmma: expected a in shared memory or in registers");
  const bool wide = (a == DType::kF32 || a == DType::kTF32) && (b == DType::kF32 || b == DType::kTF32);
  const bool half = a == b && (a == DType::kF16 || a == DType::kBF16);
  auto is_f8 = [](DType d) { return d == DType::kF8E4M3 || d == DType::kF8E5M2; };
  auto is_i8 = [](DType d) { return d == DType::kI8 || d == DType::kU8; };
  const bool floats = (wide || half || (is_f8(a) && is_f8(b))) && acc == DType::kF32;
  const bool integers = is_i8(a) && is_i8(b) && acc == DType::kI32;
  if (!floats && !integers)
    return Fail(e, StrCat("wgmma: no product of ", Name(a), " and ", Name(b), " into ", Name(acc)));
  if (n < 8 || n > 256 || n % (integers && n > 24 ? 16 : 8) != 0)
    return Fail(e, StrCat("wgmma: expected n of 8 .. 256 in steps of 8, of integers past 24 of 16, got ", n));
  for (const SharedOperand* operand : {&call.a_layout, &call.b_layout}) {
    if (operand == &call.a_layout && !call.a_shared) continue;
    const char* name = operand == &call.a_layout ? "a" : "b";
    if (operand->swizzle != 0 && operand->swizzle != 32 && operand->swizzle != 64 && operand->swizzle != 128)
      return Fail(e, StrCat("wgmma: ", name, ": expected a swizzle of 0, 32, 64 or 128 bytes, got ", operand->swizzle));
    if (operand->leading % kChunk != 0 || operand->stride % kChunk != 0)
      return Fail(e, StrCat("wgmma: ", name, ": expected distances of multiples of 16 bytes, got ", operand->leading,
                            " and ", operand->stride));
    if (operand->rows_innermost && !half)
      return Fail(e, StrCat("wgmma: ", name, ": expected k innermost for ", Name(a), " and ", Name(b)));
  }
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileWgmma(const Expr& e) {
  ProductCall call;
  int* const operands[] = {&call.acc, &call.acc_index, &call.a, &call.a_index, &call.b, &call.b_index};
  for (size_t k = 0; k < std::size(operands); k += 2) {
    KILN_ASSIGN_OR_RETURN(*operands[k], TensorOf(e->args[k]));
    KILN_ASSIGN_OR_RETURN(Reg index, CompileAs(e->args[k + 1], DType::kI64, 1));
    *operands[k + 1] = index.base;
  }
  KILN_ASSIGN_OR_RETURN(int64_t n, ConstantOf(e->args[6]));
  auto layout = [&](size_t first, int tensor, int64_t rows, SharedOperand& to) -> absl::Status {
    KILN_ASSIGN_OR_RETURN(to.leading, ConstantOf(e->args[first]));
    KILN_ASSIGN_OR_RETURN(to.stride, ConstantOf(e->args[first + 1]));
    KILN_ASSIGN_OR_RETURN(to.swizzle, ConstantOf(e->args[first + 2]));
    KILN_ASSIGN_OR_RETURN(int64_t innermost, ConstantOf(e->args[first + 3]));
    to.rows_innermost = innermost != 0;
    to.dtype = program_.tensors[static_cast<size_t>(tensor)].dtype;
    to.rows = rows;
    return absl::OkStatus();
  };
  KILN_RETURN_IF_ERROR(layout(7, call.a, kProductRows, call.a_layout));
  KILN_RETURN_IF_ERROR(layout(11, call.b, n, call.b_layout));
  KILN_ASSIGN_OR_RETURN(Reg accumulate, CompileAs(e->args[15], DType::kBool, 1));
  call.accumulate = accumulate.base;
  call.a_shared = IsShared(program_.tensors[static_cast<size_t>(call.a)]);
  KILN_RETURN_IF_ERROR(CheckProduct(e, call, n));
  Emit(Code::kWgmma).arg[0] = static_cast<int>(program_.products.size());
  program_.products.push_back(call);
  return absl::OkStatus();
}

}  // namespace kiln::interp
