#include "compiler/expr/bounds.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace kiln {
namespace {

__extension__ typedef __int128 Wide;  // No standard C++ has it, as -Wpedantic would say.

int64_t Clamp(Wide v) {
  if (v < static_cast<Wide>(INT64_MIN)) return INT64_MIN;
  if (v > static_cast<Wide>(INT64_MAX)) return INT64_MAX;
  return static_cast<int64_t>(v);
}

// INT64_MIN and INT64_MAX as bounds mean "unbounded", and stay so under addition.
Wide Low(int64_t v) { return v == INT64_MIN ? -(static_cast<Wide>(1) << 100) : static_cast<Wide>(v); }
Wide High(int64_t v) { return v == INT64_MAX ? static_cast<Wide>(1) << 100 : static_cast<Wide>(v); }

int64_t FloorDivide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

Bounds BuiltinBounds(const std::string& name) {
  if (name == "lane_id") return {0, 31};
  if (name == "warp_id") return {0, 31};
  if (name == "thread_id") return {0, 1023};
  if (name == "cta_id.x") return {0, INT32_MAX - 1};
  if (name == "cta_id.y" || name == "cta_id.z") return {0, 65534};
  if (name == "grid.x") return {1, INT32_MAX};
  if (name == "grid.y" || name == "grid.z") return {1, 65535};
  return {};
}

// The range of a fact, drawn in to multiples of its divisor.
Bounds FactBounds(const Fact& fact) {
  if (fact.divisor == 0) return {0, 0};
  Bounds out{fact.min, fact.max};
  if (out.max != INT64_MAX) out.max = FloorDivide(out.max, fact.divisor) * fact.divisor;
  if (out.min > INT64_MIN / 2) out.min = -FloorDivide(-out.min, fact.divisor) * fact.divisor;
  return out;
}

Bounds TypeBounds(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return {0, 1};
    case DType::kI8:
      return {-128, 127};
    case DType::kU8:
      return {0, 255};
    case DType::kI16:
      return {-32768, 32767};
    case DType::kU16:
      return {0, 65535};
    case DType::kI32:
      return {INT32_MIN, INT32_MAX};
    case DType::kU32:
      return {0, UINT32_MAX};
    case DType::kU64:
      return {0, INT64_MAX};
    default:
      return {};
  }
}

Bounds Multiply(Bounds a, Bounds b) {
  auto product = [](int64_t x, int64_t y) -> Wide {
    if (x == 0 || y == 0) return 0;
    bool infinite = x == INT64_MIN || x == INT64_MAX || y == INT64_MIN || y == INT64_MAX;
    if (infinite) return ((x < 0) != (y < 0)) ? static_cast<Wide>(INT64_MIN) : static_cast<Wide>(INT64_MAX);
    return static_cast<Wide>(x) * y;
  };
  Wide p[4] = {product(a.min, b.min), product(a.min, b.max), product(a.max, b.min), product(a.max, b.max)};
  return {Clamp(*std::min_element(p, p + 4)), Clamp(*std::max_element(p, p + 4))};
}

Bounds Divide(Bounds a, Bounds b) {
  if (b.min <= 0) return a.min >= 0 && b.min >= 0 ? Bounds{0, a.max} : Bounds{};
  auto q = [](int64_t x, int64_t y) {
    if (x == INT64_MIN || x == INT64_MAX) return x;
    return FloorDivide(x, y);
  };
  int64_t c[4] = {q(a.min, b.min), q(a.min, b.max), q(a.max, b.min), q(a.max, b.max)};
  return {*std::min_element(c, c + 4), *std::max_element(c, c + 4)};
}

Bounds Modulo(Bounds a, Bounds b) {
  if (b.min <= 0) return {};
  if (a.min >= 0 && a.max < b.min) return a;
  return {0, a.min >= 0 ? std::min(a.max, b.max - 1) : b.max - 1};
}

Bounds BitwiseBounds(Op op, Bounds a, Bounds b) {
  if (a.min < 0 || b.min < 0) return {};
  if (op == Op::kBitAnd) return {0, std::min(a.max, b.max)};
  uint64_t highest = static_cast<uint64_t>(std::max(a.max, b.max));
  int bits = 64 - std::countl_zero(highest);
  return {0, bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1};
}

