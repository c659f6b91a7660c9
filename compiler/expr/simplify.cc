#include "compiler/expr/simplify.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "compiler/expr/bounds.h"

namespace kiln {
namespace {

const Type& IndexType() {
  static const Type* const type = new Type{DType::kI64};
  return *type;
}

Expr Typed(Expr e, const Type& type) { return WithType(std::move(e), type); }
Expr IndexInt(int64_t v) { return Typed(Int(v), IndexType()); }

bool IsIndex(const Expr& e) {
  return !e->type.tile && e->type.lanes == 1 && (e->type.dtype == DType::kI64 || e->type.dtype == DType::kNone);
}

// coefficient * atom; atoms are simplified expressions that are no sum, no literal and no product with a literal.
struct Term {
  Expr atom;
  int64_t coefficient;
};

struct Linear {
  absl::InlinedVector<Term, 4> terms;  // In order of first appearance
  int64_t constant = 0;
};

bool AddConstant(Linear& sum, int64_t value, int64_t scale) {
  int64_t product;
  return !__builtin_mul_overflow(value, scale, &product) &&
         !__builtin_add_overflow(sum.constant, product, &sum.constant);
}

bool AddAtom(Linear& sum, const Expr& atom, int64_t coefficient, int64_t scale) {
  int64_t product;
  if (__builtin_mul_overflow(coefficient, scale, &product)) return false;
  auto it = std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Term& t) { return Equal(t.atom, atom); });
  if (it == sum.terms.end()) {
    if (product != 0) sum.terms.push_back({atom, product});
  } else if (__builtin_add_overflow(it->coefficient, product, &it->coefficient)) {
    return false;
  } else if (it->coefficient == 0) {
    sum.terms.erase(it);
  }
  return true;
}

bool AddTo(Linear& sum, const Linear& other, int64_t scale) {
  if (!AddConstant(sum, other.constant, scale)) return false;
  for (const Term& term : other.terms)
    if (!AddAtom(sum, term.atom, term.coefficient, scale)) return false;
  return true;
}

// sum += scale * e, for an already simplified `e`. False on overflow, which leaves `sum` half added.
bool AddTo(Linear& sum, const Expr& e, int64_t scale) {
  if (e->kind == ExprKind::kInt) return AddConstant(sum, e->int_value, scale);
  int64_t factor;
  if (e->kind == ExprKind::kBinary) {
    if (e->op == Op::kAdd) return AddTo(sum, e->args[0], scale) && AddTo(sum, e->args[1], scale);
    if (e->op == Op::kSub) return scale != INT64_MIN && AddTo(sum, e->args[0], scale) && AddTo(sum, e->args[1], -scale);
    if (e->op == Op::kMul && IsConst(e->args[1], &factor))
      return !__builtin_mul_overflow(scale, factor, &factor) && AddTo(sum, e->args[0], factor);
  }
  if (e->kind == ExprKind::kUnary && e->op == Op::kNeg) return scale != INT64_MIN && AddTo(sum, e->args[0], -scale);
  return AddAtom(sum, e, 1, scale);
}

// The linear form of an already simplified expression; one that overflows is an atom.
Linear ToLinear(const Expr& e) {
  Linear out;
  if (AddTo(out, e, 1)) return out;
  return {{{e, 1}}, 0};
}

Expr IndexBinary(Op op, Expr a, Expr b) { return Typed(Binary(op, std::move(a), std::move(b)), IndexType()); }

// The terms in the order they are written in: a positive one leads, so that no expression starts with a negation where
// it need not.
class Spelling {
 public:
  explicit Spelling(const Linear& sum) : sum_(sum) {
    while (lead_ < size() && sum.terms[lead_].coefficient <= 0) ++lead_;
    if (lead_ == size()) lead_ = 0;
  }

