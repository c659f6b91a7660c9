#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace kiln::testing {
namespace {

std::string TypeName(DType dtype) { return std::string(Name(dtype)); }

bool IsArithmetic(DType dtype) { return dtype != DType::kBool && dtype != DType::kNone; }

std::string Call(const std::string& function, const std::vector<std::string>& args) {
  return absl::StrCat(function, "(", absl::StrJoin(args, ", "), ")");
}

// -0.5 as a literal of its own in any place.
std::string Literal(double value) { return value < 0 ? absl::StrCat("(", value, ")") : absl::StrCat(value); }

std::string FloatLiteral(double value) {
  std::string text = absl::StrCat(std::fabs(value));
  if (text.find('.') == std::string::npos) text += ".0";
  return value < 0 ? absl::StrCat("(-", text, ")") : text;
}

}  // namespace

std::string Maker::Spread(const std::string& text, const Frame& from, const Frame& frame) {
  if (from == frame) return text;
  std::vector<std::string> items;
  size_t next = 0;
  for (int axis : frame) {
    const bool has = next < from.size() && from[next] == axis;
    items.push_back(has ? ":" : "_");
    next += has;
  }
  return next == from.size() ? absl::StrCat(text, "[", absl::StrJoin(items, ", "), "]") : "";
}

std::string Maker::Reference(const Named& named, const Frame& frame) {
  std::string text = Spread(named.name, named.frame, frame);
  if (!text.empty() || named.place == Named::Place::kLocal) return text;
  // Turned: a tile of two dimensions of shared or global memory.
  if (named.frame.size() == 2 && Frame{named.frame[1], named.frame[0]} == frame)
    return absl::StrCat(named.name, ".permute(1, 0)");
  return "";
}

void Maker::Meet(Value& a, Value& b) {
  auto arithmetic = [&](Value& v) {
    if (!IsArithmetic(v.number.dtype)) v = {Call("select", {v.text, "1i32", "0i32"}), Whole(DType::kI32, 1), v.covers};
    v.number = Widened(v.number);
  };
  arithmetic(a);
  arithmetic(b);
  DType meeting = Meeting(a.number.dtype, b.number.dtype);
  if (meeting == DType::kNone) {
    b = {Call(TypeName(a.number.dtype), {b.text}), Stored(b.number, a.number.dtype), b.covers};
    meeting = a.number.dtype;
  }
  a.number = Stored(a.number, meeting);
  b.number = Stored(b.number, meeting);
}

Value Maker::Clamped(Value value, double most) {
  if (value.number.most <= most) return value;
  const std::string limit = IsFloat(value.number.dtype) ? FloatLiteral(most) : Literal(most);
  const std::string least = IsUnsigned(value.number.dtype) ? "0"
                            : IsFloat(value.number.dtype)  ? FloatLiteral(-most)
                                                           : Literal(-most);
  value.text = Call("min", {Call("max", {value.text, least}), limit});
  value.number = Widened(value.number);
  value.number.most = most;
  value.number.grain = std::min(value.number.grain, 0);
  return value;
}

// Keeps numbers small and coarse, so that most of a kernel stays exact.
Value Maker::Tame(Value value) {
  Number& n = value.number;
  if (!IsFloat(n.dtype)) return value;
  if (n.error == 0 && n.grain < -8) {
    value.text = Call("round", {value.text});
    n = Widened(n);
    n.grain = 0;
    n.most = std::ceil(n.most);
  }
  if (n.most > 0x1p14) return Clamped(std::move(value), 64);
  return value;
}

Value Maker::Constant() {
  if (Chance(50)) {
    const int64_t v = Pick(9) - 4;
    return {v < 0 ? absl::StrCat("(", v, "i32)") : absl::StrCat(v, "i32"), Whole(DType::kI32, std::fabs(v)), false};
  }
  const double v = (static_cast<double>(Pick(17)) - 8) / 4;
  return {FloatLiteral(v), {DType::kF32, std::fabs(v), -2, 0}, false};
}