Proof Negated(Proof p) { return p == Proof::kTrue ? Proof::kFalse : p == Proof::kFalse ? Proof::kTrue : p; }

Bounds ProofBounds(Proof p) {
  if (p == Proof::kTrue) return {1, 1};
  if (p == Proof::kFalse) return {0, 0};
  return {0, 1};
}

Bounds BinaryBounds(const Expr& expr, const Facts& facts) {
  const Node& e = *expr;
  if (e.op == Op::kAnd || e.op == Op::kOr || (e.op >= Op::kEq && e.op <= Op::kGe))
    return ProofBounds(Prove(expr, facts));
  Bounds a = BoundsOf(e.args[0], facts), b = BoundsOf(e.args[1], facts);
  switch (e.op) {
    case Op::kAdd:
      return Sum(a, b);
    case Op::kSub:
      return {Clamp(Low(a.min) - High(b.max)), Clamp(High(a.max) - Low(b.min))};
    case Op::kMul:
      return Multiply(a, b);
    case Op::kDiv:
      return Divide(a, b);
    case Op::kCeilDiv: {
      if (b.min <= 0) return {};
      Bounds q = Divide({a.min, a.max}, b);
      return {q.min, q.max == INT64_MAX ? q.max : q.max + 1};
    }
    case Op::kMod:
      return Modulo(a, b);
    case Op::kMin:
      return {std::min(a.min, b.min), std::min(a.max, b.max)};
    case Op::kMax:
      return {std::max(a.min, b.min), std::max(a.max, b.max)};
    case Op::kBitAnd:
    case Op::kBitOr:
    case Op::kBitXor:
      return BitwiseBounds(e.op, a, b);
    case Op::kShl: {
      int64_t s;
      if (!IsConst(e.args[1], &s) || s < 0 || s > 62) return {};
      return Multiply(a, {int64_t{1} << s, int64_t{1} << s});
    }
    case Op::kShr: {
      int64_t s;
      if (!IsConst(e.args[1], &s) || s < 0 || s > 62) return {};
      return Divide(a, {int64_t{1} << s, int64_t{1} << s});
    }
    default:
      return {};
  }
}

}  // namespace

Bounds Sum(Bounds a, Bounds b) { return {Clamp(Low(a.min) + Low(b.min)), Clamp(High(a.max) + High(b.max))}; }

Bounds Scaled(Bounds a, int64_t factor) { return Multiply(a, {factor, factor}); }

Bounds BoundsOf(const Expr& e, const Facts& facts) {
  switch (e->kind) {
    case ExprKind::kInt:
    case ExprKind::kBool:
      return {e->int_value, e->int_value};
    case ExprKind::kVar: {
      auto it = facts.find(e->name);
      Bounds known = it != facts.end() ? FactBounds(it->second) : BuiltinBounds(e->name);
      Bounds type = TypeBounds(e->type.dtype);
      return {std::max(known.min, type.min), std::min(known.max, type.max)};
    }
    case ExprKind::kUnary:
      if (e->op == Op::kNeg) {
        Bounds a = BoundsOf(e->args[0], facts);
        return {Clamp(-High(a.max)), Clamp(-Low(a.min))};
      }
      return e->op == Op::kNot ? Bounds{0, 1} : Bounds{};
    case ExprKind::kBinary: {
      Bounds b = BinaryBounds(e, facts), type = TypeBounds(e->type.dtype);
      // A result outside its type wraps: then anything of the type is possible.
      return b.Within(type.min, type.max) ? b : type;
    }
    case ExprKind::kSelect: {
      Bounds a = BoundsOf(e->args[1], facts), b = BoundsOf(e->args[2], facts);
      return {std::min(a.min, b.min), std::max(a.max, b.max)};
    }
    case ExprKind::kCast: {
      if (!IsInteger(e->type.dtype) || !IsInteger(e->args[0]->type.dtype)) return TypeBounds(e->type.dtype);
      Bounds a = BoundsOf(e->args[0], facts), type = TypeBounds(e->type.dtype);
      return a.Within(type.min, type.max) ? a : type;
    }
    default:
      return TypeBounds(e->type.dtype);
  }
}