  size_t size() const { return sum_.terms.size(); }
  const Term& operator[](size_t i) const { return sum_.terms[i == 0 ? lead_ : i <= lead_ ? i - 1 : i]; }
  // Whether term i is subtracted.
  bool Subtracts(size_t i) const { return i > 0 && IsNegative((*this)[i].coefficient); }
  int64_t Scale(size_t i) const { return Subtracts(i) ? -(*this)[i].coefficient : (*this)[i].coefficient; }
  // INT64_MIN has no positive counterpart, so it is added as it is.
  static bool IsNegative(int64_t v) { return v < 0 && v != INT64_MIN; }

 private:
  const Linear& sum_;
  size_t lead_ = 0;
};

Expr FromLinear(const Linear& sum) {
  const Spelling terms(sum);
  Expr out;
  for (size_t i = 0; i < terms.size(); ++i) {
    const int64_t scale = terms.Scale(i);
    Expr part = scale == 1 ? terms[i].atom : IndexBinary(Op::kMul, terms[i].atom, IndexInt(scale));
    out =
        out ? IndexBinary(terms.Subtracts(i) ? Op::kSub : Op::kAdd, std::move(out), std::move(part)) : std::move(part);
  }
  if (!out) return IndexInt(sum.constant);
  if (sum.constant == 0) return out;
  const bool negative = Spelling::IsNegative(sum.constant);
  return IndexBinary(negative ? Op::kSub : Op::kAdd, std::move(out), IndexInt(negative ? -sum.constant : sum.constant));
}

// A literal as FromLinear writes it.
bool IsIndexInt(const Expr& e, int64_t value) {
  return IsConst(e, value) && !e->dtype.Known() && e->type.dtype == DType::kI64;
}

// What `e` adds last, or subtracts; null when it does not.
const Expr* Addend(const Expr& e, bool subtracts) {
  const bool is =
      e->kind == ExprKind::kBinary && e->op == (subtracts ? Op::kSub : Op::kAdd) && e->type.dtype == DType::kI64;
  return is ? &e->args[1] : nullptr;
}

// Whether `e` is FromLinear(sum) to the node, which most of what is simplified again is.
bool Spells(const Expr& e, const Linear& sum) {
  const Spelling terms(sum);
  const Expr* rest = &e;
  if (terms.size() == 0) return false;
  if (sum.constant != 0) {
    const bool negative = Spelling::IsNegative(sum.constant);
    const Expr* addend = Addend(*rest, negative);
    if (!addend || !IsIndexInt(*addend, negative ? -sum.constant : sum.constant)) return false;
    rest = &(*rest)->args[0];
  }
  for (size_t i = terms.size(); i-- > 0;) {
    const Expr* part = i == 0 ? rest : Addend(*rest, terms.Subtracts(i));
    if (!part) return false;
    const Node& node = **part;
    const bool scaled = terms.Scale(i) != 1;
    if (scaled && !(node.kind == ExprKind::kBinary && node.op == Op::kMul && node.type.dtype == DType::kI64 &&
                    IsIndexInt(node.args[1], terms.Scale(i))))
      return false;
    if ((scaled ? node.args[0] : *part) != terms[i].atom) return false;
    if (i > 0) rest = &(*rest)->args[0];
  }
  return true;
}

int64_t FloorDivide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

// Splits `sum` into parts whose every value is a multiple of d, and the rest with its constant reduced into [0, d).
void SplitByDivisor(const Linear& sum, int64_t d, const Facts& facts, Linear* multiple, Linear* rest) {
  for (const Term& term : sum.terms) {
    int64_t whole = term.coefficient / d, left = term.coefficient % d;  // A small negative coefficient stays one.
    int64_t atom_divisor = DivisorOf(term.atom, facts);
    if (left == 0 || (atom_divisor != 0 && (__extension__ static_cast<__int128>(left) * atom_divisor) % d == 0) ||
        atom_divisor == 0) {
      multiple->terms.push_back(term);
    } else {
      if (whole != 0) multiple->terms.push_back({term.atom, whole * d});
      rest->terms.push_back({term.atom, left});
    }
  }
  int64_t whole = FloorDivide(sum.constant, d) * d;
  multiple->constant = whole;
  rest->constant = sum.constant - whole;
}

class Simplifier {
 public:
  explicit Simplifier(const Facts& facts) : facts_(facts) {}

