// The state of one compilation; private to compile*.cc.
#ifndef KILN_COMPILER_INTERP_NATIVE_COMPILER_H_
#define KILN_COMPILER_INTERP_NATIVE_COMPILER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/interp/native/program.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

// Where a value is.
struct Reg {
  int base = -1;
  DType dtype = DType::kNone;
  int lanes = 1;
};

class NativeCompiler {
 public:
  absl::StatusOr<NativeProgram> Compile(const ir::Kernel& kernel);

 private:
  struct Loop {
    std::vector<int> breaks;
    std::vector<int> continues;
  };

  absl::Status Declare(const ir::Kernel& kernel);
  absl::Status DeclareTensor(const ir::TensorDecl& tensor);

  // Statements.
  absl::Status CompileBlock(const ir::Block& block);
  absl::Status CompileStmt(const ir::StmtNode& stmt);
  absl::Status CompileVariable(const ir::StmtNode& stmt);
  absl::Status CompileAlloc(const ir::StmtNode& stmt);
  absl::Status CompileAssign(const ir::StmtNode& stmt);
  absl::Status CompileStore(const Expr& tensor, const Expr& index, const Expr& value);
  absl::Status CompileFor(const ir::StmtNode& stmt);
  absl::Status CompileWhile(const ir::StmtNode& stmt);
  absl::Status CompileIf(const ir::StmtNode& stmt);
  absl::Status CompileCheck(const ir::StmtNode& stmt);
  void CloseLoop(int next);

  // Expressions. The result is in fresh registers, a variable's own, or a constant's.
  absl::StatusOr<Reg> CompileExpr(const Expr& e);
  absl::StatusOr<Reg> CompileLiteral(const Expr& e);
  absl::StatusOr<Reg> CompileBinary(const Expr& e);
  absl::StatusOr<Reg> CompileLogical(const Expr& e);
  absl::StatusOr<Reg> CompileSelect(const Expr& e);
  absl::StatusOr<Reg> CompileMath(const Expr& e);
  absl::StatusOr<Reg> CompileLoad(const Expr& e);
  absl::StatusOr<Reg> CompileCall(const Expr& e);
  absl::StatusOr<Reg> CompileIntrinsic(const ir::IntrinsicInfo& info, const Expr& e);
  absl::StatusOr<Reg> CompilePack2(const Expr& e);
  absl::StatusOr<Reg> CompileExchange(const Expr& e, Code code);
  absl::StatusOr<Reg> CompileFold(const Expr& e, Op op);
  absl::StatusOr<Reg> CompileZip(const Expr& e, bool high);
  absl::Status CompileFragments(const Expr& e);
  absl::Status CompileMma(const Expr& e);
  absl::Status CompileCpAsync(const Expr& e);

  // Barrier objects, the copy engine and the matrix unit.
  absl::Status CompileAsynchronous(const ir::IntrinsicInfo& info, const Expr& e);
  absl::Status CompileMBarrier(const Expr& e, Code code);
  absl::Status CompileNamedBarrier(const Expr& e);
  absl::Status CompileBulk(const Expr& e, Code code, bool multicast);
  absl::Status CompileWgmma(const Expr& e);
  absl::Status CheckProduct(const Expr& e, const ProductCall& call, int64_t n) const;
  absl::Status CompileSetMaxRegisters(const Expr& e);
  absl::Status CompileGroupWait(const Expr& e, Code code);
  absl::StatusOr<int> MapOf(const Expr& e) const;
  // A barrier object of the call, from argument `first` on: its tensor and the register of its element.
  absl::Status CompileBarrierOperand(const Expr& e, size_t first, int* tensor, int* index);
  // In `dtype`, of `lanes`: converted and spread as needed.
  absl::StatusOr<Reg> CompileAs(const Expr& e, DType dtype, int lanes);
  absl::StatusOr<Reg> CompileIndex(const Expr& e);
  Reg ConvertReg(Reg value, DType dtype);
  Reg SpreadReg(Reg value, int lanes);
  // What the node is typed as; `computed` where it is not.
  Reg AsTyped(const Expr& e, Reg computed);

  absl::StatusOr<int> TensorOf(const Expr& e) const;
  absl::StatusOr<int64_t> ConstantOf(const Expr& e) const;
  // Registers until the statement ends, and for good.
  Reg Fresh(DType dtype, int lanes);
  Reg Persistent(DType dtype, int lanes);
  void ReleaseTemporaries();
  Reg Constant(DType dtype, Slot value);
  Instruction& Emit(Code code);
  int Here() const { return static_cast<int>(program_.code.size()); }
  absl::Status Fail(const Expr& e, std::string message) const;

  NativeProgram program_;
  std::map<std::string, Reg> variables_;
  std::map<std::string, int> tensors_;
  std::map<std::string, int> maps_;
  size_t next_tensor_ = 0;                              // Allocs are compiled in the order in which they were declared
  std::map<std::pair<DType, int64_t>, Reg> constants_;  // By bit pattern
  std::vector<Loop> loops_;
  std::vector<Reg> temporaries_;
  std::map<int, std::vector<int>> free_;  // By lanes
  Location place_;
};

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_NATIVE_COMPILER_H_
