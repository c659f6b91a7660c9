#include "compiler/interp/arith.h"

#include <cmath>
#include <optional>

namespace kiln::interp {
namespace {

constexpr Fault kZeroDivisor = "division by zero";
constexpr Fault kBadShift = "shift count outside the width of its operand";
constexpr Fault kUnknown = "operator without a meaning for these operands";

// Each operator is one lambda; the loop is instantiated around it.
template <typename F>
Fault Each(const Slot* a, int a_stride, const Slot* b, int b_stride, int64_t count, Slot* out, F f) {
  for (int64_t k = 0; k < count; ++k) f(a[k * a_stride], b[k * b_stride], out[k]);
  return nullptr;
}

// Of operators that leave some operands without a result.
template <typename F>
Fault EachPartial(const Slot* a, int a_stride, const Slot* b, int b_stride, int64_t count, Slot* out, Fault fault,
                  F f) {
  for (int64_t k = 0; k < count; ++k) {
    std::optional<int64_t> result = f(a[k * a_stride].i, b[k * b_stride].i);
    if (!result) return fault;
    out[k].i = *result;
  }
  return nullptr;
}

Fault FloatBinary(Op op, DType t, const Slot* a, int sa, const Slot* b, int sb, int64_t n, Slot* out) {
  // Computed in double and rounded once more: for f32 the second rounding never matters, as 53 >= 2 * 24 + 2.
  bool narrow = t == DType::kF32;
  auto round = [narrow](double v) { return narrow ? static_cast<double>(static_cast<float>(v)) : v; };
  switch (op) {
    case Op::kAdd:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.f = round(x.f + y.f); });
    case Op::kSub:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.f = round(x.f - y.f); });
    case Op::kMul:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.f = round(x.f * y.f); });
    case Op::kDiv:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.f = round(x.f / y.f); });
    case Op::kMin:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.f = scalar::MinNumber(x.f, y.f); });
    case Op::kMax:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.f = scalar::MaxNumber(x.f, y.f); });
    case Op::kEq:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.f == y.f; });
    case Op::kNe:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.f != y.f; });
    case Op::kLt:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.f < y.f; });
    case Op::kLe:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.f <= y.f; });
    case Op::kGt:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.f > y.f; });
    case Op::kGe:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.f >= y.f; });
    default:
      return kUnknown;
  }
}

int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t WrapSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t WrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

Fault IntegerBinary(Op op, DType t, const Slot* a, int sa, const Slot* b, int sb, int64_t n, Slot* out) {
  switch (op) {
    case Op::kAdd:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = scalar::Wrap(t, WrapAdd(x.i, y.i)); });
    case Op::kSub:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = scalar::Wrap(t, WrapSub(x.i, y.i)); });
    case Op::kMul:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = scalar::Wrap(t, WrapMul(x.i, y.i)); });
    case Op::kDiv:
      return EachPartial(a, sa, b, sb, n, out, kZeroDivisor,
                         [t](int64_t x, int64_t y) { return scalar::FloorDiv(t, x, y); });
    case Op::kMod:
      return EachPartial(a, sa, b, sb, n, out, kZeroDivisor,
                         [t](int64_t x, int64_t y) { return scalar::FloorMod(t, x, y); });
    case Op::kCeilDiv:
      return EachPartial(a, sa, b, sb, n, out, kZeroDivisor,
                         [t](int64_t x, int64_t y) { return scalar::CeilDiv(t, x, y); });
    case Op::kShl:
      return EachPartial(a, sa, b, sb, n, out, kBadShift,
                         [t](int64_t x, int64_t y) { return scalar::ShiftLeft(t, x, y); });
    case Op::kShr:
      return EachPartial(a, sa, b, sb, n, out, kBadShift,
                         [t](int64_t x, int64_t y) { return scalar::ShiftRight(t, x, y); });
    case Op::kMin:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = scalar::Min(t, x.i, y.i); });
    case Op::kMax:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = scalar::Max(t, x.i, y.i); });
    case Op::kAnd:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.i != 0 && y.i != 0; });
    case Op::kOr:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.i != 0 || y.i != 0; });
    case Op::kBitAnd:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.i & y.i; });
    case Op::kBitOr:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.i | y.i; });
    case Op::kBitXor:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.i ^ y.i; });
    case Op::kEq:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.i == y.i; });
    case Op::kNe:
      return Each(a, sa, b, sb, n, out, [](Slot x, Slot y, Slot& r) { r.i = x.i != y.i; });
    case Op::kLt:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = scalar::Less(t, x.i, y.i); });
    case Op::kLe:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = !scalar::Less(t, y.i, x.i); });
    case Op::kGt:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = scalar::Less(t, y.i, x.i); });
    case Op::kGe:
      return Each(a, sa, b, sb, n, out, [=](Slot x, Slot y, Slot& r) { r.i = !scalar::Less(t, x.i, y.i); });
    default:
      return kUnknown;
  }
}

