// The words of the language: what no declaration may take, what names itself, and the tables of functions.
// Parser, printer, decoder and verifier read the same tables.
#ifndef KILN_COMPILER_IR_WORDS_H_
#define KILN_COMPILER_IR_WORDS_H_

#include <span>
#include <string_view>
#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

// Keywords, dtype names, team names and constants: never a name of anything.
bool IsReserved(std::string_view word);

// Letters, digits and '_', not starting with a digit, not reserved, at most kMaxNameBytes.
bool IsName(std::string_view word);

// `cta_id.x`, `thread_id`, ...: i64 values every kernel sees.
std::span<const std::string_view> Builtins();
bool IsBuiltin(std::string_view name);

// `x.stride0`: the parameter and the dimension; false when `name` has not that form.
bool SplitStride(std::string_view name, std::string_view* param, int* dimension);

// kMath.
struct MathFunction {
  Op op;
  std::string_view name;
  int operands;
  bool precise = false;  // `precise.NAME` is a function too
};
std::span<const MathFunction> MathFunctions();
const MathFunction* FindMath(std::string_view name);
const MathFunction* FindMath(Op op);

// kBinary operators; `precedence` 0 = spelled as a function.
struct BinaryOperator {
  Op op;
  std::string_view text;
  int precedence;
};
inline constexpr int kPrecedenceOr = 1, kPrecedenceAnd = 2, kPrecedenceNot = 3, kPrecedenceCompare = 4,
                     kPrecedenceAdd = 9, kPrecedenceUnary = 11, kPrecedencePostfix = 12, kPrecedencePrimary = 13;
const BinaryOperator* FindBinary(std::string_view text);
const BinaryOperator* FindBinary(Op op);

// Floats with a name: pi, log2e, ln2. (inf and nan are literals.)
struct NamedConstant {
  std::string_view name;
  double value;
};
std::span<const NamedConstant> NamedConstants();

std::string_view Name(Team team);  // "" for kNone
Team FindTeam(std::string_view name);
std::string_view Name(Space space);
std::string_view Name(LoopKind loop);
std::string_view Name(TileOrder order);
std::span<const std::string_view> TileOrders();  // By value
// What a role's body knows of its threads: the warpgroup's place in the role, and whether a warp is the role's first.
inline constexpr std::string_view kRoleRank = "role_rank";
inline constexpr std::string_view kFirstWarp = "first_warp";

// A function that is not `inline`, an intrinsic or a tile operation: `select`, `load`, `f32`, ...
bool IsFunction(std::string_view name);
std::vector<std::string_view> FunctionNames();

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_WORDS_H_