  Expr Visit(const Expr& e) {
    if (e->args.empty()) return e;
    // Only what several parents share is met again.
    if (e.use_count() == 1) return VisitOnce(e);
    if (auto it = done_.find(e); it != done_.end()) return it->second;
    Expr result = VisitOnce(e);
    done_.emplace(e, result);
    return result;
  }

 private:
  Expr VisitOnce(const Expr& e) {
    std::vector<Expr> args;
    for (size_t i = 0; i < e->args.size(); ++i) {
      Expr arg = Visit(e->args[i]);
      if (args.empty() && arg == e->args[i]) continue;
      if (args.empty()) args = e->args;
      args[i] = std::move(arg);
    }
    Expr node = args.empty() ? e : WithArgs(e, std::move(args));
    if (node->type.tile) return node;
    switch (node->kind) {
      case ExprKind::kBinary:
        return VisitBinary(node);
      case ExprKind::kUnary:
        return VisitUnary(node);
      case ExprKind::kSelect:
        return VisitSelect(node);
      case ExprKind::kCast:
        return VisitCast(node);
      default:
        return node;
    }
  }

  Expr VisitBinary(const Expr& e) {
    const Expr &a = e->args[0], &b = e->args[1];
    switch (e->op) {
      case Op::kAnd:
      case Op::kOr:
        return VisitLogic(e);
      case Op::kEq:
      case Op::kNe:
      case Op::kLt:
      case Op::kLe:
      case Op::kGt:
      case Op::kGe:
        return VisitCompare(e);
      default:
        break;
    }
    if (!IsIndex(e)) return e;
    switch (e->op) {
      case Op::kAdd:
      case Op::kSub: {
        Linear sum = ToLinear(a);
        return AddTo(sum, b, e->op == Op::kAdd ? 1 : -1) && !Spells(e, sum) ? FromLinear(sum) : e;
      }
      case Op::kMul:
        return VisitMul(e);
      case Op::kDiv:
        return VisitDiv(e);
      case Op::kMod:
        return VisitMod(e);
      case Op::kCeilDiv:
        return VisitCeilDiv(e);
      case Op::kMin:
      case Op::kMax:
        return VisitMinMax(e);
      case Op::kBitXor:
        if (IsConst(a, int64_t{0})) return b;
        if (IsConst(b, int64_t{0})) return a;
        if (int64_t x, y; IsConst(a, &x) && IsConst(b, &y)) return IndexInt(x ^ y);
        return e;
      case Op::kBitAnd:
        if (int64_t x, y; IsConst(a, &x) && IsConst(b, &y)) return IndexInt(x & y);
        return e;
      case Op::kBitOr:
        if (int64_t x, y; IsConst(a, &x) && IsConst(b, &y)) return IndexInt(x | y);
        return e;
      case Op::kShl:
        if (int64_t s; IsConst(b, &s) && s >= 0 && s < 62)
          return VisitMul(IndexBinary(Op::kMul, a, IndexInt(int64_t{1} << s)));
        return e;
      case Op::kShr:
        if (int64_t s; IsConst(b, &s) && s >= 0 && s < 62)
          return VisitDiv(IndexBinary(Op::kDiv, a, IndexInt(int64_t{1} << s)));
        return e;
      default:
        return e;
    }
  }

  Expr VisitMul(const Expr& e) {
    Expr a = e->args[0], b = e->args[1];
    if (a->kind == ExprKind::kInt) std::swap(a, b);
    int64_t scale;
    if (IsConst(b, &scale)) {
      Linear out;
      return AddTo(out, a, scale) && !Spells(e, out) ? FromLinear(out) : e;
    }
    // Literal factors move out of a product: (x * 4) * y = (x * y) * 4.
    Linear la = ToLinear(a), lb = ToLinear(b);
    auto single = [](const Linear& l) { return l.terms.size() == 1 && l.constant == 0; };
    int64_t factor = 1;
    if (single(la) && single(lb) &&
        !__builtin_mul_overflow(la.terms[0].coefficient, lb.terms[0].coefficient, &factor) && factor != 1)
      return FromLinear({{{IndexBinary(Op::kMul, la.terms[0].atom, lb.terms[0].atom), factor}}, 0});
    return IndexBinary(Op::kMul, a, b);
  }

