#include "api/symbol_program.h"

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::api {
namespace {

bool IsUnary(Op op) { return op == Op::kNeg || op == Op::kNot; }

bool IsBinary(Op op) {
  switch (op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kMod:
    case Op::kMin:
    case Op::kMax:
    case Op::kAnd:
    case Op::kOr:
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe:
    case Op::kCeilDiv:
      return true;
    default:
      return false;
  }
}

// The quotient towards minus infinity. False when it has none.
bool FloorQuotient(int64_t a, int64_t b, int64_t* quotient) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
  *quotient = a / b;
  if (a % b != 0 && (a < 0) != (b < 0)) --*quotient;
  return true;
}

// False on overflow and on a division by zero.
bool Apply(Op op, int64_t a, int64_t b, int64_t* result) {
  int64_t quotient = 0;
  switch (op) {
    case Op::kAdd:
      return !__builtin_add_overflow(a, b, result);
    case Op::kSub:
      return !__builtin_sub_overflow(a, b, result);
    case Op::kMul:
      return !__builtin_mul_overflow(a, b, result);
    case Op::kDiv:
      return FloorQuotient(a, b, result);
    case Op::kMod:
      if (!FloorQuotient(a, b, &quotient)) return false;
      *result = a % b;
      if (*result != 0 && (a < 0) != (b < 0)) *result += b;
      return true;
    case Op::kCeilDiv:
      if (!FloorQuotient(a, b, &quotient)) return false;
      *result = quotient + (a % b != 0);
      return true;
    case Op::kMin:
      *result = std::min(a, b);
      return true;
    case Op::kMax:
      *result = std::max(a, b);
      return true;
    case Op::kAnd:
      *result = a != 0 && b != 0;
      return true;
    case Op::kOr:
      *result = a != 0 || b != 0;
      return true;
    case Op::kEq:
      *result = a == b;
      return true;
    case Op::kNe:
      *result = a != b;
      return true;
    case Op::kLt:
      *result = a < b;
      return true;
    case Op::kLe:
      *result = a <= b;
      return true;
    case Op::kGt:
      *result = a > b;
      return true;
    case Op::kGe:
      *result = a >= b;
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<SymbolProgram> SymbolProgram::Compile(const Expr& expr, const std::vector<std::string>& names) {
  SymbolProgram program;
  int depth = 0;
  int deepest = 0;
  // A local type, so that the recursion sees the private Step.
  struct Walk {
    const std::vector<std::string>& names;
    std::vector<Step>& steps;
    int& depth;
    int& deepest;

    absl::Status Visit(const Expr& e) {
      switch (e->kind) {
        case ExprKind::kInt:
        case ExprKind::kBool:
          return Push({Step::Kind::kConst, Op::kNone, e->int_value});
        case ExprKind::kVar: {
          const auto found = std::find(names.begin(), names.end(), e->name);
          if (found == names.end())
            return absl::InvalidArgumentError(
                absl::StrCat("\"", e->name, "\" is not known when arguments are checked"));
          return Push({Step::Kind::kSymbol, Op::kNone, found - names.begin()});
        }
        case ExprKind::kUnary:
        case ExprKind::kBinary: {
          const size_t arity = e->kind == ExprKind::kUnary ? 1 : 2;
          if (e->args.size() != arity || !(arity == 1 ? IsUnary(e->op) : IsBinary(e->op))) break;
          for (const Expr& arg : e->args) KILN_RETURN_IF_ERROR(Visit(arg));
          steps.push_back({Step::Kind::kOp, e->op, 0});
          depth -= static_cast<int>(arity) - 1;
          return absl::OkStatus();
        }
        default:
          break;
      }
      return absl::InvalidArgumentError(
          "only integer arithmetic over symbols can be evaluated when arguments are checked");
    }

    absl::Status Push(Step step) {
      steps.push_back(step);
      deepest = std::max(deepest, ++depth);
      if (deepest > kMaxDepth)
        return absl::InvalidArgumentError(absl::StrCat("an expression over symbols is more than ", kMaxDepth, " deep"));
      return absl::OkStatus();
    }
  };
  KILN_RETURN_IF_ERROR((Walk{names, program.steps_, depth, deepest}.Visit(expr)));
  return program;
}

std::optional<int64_t> SymbolProgram::Evaluate(const int64_t* symbols) const {
  int64_t stack[kMaxDepth];
  int top = -1;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kConst) {
      stack[++top] = step.value;
    } else if (step.kind == Step::Kind::kSymbol) {
      stack[++top] = symbols[step.value];
    } else if (step.op == Op::kNeg) {
      if (!Apply(Op::kSub, 0, stack[top], &stack[top])) return std::nullopt;
    } else if (step.op == Op::kNot) {
      stack[top] = stack[top] == 0;
    } else {
      --top;
      if (!Apply(step.op, stack[top], stack[top + 1], &stack[top])) return std::nullopt;
    }
  }
  if (top != 0) return std::nullopt;
  return stack[0];
}

int SymbolProgram::MaxSymbol() const {
  int64_t highest = -1;
  for (const Step& step : steps_)
    if (step.kind == Step::Kind::kSymbol) highest = std::max(highest, step.value);
  return static_cast<int>(highest);
}

}  // namespace kiln::api