Value Maker::Element() {
  std::vector<std::pair<std::string, Number>> found;
  for (const Named& named : tiles_) {
    if (named.place != Named::Place::kShared || named.frame[0] < 0) continue;
    std::vector<std::string> items;
    for (int axis : named.frame) items.push_back(absl::StrCat(Pick(axes_[axis].tile)));
    found.emplace_back(absl::StrCat(named.name, "[", absl::StrJoin(items, ", "), "]"), named.number);
  }
  for (size_t i = 0; i < kernel_.args.size(); ++i) {
    const RandomArgument& arg = kernel_.args[i];
    if (arg.output || arg.distinct || frames_[i].empty()) continue;
    std::vector<std::string> items;
    for (int64_t extent : arg.shape) items.push_back(absl::StrCat(Pick(extent)));
    found.emplace_back(absl::StrCat(arg.name, "[", absl::StrJoin(items, ", "), "]"), NumberOf(arg));
  }
  if (found.empty()) return Constant();
  auto [text, number] = Any(found);
  return {text, number, false};
}

Value Maker::Scalar() {
  if (Chance(25)) return Element();
  if (scalars_.empty() || Chance(40)) return Constant();
  const ScalarName& scalar = scalars_[Pick(static_cast<int64_t>(scalars_.size()))];
  return {scalar.name, scalar.number, false};
}

Value Maker::FromArgument(const Frame& frame) {
  // Any part of the frame's axes, and two of them turned.
  Frame part;
  for (int axis : frame)
    if (part.empty() || Chance(75)) part.push_back(axis);
  const bool turned = part == frame && frame.size() == 2 && Chance(20);
  if (turned) std::swap(part[0], part[1]);
  const size_t arg = Input(part);
  std::string text = absl::StrCat(kernel_.args[arg].name, "[", Slices(part), "]");
  if (turned) text += ".permute(1, 0)";
  if (!turned) text = Spread(text, part, frame);
  return {text, NumberOf(kernel_.args[arg]), part.size() == frame.size()};
}

Value Maker::Leaf(const Frame& frame) {
  const int64_t kind = Pick(100);
  if (kind < 15) return Scalar();
  if (kind < 30) {
    std::vector<const Named*> same;
    for (const Named& named : tiles_)
      if (named.frame == frame) same.push_back(&named);
    if (!same.empty()) {
      const int64_t dim = Pick(static_cast<int64_t>(frame.size()));
      const Axis& axis = axes_[frame[dim]];
      return {absl::StrCat("index(", Any(same)->name, ", ", dim, ")"),
              {DType::kI64, static_cast<double>(axis.tile), 0, 0},
              true};
    }
  }
  if (kind < 75) {
    std::vector<Value> fitting;
    for (const Named& named : tiles_) {
      std::string text = Reference(named, frame);
      if (!text.empty()) fitting.push_back({text, named.number, named.frame.size() == frame.size()});
    }
    if (!fitting.empty()) return Any(fitting);
  }
  return FromArgument(frame);
}

Value Maker::Expression(const Frame& frame, int depth) {
  if (depth <= 0) return Leaf(frame);
  const int64_t kind = Pick(100);
  if (kind < 15) return Leaf(frame);
  if (kind < 55) return Tame(Arithmetic(frame, depth));
  if (kind < 70) return IntegerOperation(frame, depth);
  if (kind < 85) return Tame(Function(frame, depth));
  return Select(frame, depth);
}

Value Maker::Exact(const Frame& frame, int depth) {
  for (int tries = 0; tries < 8; ++tries) {
    Value value = Expression(frame, depth);
    if (value.number.error == 0) return value;
    depth = 0;
  }
  return Constant();
}

Value Maker::Covering(const Frame& frame, int depth) {
  Value value = Expression(frame, depth);
  if (value.covers) return value;
  const size_t arg = Input(frame);
  Value other{absl::StrCat(kernel_.args[arg].name, "[", Slices(frame), "]"), NumberOf(kernel_.args[arg]), true};
  Meet(value, other);
  return Tame({absl::StrCat("(", value.text, " + ", other.text, ")"), Sum(value.number, other.number), true});
}

