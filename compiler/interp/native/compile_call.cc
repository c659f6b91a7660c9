// Intrinsic calls.
#include <algorithm>
#include <utility>

#include "compiler/interp/native/compiler.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
absl::StatusOr<Reg> NativeCompiler::CompileCall(const Expr& e) {
  const ir::IntrinsicInfo* info = ir::FindIntrinsic(e->name);
  if (!info) return Fail(e, StrCat("\"", e->name, "\" is no intrinsic"));
  if (!ir::TakesArguments(*info, e->args.size()))
    return Fail(e, StrCat(e->name, ": expected ", ir::ArgumentsTaken(*info), " arguments, got ", e->args.size()));
  Location outer = std::exchange(place_, e->at.line > 0 ? e->at : place_);
  absl::StatusOr<Reg> result = CompileIntrinsic(*info, e);
  place_ = outer;
  return result;
}

absl::StatusOr<Reg> NativeCompiler::CompileIntrinsic(const ir::IntrinsicInfo& info, const Expr& e) {
  using enum ir::Intrinsic;
  Reg none = Constant(DType::kBool, IntSlot(0));
  switch (info.id) {
    case kBarrier:
      Emit(Code::kBarrier);
      return none;
    case kWarpBarrier:
      Emit(Code::kWarpBarrier);
      return none;
    case kShflIdx:
      return CompileExchange(e, Code::kShfl);
    case kShflXor:
      return CompileExchange(e, Code::kShflXor);
    case kTransposeQuads: {
      KILN_ASSIGN_OR_RETURN(int tensor, TensorOf(e->args[0]));
      KILN_ASSIGN_OR_RETURN(Reg index, CompileAs(e->args[1], DType::kI64, 1));
      const NativeTensor& words = program_.tensors[static_cast<size_t>(tensor)];
      if (words.space != ir::Space::kLocal || Bits(words.dtype) > 32)
        return Fail(e, "transpose_quads: expected registers of at most 32 bits an element");
      Instruction& in = Emit(Code::kQuads);
      in.arg[0] = tensor;
      in.arg[1] = index.base;
      return none;
    }
    case kLdMatrix:
    case kStMatrix:
      KILN_RETURN_IF_ERROR(CompileFragments(e));
      return none;
    case kMma:
      KILN_RETURN_IF_ERROR(CompileMma(e));
      return none;
    case kPack2:
      return CompilePack2(e);
    case kCpAsync:
      KILN_RETURN_IF_ERROR(CompileCpAsync(e));
      return none;
    case kCpAsyncCommit:
      Emit(Code::kCpCommit);
      return none;
    case kCpAsyncWait: {
      KILN_ASSIGN_OR_RETURN(int64_t pending, ConstantOf(e->args[0]));
      Emit(Code::kCpWait).arg[0] = static_cast<int>(std::clamp<int64_t>(pending, 0, 1 << 20));
      return none;
    }
    case kAtomicAdd:
    case kAtomicMax:
    case kAtomicMin: {
      KILN_ASSIGN_OR_RETURN(int tensor, TensorOf(e->args[0]));
      KILN_ASSIGN_OR_RETURN(Reg index, CompileIndex(e->args[1]));
      DType dtype = program_.tensors[static_cast<size_t>(tensor)].dtype;
      KILN_ASSIGN_OR_RETURN(Reg value, CompileAs(e->args[2], dtype, 1));
      Instruction& in = Emit(Code::kAtomic);
      in.op = info.id == kAtomicAdd ? Op::kAdd : info.id == kAtomicMax ? Op::kMax : Op::kMin;
      in.dtype = dtype;
      in.arg[0] = tensor;
      in.arg[1] = index.base;
      in.arg[2] = value.base;
      return none;
    }
    case kReduceAdd:
      return CompileFold(e, Op::kAdd);
    case kReduceMax:
      return CompileFold(e, Op::kMax);
    case kReduceMin:
      return CompileFold(e, Op::kMin);
    case kStreamStore:
      KILN_RETURN_IF_ERROR(CompileStore(e->args[0], e->args[1], e->args[2]));
      return none;
    case kZipHigh:
      return CompileZip(e, true);
    case kZipLow:
      return CompileZip(e, false);
    case kPrefetch:
      return none;  // A hint
    case kRegisterFence:
      return none;  // Nothing moves across anything here
    case kElect: {
      Reg result = Fresh(DType::kBool, 1);
      Emit(Code::kElect).dst = result.base;
      return result;
    }
    default:
      KILN_RETURN_IF_ERROR(CompileAsynchronous(info, e));
      return none;
  }
}

