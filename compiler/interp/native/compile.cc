#include "compiler/interp/native/compile.h"

#include <algorithm>
#include <utility>

#include "compiler/interp/bind.h"
#include "compiler/interp/native/compiler.h"
#include "compiler/ir/meeting.h"
#include "compiler/ir/visit.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

constexpr int64_t kMaxMemory = int64_t{1} << 32;  // Bytes of one CTA, or of one thread
constexpr int64_t kAlign = 64;

}  // namespace

absl::StatusOr<NativeProgram> CompileNative(const ir::Kernel& kernel) { return NativeCompiler().Compile(kernel); }

absl::StatusOr<NativeProgram> NativeCompiler::Compile(const ir::Kernel& kernel) {
  KILN_RETURN_IF_ERROR(Declare(kernel));
  KILN_RETURN_IF_ERROR(CompileBlock(kernel.body));
  Emit(Code::kEnd);
  return std::move(program_);
}

absl::Status NativeCompiler::Fail(const Expr& e, std::string message) const {
  return absl::InvalidArgumentError(StrCat(ir::Place(e && e->at.line > 0 ? e->at : place_), message));
}

Reg NativeCompiler::Fresh(DType dtype, int lanes) {
  std::vector<int>& free = free_[lanes];
  Reg reg;
  if (free.empty()) {
    reg = Persistent(dtype, lanes);
  } else {
    reg = {free.back(), dtype, lanes};
    free.pop_back();
  }
  temporaries_.push_back(reg);
  return reg;
}

void NativeCompiler::ReleaseTemporaries() {
  for (const Reg& reg : temporaries_) free_[reg.lanes].push_back(reg.base);
  temporaries_.clear();
}

Reg NativeCompiler::Persistent(DType dtype, int lanes) {
  int base = static_cast<int>(program_.image.size());
  program_.image.resize(program_.image.size() + static_cast<size_t>(lanes), IntSlot(0));
  return {base, dtype, lanes};
}

Reg NativeCompiler::Constant(DType dtype, Slot value) {
  Reg& reg = constants_[{dtype, value.i}];
  if (reg.base < 0) {
    reg = Persistent(dtype, 1);
    program_.image[static_cast<size_t>(reg.base)] = value;
  }
  return reg;
}

Instruction& NativeCompiler::Emit(Code code) {
  program_.code.emplace_back().code = code;
  program_.places.push_back(place_);
  return program_.code.back();
}

absl::Status NativeCompiler::Declare(const ir::Kernel& kernel) {
  for (size_t k = 0; k < std::size(kNativeBuiltins); ++k) {
    Reg reg = Persistent(DType::kI64, 1);
    variables_[kNativeBuiltins[k]] = reg;
    program_.builtins[k] = reg.base;
  }
  for (const ir::NativeParam& param : kernel.native_params) {
    if (param.kind == ir::NativeParam::Kind::kPointer) {
      tensors_[param.name] = static_cast<int>(program_.tensors.size());
      program_.tensors.push_back({param.name, param.dtype, ir::Space::kGlobal});
      continue;
    }
    if (param.kind == ir::NativeParam::Kind::kTensorMap) {
      maps_[param.name] = static_cast<int>(program_.maps.size());
      program_.maps.push_back(param);
      continue;
    }
    Reg reg = Persistent(param.dtype, 1);
    variables_[param.name] = reg;
    program_.scalars.push_back({param.name, param.dtype, reg.base});
  }
  next_tensor_ = program_.tensors.size();
  // Memory that lowering has placed comes first; what it has not follows.
  program_.shared_bytes = std::max(kernel.shared_bytes, kernel.scratch_bytes);
  absl::Status status;
  ir::ForEachStmt(kernel.body, [&](const ir::Stmt& stmt) {
    if (stmt->kind == ir::StmtKind::kAlloc && status.ok()) {
      place_ = stmt->at;
      status = DeclareTensor(stmt->tensor);
    }
  });
  return status;
}

