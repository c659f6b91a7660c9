#include "compiler/codegen/cuda/types.h"

#include <vector>

#include "compiler/expr/visit.h"

namespace kiln::cuda {
namespace {

bool IsComparison(Op op) { return op >= Op::kEq && op <= Op::kGe; }

// An untyped integer literal takes the type of what it meets.
DType Meet(const Expr& a, const Expr& b) {
  DType x = a->type.dtype, y = b->type.dtype;
  if (a->kind == ExprKind::kInt && !a->dtype.Known()) return Promote(y, y);
  if (b->kind == ExprKind::kInt && !b->dtype.Known()) return Promote(x, x);
  if (a->kind == ExprKind::kFloat && !a->dtype.Known() && IsFloat(y)) return Promote(y, y);
  if (b->kind == ExprKind::kFloat && !b->dtype.Known() && IsFloat(x)) return Promote(x, x);
  return Promote(x, y);
}

Type Scalar(DType dtype, int lanes = 1) { return {dtype, lanes, false, {}}; }

Type TypeOfNode(const Node& node, const std::function<Type(const Node&)>& type_of) {
  const std::vector<Expr>& args = node.args;
  switch (node.kind) {
    case ExprKind::kInt:
      return Scalar(node.dtype.Known() ? node.dtype.dtype : DType::kI64);
    case ExprKind::kFloat:
      return Scalar(node.dtype.Known() ? node.dtype.dtype : DType::kF32);
    case ExprKind::kBool:
      return Scalar(DType::kBool);
    case ExprKind::kCast:
      return Scalar(node.dtype.dtype, args[0]->type.lanes);
    case ExprKind::kUnary:
      return Scalar(node.op == Op::kNot ? DType::kBool : Promote(args[0]->type.dtype, args[0]->type.dtype));
    case ExprKind::kBinary:
      if (IsComparison(node.op) || node.op == Op::kAnd || node.op == Op::kOr) return Scalar(DType::kBool);
      if (node.op == Op::kShl || node.op == Op::kShr) return Scalar(Promote(args[0]->type.dtype, args[0]->type.dtype));
      return Scalar(Meet(args[0], args[1]));
    case ExprKind::kSelect: {
      DType a = args[1]->type.dtype, b = args[2]->type.dtype;
      return Scalar(a == b ? a : Meet(args[1], args[2]), args[1]->type.lanes);
    }
    case ExprKind::kMath: {
      if (node.op == Op::kIsNan) return Scalar(DType::kBool);
      DType dtype = args[0]->type.dtype;
      for (const Expr& arg : args) dtype = Promote(dtype, arg->type.dtype);
      return Scalar(IsFloat(dtype) || node.op == Op::kAbs ? dtype : DType::kF32);
    }
    case ExprKind::kBroadcast:
      return Scalar(args[0]->type.dtype, static_cast<int>(node.int_value));
    case ExprKind::kRamp:
      return Scalar(args[0]->type.dtype, static_cast<int>(node.int_value));
    default:
      return type_of(node);
  }
}

}  // namespace

std::string_view CType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "bool";
    case DType::kI8:
      return "signed char";
    case DType::kI16:
      return "short";
    case DType::kI32:
      return "int";
    case DType::kI64:
      return "long long";
    case DType::kU8:
      return "unsigned char";
    case DType::kU16:
      return "unsigned short";
    case DType::kU32:
      return "unsigned";
    case DType::kU64:
    case DType::kMBarrier:
      return "unsigned long long";
    case DType::kF32:
      return "float";
    case DType::kF64:
      return "double";
    default:
      return Name(dtype);
  }
}

DType Promote(DType a, DType b) {
  if (IsFloat(a) || IsFloat(b)) return a == DType::kF64 || b == DType::kF64 ? DType::kF64 : DType::kF32;
  auto widen = [](DType dtype) { return Bits(dtype) < 32 ? DType::kI32 : dtype; };
  a = widen(a);
  b = widen(b);
  if (Bits(a) != Bits(b)) return Bits(a) > Bits(b) ? a : b;
  return IsUnsigned(a) ? a : b;
}

Expr WithTypes(const Expr& e, const std::function<Type(const Node& leaf)>& type_of) {
  return Rewrite(e, [&](const Expr& node) {
    if (node->type.Known()) return node;
    Type type = TypeOfNode(*node, type_of);
    return type.Known() ? WithType(node, std::move(type)) : node;
  });
}

}  // namespace kiln::cuda
