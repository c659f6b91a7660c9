#include "compiler/expr/expr.h"

namespace kiln {
namespace {

// One allocation and nothing copied: most of a compilation's time would go into nodes otherwise.
template <typename... Args>
std::shared_ptr<Node> New(ExprKind kind, Args&&... args) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  if constexpr (sizeof...(args) > 0) {
    node->args.reserve(sizeof...(args));
    (node->args.push_back(std::move(args)), ...);
  }
  return node;
}

std::shared_ptr<Node> NewOver(ExprKind kind, std::vector<Expr> args) {
  auto node = New(kind);
  node->args = std::move(args);
  return node;
}

// The node itself where nobody else has it, else a copy of it.
std::shared_ptr<Node> Owned(Expr node) {
  if (node.use_count() == 1) return std::const_pointer_cast<Node>(std::move(node));
  return std::make_shared<Node>(*node);
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

Expr MakeExpr(Node node) { return std::make_shared<Node>(std::move(node)); }

Expr Int(int64_t value, DType dtype) {
  auto node = New(ExprKind::kInt);
  node->int_value = value;
  node->dtype.dtype = dtype;
  return node;
}

Expr Float(double value, DType dtype) {
  auto node = New(ExprKind::kFloat);
  node->float_value = value;
  node->dtype.dtype = dtype;
  return node;
}

Expr Bool(bool value) {
  auto node = New(ExprKind::kBool);
  node->int_value = value;
  return node;
}

Expr Var(std::string name, Type type) {
  auto node = New(ExprKind::kVar);
  node->name = std::move(name);
  node->type = std::move(type);
  return node;
}

Expr Unary(Op op, Expr a) {
  auto node = New(ExprKind::kUnary, std::move(a));
  node->op = op;
  return node;
}

Expr Binary(Op op, Expr a, Expr b) {
  auto node = New(ExprKind::kBinary, std::move(a), std::move(b));
  node->op = op;
  return node;
}

Expr Math(Op op, std::vector<Expr> args) {
  auto node = NewOver(ExprKind::kMath, std::move(args));
  node->op = op;
  return node;
}

Expr Select(Expr condition, Expr if_true, Expr if_false) {
  return New(ExprKind::kSelect, std::move(condition), std::move(if_true), std::move(if_false));
}

Expr Cast(DTypeRef dtype, Expr a) {
  auto node = New(ExprKind::kCast, std::move(a));
  node->dtype = std::move(dtype);
  return node;
}

Expr Subscript(Expr tensor, std::vector<Expr> items) {
  items.insert(items.begin(), std::move(tensor));
  return NewOver(ExprKind::kSubscript, std::move(items));
}

Expr Slice(Expr start, Expr extent) { return New(ExprKind::kSlice, std::move(start), std::move(extent)); }
Expr Full() { return New(ExprKind::kFull); }
Expr NewAxis() { return New(ExprKind::kNewAxis); }

Expr IndexOf(Expr tensor, int axis) {
  auto node = New(ExprKind::kIndex, std::move(tensor));
  node->int_value = axis;
  return node;
}

Expr Load(Expr tensor, Expr index, int lanes) {
  auto node = New(ExprKind::kLoad, std::move(tensor), std::move(index));
  node->int_value = lanes;
  return node;
}

Expr Ramp(Expr base, int lanes) {
  auto node = New(ExprKind::kRamp, std::move(base));
  node->int_value = lanes;
  return node;
}

Expr Broadcast(Expr scalar, int lanes) {
  auto node = New(ExprKind::kBroadcast, std::move(scalar));
  node->int_value = lanes;
  return node;
}

Expr Call(std::string name, std::vector<Expr> args, std::vector<Attr> attrs) {
  auto node = NewOver(ExprKind::kCall, std::move(args));
  node->name = std::move(name);
  node->attrs = std::move(attrs);
  return node;
}

Expr TileOperation(TileOpInfo info, std::vector<Expr> operands, std::vector<Attr> attrs) {
  auto node = NewOver(ExprKind::kTileOp, std::move(operands));
  node->tile = std::move(info);
  node->attrs = std::move(attrs);
  return node;
}

Expr WithArgs(Expr node, std::vector<Expr> args) {
  auto out = Owned(std::move(node));
  out->args = std::move(args);
  return out;
}

Expr WithType(Expr node, Type type) {
  auto out = Owned(std::move(node));
  out->type = std::move(type);
  return out;
}

Expr At(Expr node, Location at) {
  auto out = Owned(std::move(node));
  out->at = at;
  return out;
}

bool Equal(const Expr& a, const Expr& b) {
  if (a == b) return true;
  if (!a || !b) return false;
  return a->kind == b->kind && a->op == b->op && a->int_value == b->int_value && a->dtype == b->dtype &&
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
