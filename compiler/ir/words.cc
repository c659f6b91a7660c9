#include "compiler/ir/words.h"

#include <algorithm>
#include <cstdlib>
#include <numbers>
#include <string>

#include "absl/strings/ascii.h"
#include "compiler/ir/limits.h"

namespace kiln::ir {
namespace {

constexpr std::string_view kReserved[] = {
    "_",      "alloc", "and",   "assert",  "assume", "break", "continue",   "else",     "false",  "for",
    "if",     "in",    "inf",   "inline",  "kernel", "let",   "ln2",        "log2e",    "nan",    "not",
    "op",     "or",    "pi",    "precise", "return", "ring",  "role",       "schedule", "serial", "pipelined",
    "stages", "step",  "store", "true",    "unroll", "var",   "vectorized", "via",      "when",   "while",
};

constexpr std::string_view kBuiltins[] = {
    "cta_id.x", "cta_id.y", "cta_id.z", "cta_rank", "grid.x", "grid.y", "grid.z", "lane_id", "thread_id", "warp_id",
};

constexpr MathFunction kMath[] = {
    {Op::kAbs, "abs", 1},       {Op::kCeil, "ceil", 1},         {Op::kCos, "cos", 1},
    {Op::kErf, "erf", 1, true}, {Op::kExp, "exp", 1, true},     {Op::kExp2, "exp2", 1, true},
    {Op::kFloor, "floor", 1},   {Op::kFma, "fma", 3},           {Op::kIsNan, "isnan", 1},
    {Op::kLog, "log", 1, true}, {Op::kLog2, "log2", 1, true},   {Op::kPow, "pow", 2},
    {Op::kRound, "round", 1},   {Op::kRsqrt, "rsqrt", 1, true}, {Op::kSin, "sin", 1},
    {Op::kSqrt, "sqrt", 1},     {Op::kTanh, "tanh", 1, true},
};

constexpr BinaryOperator kBinary[] = {
    {Op::kOr, "or", kPrecedenceOr},
    {Op::kAnd, "and", kPrecedenceAnd},
    {Op::kEq, "==", kPrecedenceCompare},
    {Op::kNe, "!=", kPrecedenceCompare},
    {Op::kLt, "<", kPrecedenceCompare},
    {Op::kLe, "<=", kPrecedenceCompare},
    {Op::kGt, ">", kPrecedenceCompare},
    {Op::kGe, ">=", kPrecedenceCompare},
    {Op::kBitOr, "|", 5},
    {Op::kBitXor, "^", 6},
    {Op::kBitAnd, "&", 7},
    {Op::kShl, "<<", 8},
    {Op::kShr, ">>", 8},
    {Op::kAdd, "+", kPrecedenceAdd},
    {Op::kSub, "-", kPrecedenceAdd},
    {Op::kMul, "*", 10},
    {Op::kDiv, "/", 10},
    {Op::kMod, "%", 10},
    {Op::kMin, "min", 0},
    {Op::kMax, "max", 0},
    {Op::kCeilDiv, "ceildiv", 0},
};

constexpr NamedConstant kConstants[] = {
    {"pi", std::numbers::pi}, {"log2e", std::numbers::log2e}, {"ln2", std::numbers::ln2}};

constexpr std::string_view kTeams[] = {"", "thread", "warp", "warpgroup", "cta", "cluster"};
constexpr std::string_view kSpaces[] = {"", "global", "shared", "shared.dyn", "local", "tmem", "sbuf", "psum"};
constexpr std::string_view kLoops[] = {"serial", "unroll", "vectorized", "pipelined"};

constexpr std::string_view kOrders[] = {"row", "column", "grouped", "serpentine"};

constexpr std::string_view kOtherFunctions[] = {"broadcast", "ceildiv", "dim",  "index", "load",
                                                "max",       "min",     "ramp", "select"};

template <typename Table>
bool Contains(const Table& table, std::string_view word) {
  return std::find(std::begin(table), std::end(table), word) != std::end(table);
}

}  // namespace

bool IsReserved(std::string_view word) {
  return Contains(kReserved, word) || ParseDType(word).has_value() || FindTeam(word) != Team::kNone;
}

bool IsName(std::string_view word) {
  if (word.empty() || word.size() > kMaxNameBytes || absl::ascii_isdigit(static_cast<unsigned char>(word[0])))
    return false;
  for (char c : word)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return !IsReserved(word);
}

std::span<const std::string_view> Builtins() { return kBuiltins; }
bool IsBuiltin(std::string_view name) { return Contains(kBuiltins, name); }

bool SplitStride(std::string_view name, std::string_view* param, int* dimension) {
  size_t dot = name.find('.');
  if (dot == std::string_view::npos) return false;
  std::string_view digits = name.substr(dot + 1);
  if (!digits.starts_with("stride")) return false;
  digits.remove_prefix(6);
  // One spelling a dimension: `stride01` and `stride+1` are none.
  if (digits.empty() || digits.size() > 2 || (digits.size() == 2 && digits[0] == '0')) return false;
  if (!std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return absl::ascii_isdigit(c); })) return false;
  *param = name.substr(0, dot);
  *dimension = std::atoi(std::string(digits).c_str());
  return true;
}

std::span<const MathFunction> MathFunctions() { return kMath; }

const MathFunction* FindMath(std::string_view name) {
  for (const MathFunction& function : kMath)
    if (function.name == name) return &function;
  return nullptr;
}

const MathFunction* FindMath(Op op) {
  for (const MathFunction& function : kMath)
    if (function.op == op) return &function;
  return nullptr;
}

const BinaryOperator* FindBinary(std::string_view text) {
  for (const BinaryOperator& row : kBinary)
    if (row.text == text && row.precedence > 0) return &row;
  return nullptr;
}

const BinaryOperator* FindBinary(Op op) {
  for (const BinaryOperator& row : kBinary)
    if (row.op == op) return &row;
  return nullptr;
}

std::span<const NamedConstant> NamedConstants() { return kConstants; }

std::string_view Name(Team team) { return kTeams[static_cast<size_t>(team)]; }

Team FindTeam(std::string_view name) {
  for (size_t i = 1; i < std::size(kTeams); ++i)
    if (kTeams[i] == name) return static_cast<Team>(i);
  return Team::kNone;
}

std::string_view Name(Space space) { return kSpaces[static_cast<size_t>(space)]; }
std::string_view Name(TileOrder order) { return kOrders[static_cast<size_t>(order)]; }
std::span<const std::string_view> TileOrders() { return kOrders; }
std::string_view Name(LoopKind loop) { return kLoops[static_cast<size_t>(loop)]; }

bool IsFunction(std::string_view name) {
  return Contains(kOtherFunctions, name) || FindMath(name) != nullptr || ParseDType(name).has_value();
}

std::vector<std::string_view> FunctionNames() {
  std::vector<std::string_view> names(std::begin(kOtherFunctions), std::end(kOtherFunctions));
  for (const MathFunction& function : kMath) names.push_back(function.name);
  return names;
}

}  // namespace kiln::ir