  Expr VisitDiv(const Expr& e) {
    const Expr &a = e->args[0], &b = e->args[1];
    int64_t d;
    if (!IsConst(b, &d) || d <= 0) {
      if (Equal(a, b) && BoundsOf(b, facts_).min > 0) return IndexInt(1);
      if (IsConst(a, int64_t{0}) && BoundsOf(b, facts_).min > 0) return a;
      return e;
    }
    if (d == 1) return a;
    Linear sum = ToLinear(a), multiple, rest;
    SplitByDivisor(sum, d, facts_, &multiple, &rest);
    Linear quotient;
    bool exact = true;
    quotient.constant = multiple.constant / d;
    for (const Term& term : multiple.terms) {
      if (term.coefficient % d == 0) {
        quotient.terms.push_back({term.atom, term.coefficient / d});
      } else if (d % term.coefficient == 0 && term.coefficient > 0) {
        // The atom is a multiple of d / coefficient.
        quotient.terms.push_back({IndexBinary(Op::kDiv, term.atom, IndexInt(d / term.coefficient)), 1});
      } else {
        exact = false;
      }
    }
    if (!exact) return e;
    if (RangeOf(rest).Within(0, d - 1)) return FromLinear(quotient);
    Linear coarse, fine;
    int64_t unit;
    Expr tail = SplitFine(rest, d, &coarse, &fine, &unit)
                    ? VisitDiv(IndexBinary(Op::kDiv, FromLinear(DividedBy(coarse, unit)), IndexInt(d / unit)))
                    : DivideRest(rest, d);
    Linear out = quotient;
    return AddTo(out, tail, 1) ? FromLinear(out) : e;
  }

  // Splits `sum` into coarse + fine for some g > 1 that divides d: coarse is a multiple of g, fine lies in [0, g). Then
  // fine decides nothing of sum / d. False when there is no such g.
  bool SplitFine(const Linear& sum, int64_t d, Linear* coarse, Linear* fine, int64_t* unit) {
    for (const Term& pivot : sum.terms) {
      const int64_t g = std::gcd(pivot.coefficient, d);
      if (g <= 1) continue;
      Linear multiple, rest;
      for (const Term& term : sum.terms) (term.coefficient % g == 0 ? multiple : rest).terms.push_back(term);
      if (rest.terms.empty() && sum.constant % g == 0) continue;
      multiple.constant = FloorDivide(sum.constant, g) * g;
      rest.constant = sum.constant - multiple.constant;
      if (!RangeOf(rest).Within(0, g - 1)) continue;
      *coarse = std::move(multiple);
      *fine = std::move(rest);
      *unit = g;
      return true;
    }
    return false;
  }

  static Linear DividedBy(const Linear& sum, int64_t g) {
    Linear out{{}, sum.constant / g};
    for (const Term& term : sum.terms) out.terms.push_back({term.atom, term.coefficient / g});
    return out;
  }

  // rest / d where no whole multiple can be taken out: a common factor of the coefficients cancels, nested divisions
  // join.
  Expr DivideRest(const Linear& rest, int64_t d) {
    int64_t g = d;
    for (const Term& term : rest.terms) g = std::gcd(g, term.coefficient);
    if (g > 1) {
      Linear small;
      small.constant = FloorDivide(rest.constant, g);
      for (const Term& term : rest.terms) small.terms.push_back({term.atom, term.coefficient / g});
      if (d / g == 1) return FromLinear(small);
      return VisitDiv(IndexBinary(Op::kDiv, FromLinear(small), IndexInt(d / g)));
    }
    if (rest.terms.size() == 1 && rest.constant == 0 && rest.terms[0].coefficient == 1) {
      const Expr& atom = rest.terms[0].atom;
      int64_t inner, joined;
      if (atom->kind == ExprKind::kBinary && atom->op == Op::kDiv && IsConst(atom->args[1], &inner) && inner > 0 &&
          !__builtin_mul_overflow(inner, d, &joined))
        return VisitDiv(IndexBinary(Op::kDiv, atom->args[0], IndexInt(joined)));
      // (x % m) / d = (x / d) % (m / d) reads worse; it is left alone.
    }
    return IndexBinary(Op::kDiv, FromLinear(rest), IndexInt(d));
  }