double MathFunction(Op op, double x) {
  switch (op) {
    case Op::kExp:
      return std::exp(x);
    case Op::kExp2:
      return std::exp2(x);
    case Op::kLog:
      return std::log(x);
    case Op::kLog2:
      return std::log2(x);
    case Op::kSqrt:
      return std::sqrt(x);
    case Op::kRsqrt:
      return 1 / std::sqrt(x);
    case Op::kTanh:
      return std::tanh(x);
    case Op::kSin:
      return std::sin(x);
    case Op::kCos:
      return std::cos(x);
    case Op::kErf:
      return std::erf(x);
    case Op::kAbs:
      return std::fabs(x);
    case Op::kFloor:
      return std::floor(x);
    case Op::kCeil:
      return std::ceil(x);
    default:
      return scalar::RoundHalfEven(x);
  }
}

}  // namespace

Fault ApplyBinary(Op op, DType dtype, const Slot* a, int a_stride, const Slot* b, int b_stride, int64_t count,
                  Slot* out) {
  return IsFloat(dtype) ? FloatBinary(op, dtype, a, a_stride, b, b_stride, count, out)
                        : IntegerBinary(op, dtype, a, a_stride, b, b_stride, count, out);
}

Fault ApplyUnary(Op op, DType dtype, const Slot* a, int64_t count, Slot* out) {
  for (int64_t k = 0; k < count; ++k) {
    if (op == Op::kNeg && IsFloat(dtype)) {
      out[k].f = -a[k].f;
    } else if (op == Op::kNeg) {
      out[k].i = scalar::Wrap(dtype, WrapSub(0, a[k].i));
    } else if (op == Op::kNot) {
      out[k].i = IsFloat(dtype) ? a[k].f == 0 : a[k].i == 0;
    } else if (op == Op::kBitNot && !IsFloat(dtype)) {
      out[k].i = scalar::Wrap(dtype, ~a[k].i);
    } else {
      return kUnknown;
    }
  }
  return nullptr;
}

Fault ApplyMath(Op op, DType dtype, const Slot* const* operands, int64_t count, Slot* out) {
  const Slot* a = operands[0];
  if (!IsFloat(dtype)) {
    if (op != Op::kAbs) return kUnknown;
    for (int64_t k = 0; k < count; ++k)
      out[k].i = IsSigned(dtype) && a[k].i < 0 ? scalar::Wrap(dtype, WrapSub(0, a[k].i)) : a[k].i;
    return nullptr;
  }
  for (int64_t k = 0; k < count; ++k) {
    switch (op) {
      case Op::kFma:
        out[k].f = scalar::FusedMultiplyAdd(dtype, a[k].f, operands[1][k].f, operands[2][k].f);
        break;
      case Op::kPow:
        out[k].f = scalar::RoundTo(dtype, std::pow(a[k].f, operands[1][k].f));
        break;
      case Op::kIsNan:
        out[k].i = std::isnan(a[k].f);
        break;
      default:
        out[k].f = scalar::RoundTo(dtype, MathFunction(op, a[k].f));
    }
  }
  return nullptr;
}

bool IsComparison(Op op) {
  return op == Op::kEq || op == Op::kNe || op == Op::kLt || op == Op::kLe || op == Op::kGt || op == Op::kGe;
}

int MathArity(Op op) { return op == Op::kFma ? 3 : op == Op::kPow ? 2 : 1; }

}  // namespace kiln::interp
