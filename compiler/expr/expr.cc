#include "compiler/expr/expr.h"

namespace kiln {
namespace {

Expr Make(Node node) { return std::make_shared<const Node>(std::move(node)); }

Node Of(ExprKind kind, std::vector<Expr> args = {}) {
  Node node;
  node.kind = kind;
  node.args = std::move(args);
  return node;
}

bool EqualAll(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!Equal(a[i], b[i])) return false;
  return true;
}

bool EqualAll(const std::vector<Attr>& a, const std::vector<Attr>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].name != b[i].name || !Equal(a[i].value, b[i].value)) return false;
  return true;
}

// Bitwise, so that NaN equals itself and 0.0 differs from -0.0.
bool SameBits(double a, double b) {
  union {
    double value;
    uint64_t bits;
  } x{a}, y{b};
  return x.bits == y.bits;
}

}  // namespace

Expr Int(int64_t value, DType dtype) {
  Node node = Of(ExprKind::kInt);
  node.int_value = value;
  node.dtype.dtype = dtype;
  return Make(std::move(node));
}

Expr Float(double value, DType dtype) {
  Node node = Of(ExprKind::kFloat);
  node.float_value = value;
  node.dtype.dtype = dtype;
  return Make(std::move(node));
}

Expr Bool(bool value) {
  Node node = Of(ExprKind::kBool);
  node.int_value = value;
  return Make(std::move(node));
}

Expr Var(std::string name, Type type) {
  Node node = Of(ExprKind::kVar);
  node.name = std::move(name);
  node.type = std::move(type);
  return Make(std::move(node));
}

Expr Unary(Op op, Expr a) {
  Node node = Of(ExprKind::kUnary, {std::move(a)});
  node.op = op;
  return Make(std::move(node));
}

Expr Binary(Op op, Expr a, Expr b) {
  Node node = Of(ExprKind::kBinary, {std::move(a), std::move(b)});
  node.op = op;
  return Make(std::move(node));
}

Expr Math(Op op, std::vector<Expr> args) {
  Node node = Of(ExprKind::kMath, std::move(args));
  node.op = op;
  return Make(std::move(node));
}

Expr Select(Expr condition, Expr if_true, Expr if_false) {
  return Make(Of(ExprKind::kSelect, {std::move(condition), std::move(if_true), std::move(if_false)}));
}

Expr Cast(DTypeRef dtype, Expr a) {
  Node node = Of(ExprKind::kCast, {std::move(a)});
  node.dtype = std::move(dtype);
  return Make(std::move(node));
}

Expr Subscript(Expr tensor, std::vector<Expr> items) {
  items.insert(items.begin(), std::move(tensor));
  return Make(Of(ExprKind::kSubscript, std::move(items)));
}

Expr Slice(Expr start, Expr extent) { return Make(Of(ExprKind::kSlice, {std::move(start), std::move(extent)})); }
Expr Full() { return Make(Of(ExprKind::kFull)); }
Expr NewAxis() { return Make(Of(ExprKind::kNewAxis)); }

Expr IndexOf(Expr tensor, int axis) {
  Node node = Of(ExprKind::kIndex, {std::move(tensor)});
  node.int_value = axis;
  return Make(std::move(node));
}

Expr Load(Expr tensor, Expr index, int lanes) {
  Node node = Of(ExprKind::kLoad, {std::move(tensor), std::move(index)});
  node.int_value = lanes;
  return Make(std::move(node));
}

Expr Ramp(Expr base, int lanes) {
  Node node = Of(ExprKind::kRamp, {std::move(base)});
  node.int_value = lanes;
  return Make(std::move(node));
}

Expr Broadcast(Expr scalar, int lanes) {
  Node node = Of(ExprKind::kBroadcast, {std::move(scalar)});
  node.int_value = lanes;
  return Make(std::move(node));
}

Expr Call(std::string name, std::vector<Expr> args, std::vector<Attr> attrs) {
  Node node = Of(ExprKind::kCall, std::move(args));
  node.name = std::move(name);
  node.attrs = std::move(attrs);
  return Make(std::move(node));
}

Expr TileOperation(TileOpInfo info, std::vector<Expr> operands, std::vector<Attr> attrs) {
  Node node = Of(ExprKind::kTileOp, std::move(operands));
  node.tile = std::move(info);
  node.attrs = std::move(attrs);
  return Make(std::move(node));
}

Expr WithArgs(const Expr& node, std::vector<Expr> args) {
  Node copy = *node;
  copy.args = std::move(args);
  return Make(std::move(copy));
}

Expr WithType(const Expr& node, Type type) {
  Node copy = *node;
  copy.type = std::move(type);
  return Make(std::move(copy));
}

Expr At(const Expr& node, Location at) {
  Node copy = *node;
  copy.at = at;
  return Make(std::move(copy));
}

bool Equal(const Expr& a, const Expr& b) {
  if (a == b) return true;
  if (!a || !b) return false;
  return a->kind == b->kind && a->op == b->op && a->dtype == b->dtype && a->int_value == b->int_value &&
         SameBits(a->float_value, b->float_value) && a->name == b->name && a->ints == b->ints &&
         a->tile.op == b->tile.op && a->tile.team == b->tile.team && a->tile.via == b->tile.via &&
         EqualAll(a->tile.via_config, b->tile.via_config) && EqualAll(a->attrs, b->attrs) && EqualAll(a->args, b->args);
}

bool Equal(const Type& a, const Type& b) {
  return a.dtype == b.dtype && a.lanes == b.lanes && a.tile == b.tile && EqualAll(a.shape, b.shape);
}

bool IsConst(const Expr& e, int64_t* value) {
  if (!e || e->kind != ExprKind::kInt) return false;
  if (value) *value = e->int_value;
  return true;
}

bool IsConst(const Expr& e, int64_t expected) { return e && e->kind == ExprKind::kInt && e->int_value == expected; }

Expr FindAttr(const Node& node, std::string_view name) {
  for (const Attr& attr : node.attrs)
    if (attr.name == name) return attr.value;
  return nullptr;
}

}  // namespace kiln