  Expr VisitMod(const Expr& e) {
    const Expr &a = e->args[0], &b = e->args[1];
    int64_t d;
    if (!IsConst(b, &d) || d <= 0) return e;
    if (d == 1) return IndexInt(0);
    Linear multiple, rest;
    SplitByDivisor(ToLinear(a), d, facts_, &multiple, &rest);
    if (RangeOf(rest).Within(0, d - 1)) return FromLinear(rest);
    Linear coarse, fine;
    int64_t unit;
    if (SplitFine(rest, d, &coarse, &fine, &unit)) {  // (8x + y) % 64 = (x % 8) * 8 + y
      Expr inner = VisitMod(IndexBinary(Op::kMod, FromLinear(DividedBy(coarse, unit)), IndexInt(d / unit)));
      Linear out;
      if (AddTo(out, inner, unit) && AddTo(out, fine, 1)) return FromLinear(out);
    }
    int64_t g = d;
    for (const Term& term : rest.terms) g = std::gcd(g, term.coefficient);
    if (g > 1 && g < d && rest.constant % g == 0) {  // (4x) % 32 = (x % 8) * 4
      Linear small{{}, rest.constant / g};
      for (const Term& term : rest.terms) small.terms.push_back({term.atom, term.coefficient / g});
      Expr inner = VisitMod(IndexBinary(Op::kMod, FromLinear(small), IndexInt(d / g)));
      Linear out;
      if (AddTo(out, inner, g)) return FromLinear(out);
    }
    if (rest.terms.size() == 1 && rest.constant == 0 && rest.terms[0].coefficient == 1) {
      const Expr& atom = rest.terms[0].atom;
      int64_t inner;
      if (atom->kind == ExprKind::kBinary && atom->op == Op::kMod && IsConst(atom->args[1], &inner) && inner % d == 0)
        return VisitMod(IndexBinary(Op::kMod, atom->args[0], IndexInt(d)));
    }
    return IndexBinary(Op::kMod, FromLinear(rest), IndexInt(d));
  }

  Expr VisitCeilDiv(const Expr& e) {
    const Expr &a = e->args[0], &b = e->args[1];
    int64_t d;
    if (!IsConst(b, &d) || d <= 0) return e;
    if (DivisorOf(a, facts_) % d == 0) return VisitDiv(IndexBinary(Op::kDiv, a, b));
    Linear sum = ToLinear(a);
    if (!AddConstant(sum, d - 1, 1)) return e;
    if (sum.terms.empty()) return IndexInt(FloorDivide(sum.constant, d));
    return e;
  }

  Expr VisitMinMax(const Expr& e) {
    const Expr &a = e->args[0], &b = e->args[1];
    bool is_min = e->op == Op::kMin;
    Proof less = ProveLessEqual(a, b);
    if (less == Proof::kTrue) return is_min ? a : b;
    Proof greater = ProveLessEqual(b, a);
    if (greater == Proof::kTrue) return is_min ? b : a;
    return e;
  }

  Proof ProveLessEqual(const Expr& a, const Expr& b) {
    Linear difference = ToLinear(a);
    if (!AddTo(difference, b, -1)) return Proof::kUnknown;
    const Bounds range = RangeOf(difference);
    if (range.max <= 0) return Proof::kTrue;
    if (range.min > 0) return Proof::kFalse;
    return Proof::kUnknown;
  }