Value Maker::Integer(const Frame& frame, int depth) {
  Value value = Exact(frame, depth);
  Number& n = value.number;
  if (IsInteger(n.dtype)) {
    n = Widened(n);
    return value;
  }
  const DType dtype = Any<DType>({DType::kI32, DType::kI64, DType::kI32, DType::kU32});
  return {Call(TypeName(dtype), {value.text}), Stored(n, dtype), value.covers};
}

Value Maker::Float(const Frame& frame, int depth) {
  Value value = Expression(frame, depth);
  if (IsFloat(value.number.dtype)) {
    value.number = Widened(value.number);
    return value;
  }
  return Tame({Call("f32", {value.text}), Stored(value.number, DType::kF32), value.covers});
}

Value Maker::Condition(const Frame& frame, int depth) {
  if (depth > 0 && Chance(20)) {
    Value a = Condition(frame, depth - 1);
    if (Chance(30)) return {absl::StrCat("(not ", a.text, ")"), a.number, a.covers};
    Value b = Condition(frame, depth - 1);
    return {absl::StrCat("(", a.text, Chance(50) ? " and " : " or ", b.text, ")"), a.number, a.covers || b.covers};
  }
  Value a = Exact(frame, depth - 1), b = Exact(frame, depth - 1);
  Meet(a, b);
  const std::string op = Any<std::string>({"<", "<=", ">", ">=", "==", "!="});
  return {absl::StrCat("(", a.text, " ", op, " ", b.text, ")"), {DType::kBool, 1, 0, 0}, a.covers || b.covers};
}

Value Maker::Arithmetic(const Frame& frame, int depth) {
  Value a = Expression(frame, depth - 1), b = Expression(frame, depth - 1);
  Meet(a, b);
  const bool covers = a.covers || b.covers;
  const int64_t op = Pick(100);
  if (op < 60) {
    const char* sign = op < 35 ? " + " : " - ";
    return {absl::StrCat("(", a.text, sign, b.text, ")"), Sum(a.number, b.number), covers};
  }
  if (op < 80) return {absl::StrCat("(", a.text, " * ", b.text, ")"), Product(a.number, b.number), covers};
  const std::string name = op < 90 ? "min" : "max";
  return {Call(name, {a.text, b.text}), Either(a.number, b.number), covers};
}

Value Maker::IntegerOperation(const Frame& frame, int depth) {
  Value a = Integer(frame, depth - 1);
  Number n = a.number;
  const int64_t op = Pick(7);
  if (op < 2) {
    const int64_t by = Any<int64_t>({2, 3, 5, 7, 16, -3, -4});
    if (IsUnsigned(n.dtype) && by < 0) return a;
    if (op == 1) n.most = std::fabs(by);
    return {absl::StrCat("(", a.text, op == 0 ? " / " : " % ", Literal(static_cast<double>(by)), ")"),
            Whole(n.dtype, n.most + 1), a.covers};
  }
  if (op == 2) {
    const int64_t by = Pick(5);
    n.most = n.most * std::ldexp(1.0, static_cast<int>(by));
    return {absl::StrCat("(", a.text, " << ", by, ")"), Whole(n.dtype, n.most), a.covers};
  }
  if (op == 3) return {absl::StrCat("(", a.text, " >> ", Pick(5), ")"), Whole(n.dtype, n.most + 1), a.covers};
  Value b = Integer(frame, depth - 1);
  Meet(a, b);
  n = a.number;
  const bool covers = a.covers || b.covers;
  if (op == 4) {
    // A divisor from 1 to 5.
    return {absl::StrCat("(", a.text, Chance(50) ? " / " : " % ", "(", b.text, " % 5 + 1))"),
            Whole(n.dtype, n.most + 5), covers};
  }
  const std::string sign = Any<std::string>({" & ", " | ", " ^ "});
  return {absl::StrCat("(", a.text, sign, b.text, ")"), Whole(n.dtype, 2 * std::max(a.number.most, b.number.most) + 1),
          covers};
}