int64_t DivisorOf(const Expr& e, const Facts& facts) {
  switch (e->kind) {
    case ExprKind::kInt:
      return e->int_value == INT64_MIN ? 1 : std::abs(e->int_value);
    case ExprKind::kVar: {
      auto it = facts.find(e->name);
      return it == facts.end() ? 1 : it->second.divisor;
    }
    case ExprKind::kUnary:
      return e->op == Op::kNeg ? DivisorOf(e->args[0], facts) : 1;
    case ExprKind::kCast:
      return IsInteger(e->type.dtype) ? DivisorOf(e->args[0], facts) : 1;
    case ExprKind::kSelect:
      return std::gcd(DivisorOf(e->args[1], facts), DivisorOf(e->args[2], facts));
    case ExprKind::kBinary:
      break;
    default:
      return 1;
  }
  int64_t a = DivisorOf(e->args[0], facts), b = DivisorOf(e->args[1], facts);
  int64_t c;
  switch (e->op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMin:
    case Op::kMax:
    case Op::kMod:
    case Op::kBitOr:
    case Op::kBitXor:
      if (e->op == Op::kBitOr || e->op == Op::kBitXor) {  // Only common trailing zero bits survive.
        int64_t g = std::gcd(a, b);
        return g == 0 ? 0 : int64_t{1} << std::countr_zero(static_cast<uint64_t>(g));
      }
      return std::gcd(a, b);
    case Op::kMul:
      return Clamp(static_cast<Wide>(a) * b) == INT64_MAX ? std::max(a, b) : a * b;
    case Op::kDiv:
    case Op::kCeilDiv:
      return IsConst(e->args[1], &c) && c > 0 && a % c == 0 ? a / c : 1;
    case Op::kShl:
      return IsConst(e->args[1], &c) && c >= 0 && c < 32 && a < (int64_t{1} << 30) ? a << c : 1;
    default:
      return 1;
  }
}

Proof Prove(const Expr& e, const Facts& facts) {
  if (e->kind == ExprKind::kBool || e->kind == ExprKind::kInt) return e->int_value ? Proof::kTrue : Proof::kFalse;
  if (e->kind == ExprKind::kUnary && e->op == Op::kNot) return Negated(Prove(e->args[0], facts));
  if (e->kind != ExprKind::kBinary) return Proof::kUnknown;
  if (e->op == Op::kAnd || e->op == Op::kOr) {
    Proof a = Prove(e->args[0], facts), b = Prove(e->args[1], facts);
    Proof decisive = e->op == Op::kAnd ? Proof::kFalse : Proof::kTrue;
    if (a == decisive || b == decisive) return decisive;
    return a == b ? a : Proof::kUnknown;
  }
  if (!IsInteger(e->args[0]->type.dtype) && e->args[0]->type.Known() && e->args[0]->type.dtype != DType::kBool)
    return Proof::kUnknown;
  return ProveCompare(e->op, BoundsOf(e->args[0], facts), BoundsOf(e->args[1], facts));
}

Proof ProveCompare(Op compare, Bounds a, Bounds b) {
  auto less = [](Bounds x, Bounds y) {
    if (x.max != INT64_MAX && y.min != INT64_MIN && x.max < y.min) return Proof::kTrue;
    if (x.min != INT64_MIN && y.max != INT64_MAX && x.min >= y.max) return Proof::kFalse;
    return Proof::kUnknown;
  };
  switch (compare) {
    case Op::kLt:
      return less(a, b);
    case Op::kGt:
      return less(b, a);
    case Op::kLe:
      return Negated(less(b, a));
    case Op::kGe:
      return Negated(less(a, b));
    case Op::kEq:
    case Op::kNe: {
      Proof equal = Proof::kUnknown;
      if (a.IsConstant() && b.IsConstant() && a.min == b.min) equal = Proof::kTrue;
      if (less(a, b) == Proof::kTrue || less(b, a) == Proof::kTrue) equal = Proof::kFalse;
      return compare == Op::kEq ? equal : Negated(equal);
    }
    default:
      return Proof::kUnknown;
  }
}

}  // namespace kiln
