#include "compiler/ir/builder.h"

#include <utility>

namespace kiln::ir {

DTypeRef KernelBuilder::DTypeParam(std::string name, std::vector<DType> allowed) {
  MetaParam meta;
  meta.name = name;
  meta.kind = MetaParam::Kind::kDType;
  meta.dtypes = std::move(allowed);
  kernel_.metas.push_back(std::move(meta));
  return {DType::kNone, std::move(name)};
}

Expr KernelBuilder::Tune(std::string name, std::vector<int64_t> candidates) {
  MetaParam meta;
  meta.name = name;
  meta.candidates = std::move(candidates);
  kernel_.metas.push_back(std::move(meta));
  return Var(std::move(name));
}

Expr KernelBuilder::Constant(std::string name, int64_t value) {
  MetaParam meta;
  meta.name = name;
  meta.default_value = Int(value);
  kernel_.metas.push_back(std::move(meta));
  return Var(std::move(name));
}

Expr KernelBuilder::Symbol(std::string name, SymbolPolicy::Kind kind, std::vector<int64_t> values) {
  SymbolPolicy policy;
  policy.name = name;
  policy.kind = kind;
  policy.values = std::move(values);
  kernel_.symbols.push_back(std::move(policy));
  return Var(std::move(name));
}

Expr KernelBuilder::AddParam(std::string name, DTypeRef dtype, std::vector<Expr> shape, Direction direction) {
  Param param;
  param.name = name;
  param.dtype = std::move(dtype);
  param.shape = std::move(shape);
  param.direction = direction;
  kernel_.params.push_back(std::move(param));
  return Var(std::move(name));
}

Expr KernelBuilder::In(std::string name, DTypeRef dtype, std::vector<Expr> shape) {
  return AddParam(std::move(name), std::move(dtype), std::move(shape), Direction::kIn);
}

Expr KernelBuilder::Out(std::string name, DTypeRef dtype, std::vector<Expr> shape) {
  return AddParam(std::move(name), std::move(dtype), std::move(shape), Direction::kOut);
}

Expr KernelBuilder::InOut(std::string name, DTypeRef dtype, std::vector<Expr> shape) {
  return AddParam(std::move(name), std::move(dtype), std::move(shape), Direction::kInOut);
}

Expr KernelBuilder::Scalar(std::string name, DTypeRef dtype) {
  Expr scalar = AddParam(std::move(name), std::move(dtype), {}, Direction::kIn);
  kernel_.params.back().is_tensor = false;
  return scalar;
}

KernelBuilder& KernelBuilder::Requires(Expr condition) {
  kernel_.required.push_back(std::move(condition));
  return *this;
}

KernelBuilder& KernelBuilder::Target(std::string target) {
  kernel_.targets.push_back(std::move(target));
  return *this;
}

KernelBuilder& KernelBuilder::Grid(std::vector<Expr> extents) {
  kernel_.launch.grid = std::move(extents);
  return *this;
}

KernelBuilder& KernelBuilder::Block(Expr threads) {
  kernel_.launch.block = std::move(threads);
  return *this;
}

Expr KernelBuilder::Let(std::string name, Expr value) {
  Add(ir::Let(name, std::move(value)));
  return Var(std::move(name));
}

Expr KernelBuilder::Mutable(std::string name, DType dtype, Expr value) {
  Add(ir::Mutable(name, dtype, std::move(value)));
  return Var(std::move(name));
}

Expr KernelBuilder::Alloc(std::string name, DTypeRef dtype, std::vector<Expr> shape, Space space, Expr init) {
  TensorDecl tensor;
  tensor.name = name;
  tensor.dtype = std::move(dtype);
  tensor.shape = std::move(shape);
  tensor.space = space;
  Add(ir::Alloc(std::move(tensor), std::move(init)));
  return Var(std::move(name));
}

void KernelBuilder::Assign(Expr target, Expr value) { Add(ir::Assign(std::move(target), std::move(value))); }
void KernelBuilder::Do(Expr call) { Add(Eval(std::move(call))); }

ir::Block KernelBuilder::Collect(absl::FunctionRef<void()> body) {
  open_.emplace_back();
  body();
  ir::Block block = std::move(open_.back());
  open_.pop_back();
  return block;
}

void KernelBuilder::For(std::string name, Expr begin, Expr end, absl::FunctionRef<void(Expr)> body, LoopKind loop,
                        Expr step) {
  ir::Block block = Collect([&] { body(Var(name)); });
  Add(ir::For(std::move(name), std::move(begin), std::move(end), std::move(block), loop, std::move(step)));
}

void KernelBuilder::If(Expr condition, absl::FunctionRef<void()> then) {
  Add(ir::If(std::move(condition), Collect(then)));
}

void KernelBuilder::If(Expr condition, absl::FunctionRef<void()> then, absl::FunctionRef<void()> otherwise) {
  ir::Block body = Collect(then);
  Add(ir::If(std::move(condition), std::move(body), Collect(otherwise)));
}

Kernel KernelBuilder::Take() {
  kernel_.body = std::move(open_.front());
  open_ = {{}};
  return std::exchange(kernel_, {});
}

Expr Copy(Team team, Expr dst, Expr src) {
  return TileOperation({TileOpKind::kCopy, team, "", {}}, {std::move(dst), std::move(src)});
}

Expr Fill(Team team, Expr dst, Expr value) {
  return TileOperation({TileOpKind::kFill, team, "", {}}, {std::move(dst), std::move(value)});
}

Expr Gemm(Team team, Expr acc, Expr a, Expr b, bool trans_b) {
  std::vector<Attr> attrs;
  if (trans_b) attrs.push_back({"trans_b", Bool(true)});
  return TileOperation({TileOpKind::kGemm, team, "", {}}, {std::move(acc), std::move(a), std::move(b)},
                       std::move(attrs));
}

Expr Reduce(Team team, TileOpKind op, Expr tile) { return TileOperation({op, team, "", {}}, {std::move(tile)}); }

Expr Reduce(Team team, TileOpKind op, Expr tile, int axis) {
  return TileOperation({op, team, "", {}}, {std::move(tile)}, {{"axis", Int(axis)}});
}

}  // namespace kiln::ir
