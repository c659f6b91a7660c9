// Constants fold to what running gives, for every operator on integers.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "compiler/expr/expr.h"
#include "compiler/expr/simplify.h"
#include "compiler/interp/arith.h"

namespace kiln::interp {
namespace {

constexpr int64_t kValues[] = {0, 1, -1, 2, -2, 3, 7, -7, 8, 31, 32, 63, 64, 1000003, -1000003, INT32_MAX, INT32_MIN};

Expr Literal(DType dtype, int64_t value) {
  return WithType(Int(value, dtype == DType::kI64 ? DType::kNone : dtype), {dtype});
}

class Folding : public testing::TestWithParam<DType> {};

TEST_P(Folding, GivesWhatRunningGives) {
  DType dtype = GetParam();
  int folded = 0;
  for (int code = static_cast<int>(Op::kAdd); code <= static_cast<int>(Op::kCeilDiv); ++code) {
    Op op = static_cast<Op>(code);
    if (op == Op::kAnd || op == Op::kOr) continue;
    for (int64_t a : kValues) {
      for (int64_t b : kValues) {
        if (scalar::Wrap(dtype, a) != a || scalar::Wrap(dtype, b) != b) continue;
        Expr e = WithType(Binary(op, Literal(dtype, a), Literal(dtype, b)), {IsComparison(op) ? DType::kBool : dtype});
        Expr simple = Simplify(e, {});
        if (simple->kind != ExprKind::kInt && simple->kind != ExprKind::kBool) continue;
        Slot x = IntSlot(a), y = IntSlot(b), result;
        Fault fault = ApplyBinary(op, dtype, &x, 0, &y, 0, 1, &result);
        EXPECT_EQ(fault, nullptr) << "operator " << code << " of " << a << " and " << b << " folds to "
                                  << simple->int_value;
        if (!fault) {
          EXPECT_EQ(simple->int_value, result.i) << "operator " << code << " of " << a << " and " << b;
        }
        ++folded;
      }
    }
  }
  EXPECT_GT(folded, 1000);
}

INSTANTIATE_TEST_SUITE_P(All, Folding, testing::Values(DType::kI64, DType::kI32),
                         [](const auto& info) { return std::string(Name(info.param)); });

}  // namespace
}  // namespace kiln::interp