absl::StatusOr<Reg> NativeCompiler::CompileExchange(const Expr& e, Code code) {
  KILN_ASSIGN_OR_RETURN(Reg value, CompileExpr(e->args[0]));
  KILN_ASSIGN_OR_RETURN(Reg lane, CompileAs(e->args[1], DType::kI64, 1));
  Reg result = Fresh(value.dtype, value.lanes);
  Instruction& in = Emit(code);
  in.lanes = value.lanes;
  in.dst = result.base;
  in.arg[0] = value.base;
  in.arg[1] = lane.base;
  return AsTyped(e, result);
}

absl::StatusOr<Reg> NativeCompiler::CompilePack2(const Expr& e) {
  DType dtype = e->dtype.Known() ? e->dtype.dtype : e->type.dtype;
  if (Bits(dtype) != 16 || !IsFloat(dtype)) return Fail(e, StrCat("pack2: expected f16 or bf16, got ", Name(dtype)));
  Reg pair = Fresh(dtype, 2);
  for (size_t k = 0; k < 2; ++k) {
    KILN_ASSIGN_OR_RETURN(Reg value, CompileAs(e->args[k], DType::kF32, 1));
    value = ConvertReg(value, dtype);
    Instruction& move = Emit(Code::kMove);
    move.dst = pair.base + static_cast<int>(k);
    move.arg[0] = value.base;
  }
  return pair;
}

absl::StatusOr<Reg> NativeCompiler::CompileFold(const Expr& e, Op op) {
  KILN_ASSIGN_OR_RETURN(Reg value, CompileExpr(e->args[0]));
  if ((value.lanes & (value.lanes - 1)) != 0)
    return Fail(e, StrCat(e->name, ": expected a power of two of lanes, got ", value.lanes));
  Reg result = Fresh(value.dtype, 1);
  Instruction& in = Emit(Code::kFold);
  in.op = op;
  in.dtype = value.dtype;
  in.lanes = value.lanes;
  in.dst = result.base;
  in.arg[0] = value.base;
  return AsTyped(e, result);
}

absl::StatusOr<Reg> NativeCompiler::CompileZip(const Expr& e, bool high) {
  KILN_ASSIGN_OR_RETURN(Reg a, CompileExpr(e->args[0]));
  KILN_ASSIGN_OR_RETURN(Reg b, CompileExpr(e->args[1]));
  if (a.lanes != b.lanes || a.lanes % 2 != 0 || a.dtype != b.dtype)
    return Fail(e, StrCat(e->name, ": expected two vectors of one type"));
  Reg result = Fresh(a.dtype, a.lanes);
  Instruction& in = Emit(Code::kZip);
  in.lanes = a.lanes;
  in.dst = result.base;
  in.arg[0] = a.base;
  in.arg[1] = b.base;
  in.arg[2] = high ? a.lanes / 2 : 0;
  return result;
}