absl::Status NativeCompiler::DeclareTensor(const ir::TensorDecl& tensor) {
  NativeTensor native{tensor.name, tensor.dtype.dtype, tensor.space};
  native.elements = 1;
  for (const Expr& extent : tensor.shape) {
    KILN_ASSIGN_OR_RETURN(int64_t value, EvaluateIndex(extent, {}));
    if (value < 0 || __builtin_mul_overflow(native.elements, value, &native.elements) || native.elements > kMaxMemory) {
      return Fail(nullptr, StrCat("alloc \"", tensor.name, "\": expected constant extents of a sane size"));
    }
  }
  int64_t bytes = Bytes(native.dtype, native.elements);
  bool local = tensor.space == ir::Space::kLocal;
  native.in_arena = local && tensor.offset >= 0;
  int64_t& end = local && !native.in_arena ? program_.local_bytes : program_.shared_bytes;
  if (tensor.offset >= 0) {
    native.offset = tensor.offset;
    if (tensor.offset + bytes > end) {
      return Fail(nullptr, StrCat("alloc \"", tensor.name, "\": bytes ", tensor.offset, " .. ", tensor.offset + bytes,
                                  " are past the ", end, " that the kernel asks for"));
    }
  } else {
    const int64_t align = std::max(kAlign, tensor.align);
    native.offset = (end + align - 1) / align * align;
    end = native.offset + bytes;
  }
  if (end > kMaxMemory)
    return Fail(nullptr, StrCat("alloc \"", tensor.name, "\": more memory than the interpreter gives"));
  program_.tensors.push_back(std::move(native));
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileBlock(const ir::Block& block) {
  ReleaseTemporaries();  // What the header of a loop or a branch computed has been used.
  for (const ir::Stmt& stmt : block) {
    KILN_RETURN_IF_ERROR(CompileStmt(*stmt));
    ReleaseTemporaries();
  }
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileStmt(const ir::StmtNode& stmt) {
  using enum ir::StmtKind;
  if (stmt.at.line > 0) place_ = stmt.at;
  switch (stmt.kind) {
    case kLet:
    case kMutable:
      return CompileVariable(stmt);
    case kAlloc:
      return CompileAlloc(stmt);
    case kAssign:
      return CompileAssign(stmt);
    case kEval:
      return CompileExpr(stmt.value).status();
    case kFor:
      return CompileFor(stmt);
    case kWhile:
      return CompileWhile(stmt);
    case kIf:
      return CompileIf(stmt);
    case kAssume:
    case kAssert:
      return CompileCheck(stmt);
    case kReturn:
      Emit(Code::kEnd);
      return absl::OkStatus();
    case kBreak:
    case kContinue:
      if (loops_.empty()) return Fail(nullptr, "break or continue outside of a loop");
      (stmt.kind == kBreak ? loops_.back().breaks : loops_.back().continues).push_back(Here());
      Emit(Code::kJump);
      return absl::OkStatus();
    case kStore:
      return CompileStore(stmt.target, stmt.begin, stmt.value);
    case kComment:
      return absl::OkStatus();
    case kRing:
      return Fail(nullptr, "a ring is barriers in a lowered kernel");
    case kRole:
    case kSchedule:
    case kTiles:
      return Fail(nullptr, "roles and schedules are branches and loops in a lowered kernel");
  }
  return Fail(nullptr, "unknown statement");
}

absl::Status NativeCompiler::CompileVariable(const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Reg value, CompileExpr(stmt.value));
  DType dtype = stmt.dtype.Known() ? stmt.dtype.dtype : value.dtype;
  value = ConvertReg(value, dtype);
  // A register of its own: the value may be a mutable variable's, or a constant's.
  Reg variable = Persistent(dtype, value.lanes);
  Instruction& move = Emit(Code::kMove);
  move.lanes = value.lanes;
  move.dst = variable.base;
  move.arg[0] = value.base;
  variables_[stmt.name] = variable;
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileAlloc(const ir::StmtNode& stmt) {
  size_t number = next_tensor_++;
  tensors_[stmt.tensor.name] = static_cast<int>(number);
  Emit(Code::kEnter).arg[0] = static_cast<int>(number);
  if (!stmt.value) return absl::OkStatus();
  // for i in 0 .. elements { tensor[i] = value }
  KILN_ASSIGN_OR_RETURN(Reg value, CompileAs(stmt.value, program_.tensors[number].dtype, 1));
  Reg i = Fresh(DType::kI64, 1), more = Fresh(DType::kI64, 1);
  Reg zero = Constant(DType::kI64, IntSlot(0)), one = Constant(DType::kI64, IntSlot(1));
  Reg end = Constant(DType::kI64, IntSlot(program_.tensors[number].elements));
  auto set = [&](Code code, Op op, Reg dst, Reg a, Reg b) {
    Instruction& in = Emit(code);
    in.op = op;
    in.dtype = DType::kI64;
    in.dst = dst.base;
    in.arg[0] = a.base;
    in.arg[1] = b.base;
  };
  set(Code::kMove, Op::kNone, i, zero, zero);
  int test = Here();
  set(Code::kBinary, Op::kLt, more, i, end);
  int leave = Here();
  Emit(Code::kJumpIfZero).arg[0] = more.base;
  Instruction& store = Emit(Code::kStore);
  store.dtype = program_.tensors[number].dtype;
  store.arg[0] = static_cast<int>(number);
  store.arg[1] = i.base;
  store.arg[2] = value.base;
  set(Code::kBinary, Op::kAdd, i, i, one);
  Emit(Code::kJump).target = test;
  program_.code[static_cast<size_t>(leave)].target = Here();
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileAssign(const ir::StmtNode& stmt) {
  auto it = stmt.target->kind == ExprKind::kVar ? variables_.find(stmt.target->name) : variables_.end();
  if (it == variables_.end()) return Fail(stmt.target, "expected a mutable scalar on the left");
  Reg variable = it->second;
  KILN_ASSIGN_OR_RETURN(Reg value, CompileAs(stmt.value, variable.dtype, variable.lanes));
  Instruction& move = Emit(Code::kMove);
  move.lanes = variable.lanes;
  move.dst = variable.base;
  move.arg[0] = value.base;
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileStore(const Expr& tensor, const Expr& index, const Expr& value) {
  KILN_ASSIGN_OR_RETURN(int number, TensorOf(tensor));
  KILN_ASSIGN_OR_RETURN(Reg at, CompileIndex(index));
  KILN_ASSIGN_OR_RETURN(Reg stored, CompileExpr(value));
  DType dtype = program_.tensors[static_cast<size_t>(number)].dtype;
  stored = ConvertReg(stored, dtype);
  if (at.lanes > 1) stored = SpreadReg(stored, at.lanes);
  Instruction& in = Emit(at.lanes > 1 ? Code::kScatter : Code::kStore);
  in.dtype = dtype;
  in.lanes = stored.lanes;
  in.arg[0] = number;
  in.arg[1] = at.base;
  in.arg[2] = stored.base;
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileFor(const ir::StmtNode& stmt) {
  auto binary = [&](Op op, Reg dst, Reg a, Reg b) {
    Instruction& in = Emit(Code::kBinary);
    in.op = op;
    in.dtype = DType::kI64;
    in.dst = dst.base;
    in.arg[0] = a.base;
    in.arg[1] = b.base;
  };
  auto own = [&](Reg value) {
    Reg reg = Persistent(DType::kI64, 1);
    Instruction& move = Emit(Code::kMove);
    move.dst = reg.base;
    move.arg[0] = value.base;
    return reg;
  };
  KILN_ASSIGN_OR_RETURN(Reg begin, CompileAs(stmt.begin, DType::kI64, 1));
  Reg i = own(begin);
  KILN_ASSIGN_OR_RETURN(Reg end, CompileAs(stmt.end, DType::kI64, 1));
  end = own(end);
  Reg step = Constant(DType::kI64, IntSlot(1));
  if (stmt.step) {
    KILN_ASSIGN_OR_RETURN(step, CompileAs(stmt.step, DType::kI64, 1));
    step = own(step);
    Emit(Code::kCheckStep).arg[0] = step.base;
  }
  variables_[stmt.name] = i;
  int test = Here();
  Reg more = Fresh(DType::kBool, 1);
  binary(Op::kLt, more, i, end);
  Location place = place_;
  loops_.emplace_back();
  loops_.back().breaks.push_back(Here());
  Emit(Code::kJumpIfZero).arg[0] = more.base;
  KILN_RETURN_IF_ERROR(CompileBlock(stmt.body));
  place_ = place;
  int next = Here();
  binary(Op::kAdd, i, i, step);
  Emit(Code::kJump).target = test;
  CloseLoop(next);
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileWhile(const ir::StmtNode& stmt) {
  int test = Here();
  KILN_ASSIGN_OR_RETURN(Reg condition, CompileAs(stmt.value, DType::kBool, 1));
  loops_.emplace_back();
  loops_.back().breaks.push_back(Here());
  Emit(Code::kJumpIfZero).arg[0] = condition.base;
  KILN_RETURN_IF_ERROR(CompileBlock(stmt.body));
  Emit(Code::kJump).target = test;
  CloseLoop(test);
  return absl::OkStatus();
}

void NativeCompiler::CloseLoop(int next) {
  for (int k : loops_.back().breaks) program_.code[static_cast<size_t>(k)].target = Here();
  for (int k : loops_.back().continues) program_.code[static_cast<size_t>(k)].target = next;
  loops_.pop_back();
}

absl::Status NativeCompiler::CompileIf(const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Reg condition, CompileAs(stmt.value, DType::kBool, 1));
  int test = Here();
  Emit(Code::kJumpIfZero).arg[0] = condition.base;
  KILN_RETURN_IF_ERROR(CompileBlock(stmt.body));
  int skip = Here();
  if (!stmt.orelse.empty()) Emit(Code::kJump);
  program_.code[static_cast<size_t>(test)].target = Here();
  KILN_RETURN_IF_ERROR(CompileBlock(stmt.orelse));
  if (!stmt.orelse.empty()) program_.code[static_cast<size_t>(skip)].target = Here();
  return absl::OkStatus();
}

absl::Status NativeCompiler::CompileCheck(const ir::StmtNode& stmt) {
  KILN_ASSIGN_OR_RETURN(Reg condition, CompileAs(stmt.value, DType::kBool, 1));
  Instruction& check = Emit(Code::kCheck);
  check.arg[0] = condition.base;
  check.text = static_cast<int>(program_.texts.size());
  bool assumed = stmt.kind == ir::StmtKind::kAssume;
  program_.texts.push_back(
      StrCat(assumed ? "assume does not hold" : "assert failed", stmt.text.empty() ? "" : ": ", stmt.text));
  return absl::OkStatus();
}

}  // namespace kiln::interp
