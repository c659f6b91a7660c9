// Kernels in C++, as short as in text:
//
//   KernelBuilder k("add");
//   Expr M = k.Symbol("M", SymbolPolicy::Kind::kDynamic);
//   Expr x = k.In("x", DType::kF32, {M}), y = k.Out("y", DType::kF32, {M});
//   k.Grid({CeilDiv(M, Int(1024))}).Block(Int(256));
//   Expr i = k.Let("i", Var("cta_id.x") * Int(1024));
//   Expr t = k.Alloc("t", DType::kF32, {Int(1024)}, Space::kLocal);
//   k.Do(Copy(Team::kCta, t, Subscript(x, {Slice(i, Int(1024))})));
//   k.Do(Copy(Team::kCta, Subscript(y, {Slice(i, Int(1024))}), t * Float(2)));
//   Kernel kernel = k.Take();
//
// Nothing is checked here: Verify says what is wrong, as for text. Not thread-safe.
#ifndef KILN_COMPILER_IR_BUILDER_H_
#define KILN_COMPILER_IR_BUILDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compiler/expr/expr.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name) { kernel_.name = std::move(name); }

  // Header. Each gives the variable that stands for what it declares.
  DTypeRef DTypeParam(std::string name, std::vector<DType> allowed = {});
  Expr Tune(std::string name, std::vector<int64_t> candidates);
  Expr Constant(std::string name, int64_t value);
  Expr Symbol(std::string name, SymbolPolicy::Kind kind, std::vector<int64_t> values = {});
  Expr In(std::string name, DTypeRef dtype, std::vector<Expr> shape);
  Expr Out(std::string name, DTypeRef dtype, std::vector<Expr> shape);
  Expr InOut(std::string name, DTypeRef dtype, std::vector<Expr> shape);
  Expr Scalar(std::string name, DTypeRef dtype);
  Expr In(std::string name, DType dtype, std::vector<Expr> shape) { return In(name, DTypeRef{dtype, ""}, shape); }
  Expr Out(std::string name, DType dtype, std::vector<Expr> shape) { return Out(name, DTypeRef{dtype, ""}, shape); }
  Expr Scalar(std::string name, DType dtype) { return Scalar(name, DTypeRef{dtype, ""}); }
  KernelBuilder& Requires(Expr condition);
  KernelBuilder& Target(std::string target);
  KernelBuilder& Grid(std::vector<Expr> extents);
  KernelBuilder& Block(Expr threads);

  // Body: statements go to the innermost open block.
  Expr Let(std::string name, Expr value);
  Expr Mutable(std::string name, DType dtype, Expr value);
  Expr Alloc(std::string name, DTypeRef dtype, std::vector<Expr> shape, Space space, Expr init = nullptr);
  Expr Alloc(std::string name, DType dtype, std::vector<Expr> shape, Space space, Expr init = nullptr) {
    return Alloc(name, DTypeRef{dtype, ""}, shape, space, init);
  }
  void Assign(Expr target, Expr value);
  void Do(Expr call);
  void Add(Stmt stmt) { open_.back().push_back(std::move(stmt)); }
  void For(std::string name, Expr begin, Expr end, absl::FunctionRef<void(Expr)> body,
           LoopKind loop = LoopKind::kSerial, Expr step = nullptr);
  void If(Expr condition, absl::FunctionRef<void()> then);
  void If(Expr condition, absl::FunctionRef<void()> then, absl::FunctionRef<void()> otherwise);

  // The kernel; the builder is empty after it.
  Kernel Take();

 private:
  Expr AddParam(std::string name, DTypeRef dtype, std::vector<Expr> shape, Direction direction);
  ir::Block Collect(absl::FunctionRef<void()> body);

  Kernel kernel_;
  std::vector<ir::Block> open_ = {{}};
};

// Tile operations.
Expr Copy(Team team, Expr dst, Expr src);
Expr Fill(Team team, Expr dst, Expr value);
Expr Gemm(Team team, Expr acc, Expr a, Expr b, bool trans_b = false);
// kSum to kAny; over every axis without one.
Expr Reduce(Team team, TileOpKind op, Expr tile);
Expr Reduce(Team team, TileOpKind op, Expr tile, int axis);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_BUILDER_H_