absl::Status NativeCompiler::CompileFragments(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(int target, TensorOf(e->args[0]));
  KILN_ASSIGN_OR_RETURN(Reg to, CompileAs(e->args[1], DType::kI64, 1));
  KILN_ASSIGN_OR_RETURN(int source, TensorOf(e->args[2]));
  KILN_ASSIGN_OR_RETURN(Reg from, CompileAs(e->args[3], DType::kI64, 1));
  KILN_ASSIGN_OR_RETURN(int64_t count, ConstantOf(e->args[4]));
  KILN_ASSIGN_OR_RETURN(int64_t transposed, ConstantOf(e->args[5]));
  if (count != 1 && count != 2 && count != 4)
    return Fail(e, StrCat(e->name, ": expected 1, 2 or 4 matrices, got ", count));
  auto& tensors = program_.tensors;
  auto is = [&](int tensor, bool shared) {
    ir::Space space = tensors[static_cast<size_t>(tensor)].space;
    return shared ? space == ir::Space::kShared || space == ir::Space::kSharedDyn : space == ir::Space::kLocal;
  };
  const bool stores = e->name == "stmatrix";
  if (!is(target, stores) || !is(source, !stores))
    return Fail(e, StrCat(e->name, ": expected ",
                          stores ? "a shared destination and registers" : "registers and a shared source"));
  Instruction& in = Emit(stores ? Code::kStMatrix : Code::kLdMatrix);
  const int args[] = {target, to.base, source, from.base, static_cast<int>(count), transposed != 0};
  std::copy(std::begin(args), std::end(args), in.arg);
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileMma(const Expr& e) {
  int args[6];
  for (size_t k = 0; k < 3; ++k) {
    KILN_ASSIGN_OR_RETURN(args[2 * k], TensorOf(e->args[2 * k]));
    KILN_ASSIGN_OR_RETURN(Reg index, CompileAs(e->args[2 * k + 1], DType::kI64, 1));
    args[2 * k + 1] = index.base;
    if (program_.tensors[static_cast<size_t>(args[2 * k])].space != ir::Space::kLocal)
      return Fail(e, "mma: expected operands in registers");
  }
  KILN_ASSIGN_OR_RETURN(int64_t k, ConstantOf(e->args[6]));
  auto dtype = [&](size_t operand) { return program_.tensors[static_cast<size_t>(args[2 * operand])].dtype; };
  DType a = dtype(1), b = dtype(2), acc = dtype(0);
  int64_t per_word = 32 / Bits(a);
  bool shape = Bits(a) <= 32 && Bits(a) >= 8 && Bits(a) == Bits(b) && (k == 4 * per_word || k == 8 * per_word);
  bool types = IsFloat(a) ? IsFloat(b) && (acc == DType::kF32 || (acc == DType::kF16 && Bits(a) <= 16))
                          : Bits(a) == 8 && IsInteger(b) && acc == DType::kI32;
  if (!shape || !types) {
    return Fail(e, StrCat("mma: no m16n8k", k, " of ", Name(a), " and ", Name(b), " into ", Name(acc)));
  }
  Instruction& in = Emit(Code::kMma);
  in.lanes = static_cast<int>(k);
  std::copy(std::begin(args), std::end(args), in.arg);
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileCpAsync(const Expr& e) {
  KILN_ASSIGN_OR_RETURN(int target, TensorOf(e->args[0]));
  KILN_ASSIGN_OR_RETURN(Reg to, CompileAs(e->args[1], DType::kI64, 1));
  KILN_ASSIGN_OR_RETURN(int source, TensorOf(e->args[2]));
  KILN_ASSIGN_OR_RETURN(Reg from, CompileAs(e->args[3], DType::kI64, 1));
  KILN_ASSIGN_OR_RETURN(int64_t bytes, ConstantOf(e->args[4]));
  KILN_ASSIGN_OR_RETURN(Reg read, CompileAs(e->args[5], DType::kI64, 1));
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return Fail(e, StrCat("cp_async: expected 4, 8 or 16 bytes, got ", bytes));
  ir::Space space = program_.tensors[static_cast<size_t>(target)].space;
  bool shared = space == ir::Space::kShared || space == ir::Space::kSharedDyn;
  if (!shared || program_.tensors[static_cast<size_t>(source)].space != ir::Space::kGlobal) {
    return Fail(e, "cp_async: expected a shared target and a global source");
  }
  Instruction& in = Emit(Code::kCpAsync);
  const int args[] = {target, to.base, source, from.base, static_cast<int>(bytes), read.base};
  std::copy(std::begin(args), std::end(args), in.arg);
  return absl::OkStatus();
}

}  // namespace kiln::interp