Value Maker::Function(const Frame& frame, int depth) {
  const int64_t op = Pick(16);
  if (op < 4) {
    Value a = Expression(frame, depth - 1);
    Meet(a, a);
    if (op < 2) return {Call("abs", {a.text}), a.number, a.covers};
    if (op == 2) return {absl::StrCat("(-(", a.text, "))"), a.number, a.covers};
    const DType dtype = AnyDType();
    if (dtype == DType::kBool) return a;
    return Fitting(std::move(a), dtype);
  }
  if (op < 6) {
    Value a = Exact(frame, depth - 1);
    Meet(a, a);
    if (!IsFloat(a.number.dtype)) return a;
    a.number.grain = 0;
    a.number.most = std::ceil(a.number.most) + 1;
    return {Call(Any<std::string>({"floor", "ceil", "round"}), {a.text}), a.number, a.covers};
  }
  if (op == 6) {
    Value a = Float(frame, depth - 1), b = Float(frame, depth - 1);
    Meet(a, b);
    Number n = a.number;
    n.error += a.number.most * (b.number.error + 0x1p-21);
    n.grain = -60;
    return {absl::StrCat("(", a.text, " / (abs(", b.text, ") + 1.0))"), n, a.covers || b.covers};
  }
  if (op == 7) {
    Value a = Float(frame, depth - 1), b = Float(frame, depth - 1), c = Float(frame, depth - 1);
    Meet(a, b);
    Meet(a, c);
    Meet(a, b);
    return {Call("fma", {a.text, b.text, c.text}), Sum(Product(a.number, b.number), c.number),
            a.covers || b.covers || c.covers};
  }
  Value a = Clamped(Float(frame, depth - 1), 4);
  const Number& n = a.number;
  const std::string positive = absl::StrCat("abs(", a.text, ") + 1.0");
  switch (op) {
    case 8:
      return {Call("exp2", {a.text}), Smooth(n, 16, 11.1, 0x1p-16), a.covers};
    case 9:
      return {Call("exp", {a.text}), Smooth(n, 55, 55, 0x1p-13), a.covers};
    case 10:
      return {Call("tanh", {a.text}), Smooth(n, 1, 1, 0x1p-9), a.covers};
    case 11:
      return {Call("rsqrt", {positive}), Smooth(n, 1, 0.5, 0x1p-21), a.covers};
    case 12:
      return {Call("sqrt", {positive}), Smooth(n, 3, 0.5, 0x1p-21), a.covers};
    case 13:
      return {Call(Any<std::string>({"sin", "cos"}), {a.text}), Smooth(n, 1, 1, 0x1p-19), a.covers};
    case 14:
      return {Call("log2", {positive}), Smooth(n, 3, 1.5, 0x1p-18), a.covers};
    default:
      return {Call("erf", {a.text}), Smooth(n, 1, 1.13, 0x1p-19), a.covers};
  }
}

Value Maker::Select(const Frame& frame, int depth) {
  Value c = Condition(frame, depth - 1);
  Value a = Expression(frame, depth - 1), b = Expression(frame, depth - 1);
  Meet(a, b);
  return {Call("select", {c.text, a.text, b.text}), Either(a.number, b.number), c.covers || a.covers || b.covers};
}

Value Maker::Fitting(Value value, DType dtype) {
  const Number& n = value.number;
  if (n.error > 0 && !IsFloat(dtype)) dtype = DType::kF32;
  if (IsFloat(dtype) && n.most > Limit(dtype)) value = Clamped(std::move(value), IsNarrowFloat(dtype) ? 256 : 64);
  return {Call(TypeName(dtype), {value.text}), Stored(value.number, dtype), value.covers};
}

}  // namespace kiln::testing
