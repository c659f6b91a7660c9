#include "compiler/specialize/intrinsic_operands.h"

#include "absl/strings/str_cat.h"
#include "compiler/expr/simplify.h"
#include "compiler/ir/print.h"

namespace kiln {
namespace {

bool IsIndex(const Expr& e) { return !e->type.tile && e->type.lanes == 1 && IsInteger(e->type.dtype); }

}  // namespace

std::string SettleOperands(const ir::IntrinsicInfo& info, const Facts& facts, std::vector<Expr>& args) {
  const std::string forms = absl::StrCat("; it takes ", ir::ArgumentForms(info));
  if (!ir::TakesArguments(info, args.size()))
    return absl::StrCat(std::string(info.name), ": expected ", ir::ArgumentsTaken(info), " operands, found ",
                        args.size(), forms);
  size_t next = 0;
  auto wrong = [&](size_t argument, const std::string& expected) {
    return absl::StrCat(std::string(info.name), ": operand ", argument + 1, ": expected ", expected, ", found `",
                        ir::Print(args[argument]), "`", forms);
  };
  for (char operand : info.operands) {
    const size_t last = operand == '*' ? args.size() : next + 1;
    switch (operand) {
      case 't':
        if (args[next]->kind != ExprKind::kVar || !args[next]->type.tile) return wrong(next, "a tensor's name");
        if (!IsIndex(args[next + 1])) return wrong(next + 1, "the index of an element");
        ++next;
        break;
      case 'm':
        if (args[next]->kind != ExprKind::kVar) return wrong(next, "a tensor map's name");
        break;
      case 'c': {
        args[next] = Simplify(args[next], facts);
        int64_t value;
        if (!IsConst(args[next], &value)) return wrong(next, "an integer constant");
        if (std::string taken = ir::ConstantsTaken(info.id, next, value); !taken.empty()) return wrong(next, taken);
        break;
      }
      case 'b':
        args[next] = Simplify(args[next], facts);
        if (args[next]->kind != ExprKind::kBool) return wrong(next, "true or false");
        break;
      case 'f':
        if (args[next]->type.tile) return wrong(next, "a scalar value");
        break;
      default:
        // i, and the rest of them behind a star, whose first one is the last i's neighbour.
        for (size_t i = next; i < last; ++i)
          if (!IsIndex(args[i])) return wrong(i, "an integer");
        if (operand == '*') return "";
        break;
    }
    ++next;
  }
  return "";
}

}  // namespace kiln