  Expr VisitCompare(const Expr& e) {
    const Expr &a = e->args[0], &b = e->args[1];
    auto boolean = [&](bool v) { return Typed(Bool(v), e->type); };
    if (IsIndex(a) && IsIndex(b)) {
      Linear difference = ToLinear(a);
      if (!AddTo(difference, b, -1)) return e;
      Proof proof = ProveCompare(e->op, RangeOf(difference), {0, 0});
      if (proof != Proof::kUnknown) return boolean(proof == Proof::kTrue);
      if (Expr scaled = CancelDivisor(e, difference)) return scaled;
      return e;
    }
    Proof proof = Prove(e, facts_);
    return proof == Proof::kUnknown ? e : boolean(proof == Proof::kTrue);
  }

  // x * 4 + c < y * 4 with 0 <= c < 4 is x < y; only for `<` with one variable part on each side.
  Expr CancelDivisor(const Expr& e, const Linear& difference) {
    if (e->op != Op::kLt || difference.terms.size() < 2) return nullptr;
    int64_t g = 0;
    for (const Term& term : difference.terms) {
      int64_t atom = DivisorOf(term.atom, facts_);
      if (atom != 1) return nullptr;  // Keep what is readable: only literal coefficients are cancelled.
      g = std::gcd(g, term.coefficient);
    }
    if (g <= 1) return nullptr;
    Linear left, right;
    for (const Term& term : difference.terms) {
      if (term.coefficient > 0)
        left.terms.push_back({term.atom, term.coefficient / g});
      else
        right.terms.push_back({term.atom, -term.coefficient / g});
    }
    // sum + constant < 0 with sum a multiple of g: sum / g <= floor((-constant - 1) / g), so sum / g < that + 1.
    int64_t limit = FloorDivide(-difference.constant - 1, g) + 1;
    if (limit >= 0)
      right.constant = limit;
    else
      left.constant = -limit;
    return Typed(Lt(FromLinear(left), FromLinear(right)), e->type);
  }

  Expr VisitLogic(const Expr& e) {
    bool is_and = e->op == Op::kAnd;
    for (int side : {0, 1}) {
      const Expr& one = e->args[side];
      if (one->kind != ExprKind::kBool) continue;
      bool neutral = (one->int_value != 0) == is_and;
      return neutral ? e->args[1 - side] : one;
    }
    return Equal(e->args[0], e->args[1]) ? e->args[0] : e;
  }

  Expr VisitUnary(const Expr& e) {
    const Expr& a = e->args[0];
    if (e->op == Op::kNot && a->kind == ExprKind::kBool) return Typed(Bool(!a->int_value), e->type);
    if (e->op == Op::kNeg && IsIndex(e)) {
      Linear out;
      if (AddTo(out, a, -1)) return FromLinear(out);
    }
    return e;
  }

  Expr VisitSelect(const Expr& e) {
    const Expr& condition = e->args[0];
    if (condition->kind == ExprKind::kBool) return e->args[condition->int_value ? 1 : 2];
    return Equal(e->args[1], e->args[2]) ? e->args[1] : e;
  }

  Expr VisitCast(const Expr& e) {
    const Expr& a = e->args[0];
    if (a->type.Known() && a->type.dtype == e->type.dtype && a->type.lanes == e->type.lanes) return a;
    if (a->kind == ExprKind::kInt && e->type.lanes == 1 &&
        (e->type.dtype == DType::kF32 || e->type.dtype == DType::kF64)) {
      double value = e->type.dtype == DType::kF32 ? static_cast<double>(static_cast<float>(a->int_value))
                                                  : static_cast<double>(a->int_value);
      return Typed(Float(value), e->type);
    }
    return e;
  }

  // Of FromLinear(sum), without making it.
  Bounds RangeOf(const Linear& sum) const {
    Bounds range{sum.constant, sum.constant};
    for (const Term& term : sum.terms) range = Sum(range, Scaled(BoundsOf(term.atom, facts_), term.coefficient));
    return range;
  }

  const Facts& facts_;
  std::map<Expr, Expr> done_;
};

}  // namespace

Expr Simplify(const Expr& e, const Facts& facts) { return Simplifier(facts).Visit(e); }

bool ProveEqual(const Expr& a, const Expr& b, const Facts& facts) {
  return IsConst(Simplify(WithType(a - b, IndexType()), facts), int64_t{0});
}

}  // namespace kiln
