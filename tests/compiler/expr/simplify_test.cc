#include "compiler/expr/simplify.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "compiler/expr/bounds.h"

namespace kiln {
namespace {

Expr V(const std::string& name) { return Var(name, {DType::kI64}); }
Expr T(Expr e) {
  std::vector<Expr> args;
  for (const Expr& a : e->args) args.push_back(T(a));
  return WithType(e->args.empty() ? e : WithArgs(e, args), {DType::kI64});
}
const Facts kFacts = {
    {"lane", {0, 31, 1}}, {"i", {0, 7, 1}}, {"v", {0, 7, 1}}, {"n", {0, 1 << 20, 64}}, {"m", {0, INT32_MAX, 1}}};

void Same(Expr e, Expr expected) {
  Expr s = Simplify(T(e), kFacts);
  EXPECT_TRUE(Equal(s, T(expected)));
}

TEST(Simplify, CollectsTermsWithTheConstantLast) { Same(Int(3) + V("m") * Int(2) + Int(4) - V("m"), V("m") + Int(7)); }
TEST(Simplify, DropsWhatADivisionDecides) { Same(FloorDiv(V("i") * Int(8) + V("v"), Int(8)), V("i")); }
TEST(Simplify, DropsWhatAModuloDecides) { Same(Mod(V("i") * Int(8) + V("v"), Int(8)), V("v")); }
TEST(Simplify, KnowsDivisors) { Same(Mod(V("n") + V("v"), Int(64)), V("v")); }
TEST(Simplify, JoinsNestedDivisions) { Same(FloorDiv(FloorDiv(V("m"), Int(4)), Int(8)), FloorDiv(V("m"), Int(32))); }
TEST(Simplify, TakesCommonFactorsOutOfAModulo) { Same(Mod(V("m") * Int(4), Int(32)), Mod(V("m"), Int(8)) * Int(4)); }
TEST(Simplify, DropsWhatIsFinerThanADivision) {
  Same(FloorDiv(V("m") * Int(32) + V("i") * Int(2), Int(64)), FloorDiv(V("m"), Int(2)));
}
TEST(Simplify, TakesWhatIsFinerOutOfAModulo) {
  Same(Mod(V("m") * Int(8) + V("v"), Int(64)), Mod(V("m"), Int(8)) * Int(8) + V("v"));
}
TEST(Simplify, CeilDivOfAMultiple) { Same(CeilDiv(V("n"), Int(64)), FloorDiv(V("n"), Int(64))); }
TEST(Simplify, DecidesMinima) { Same(Min(V("m") + Int(1), V("m")), V("m")); }
TEST(Simplify, DecidesComparisons) {
  Expr less = Simplify(WithType(Lt(T(V("lane")), T(Int(32))), {DType::kBool}), kFacts);
  ASSERT_EQ(less->kind, ExprKind::kBool);
  EXPECT_EQ(less->int_value, 1);
}
// Case IDX-3 V
TEST(Simplify, LeavesOverflowingSumsAlone) {
  Expr e = T(V("m") + Int(INT64_MAX) + Int(INT64_MAX));
  EXPECT_EQ(Simplify(e, kFacts)->kind, ExprKind::kBinary);
}

// Random expressions mean the same after simplification, at every kind of input within the facts.
int64_t Evaluate(const Expr& e, const std::map<std::string, int64_t>& env) {
  auto floor_div = [](int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  if (e->kind == ExprKind::kInt || e->kind == ExprKind::kBool) return e->int_value;
  if (e->kind == ExprKind::kVar) return env.at(e->name);
  if (e->kind == ExprKind::kSelect) return Evaluate(e->args[Evaluate(e->args[0], env) ? 1 : 2], env);
  int64_t a = Evaluate(e->args[0], env), b = e->args.size() > 1 ? Evaluate(e->args[1], env) : 0;
  switch (e->op) {
    case Op::kNeg:
      return -a;
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kDiv:
      return floor_div(a, b);
    case Op::kMod:
      return a - floor_div(a, b) * b;
    case Op::kCeilDiv:
      return -floor_div(-a, b);
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
    case Op::kLt:
      return a < b;
    case Op::kLe:
      return a <= b;
    case Op::kEq:
      return a == b;
    default:
      ADD_FAILURE() << "operator " << static_cast<int>(e->op);
      return 0;
  }
}

// Case IDX-6 V
TEST(Simplify, KeepsTheMeaningOfRandomExpressions) {
  std::mt19937 random(20);
  auto pick = [&](int n) { return static_cast<int>(random() % n); };
  std::function<Expr(int)> make = [&](int depth) -> Expr {
    if (depth == 0 || pick(6) == 0) {
      static const char* const kNames[] = {"lane", "i", "v", "n", "m"};
      return pick(3) == 0 ? T(Int(pick(80) - 8)) : T(V(kNames[pick(5)]));
    }
    Expr a = make(depth - 1);
    static const int64_t kDivisors[] = {1, 2, 3, 4, 8, 16, 32, 64};
    Expr d = T(Int(kDivisors[pick(8)]));
    switch (pick(9)) {
      case 0:
        return T(a + make(depth - 1));
      case 1:
        return T(a - make(depth - 1));
      case 2:
        return T(a * d);
      case 3:
        return T(FloorDiv(a, d));
      case 4:
        return T(Mod(a, d));
      case 5:
        return T(CeilDiv(a, d));
      case 6:
        return T(Min(a, make(depth - 1)));
      case 7:
        return T(Max(a, make(depth - 1)));
      default:
        return WithType(Select(WithType(Lt(a, make(depth - 1)), {DType::kBool}), make(depth - 1), a), {DType::kI64});
    }
  };
  for (int round = 0; round < 4000; ++round) {
    Expr e = make(1 + pick(5));
    Expr s = Simplify(e, kFacts);
    Bounds bounds = BoundsOf(e, kFacts);
    int64_t divisor = DivisorOf(e, kFacts);
    for (int sample = 0; sample < 12; ++sample) {
      auto within = [&](int64_t hi) -> int64_t {
        return sample == 0 ? 0 : sample == 1 ? hi : static_cast<int64_t>(random()) % (hi + 1);
      };
      std::map<std::string, int64_t> env = {{"lane", within(31)},
                                            {"i", within(7)},
                                            {"v", within(7)},
                                            {"n", within(1 << 14) * 64},
                                            {"m", within(INT32_MAX)}};
      int64_t value = Evaluate(e, env);
      ASSERT_EQ(value, Evaluate(s, env)) << "round " << round;
      ASSERT_LE(bounds.min, value);
      ASSERT_GE(bounds.max, value);
      if (divisor == 0) {
        ASSERT_EQ(value, 0);
      } else
        ASSERT_EQ(value % divisor, 0) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace kiln
