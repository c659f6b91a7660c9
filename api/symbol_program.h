// An integer expression over a kernel's symbols, made ready to be evaluated on every launch: no allocation, 64 bits,
// overflow noticed.
//
//   KILN_ASSIGN_OR_RETURN(SymbolProgram p, SymbolProgram::Compile(expr, {"M", "N"}));
//   std::optional<int64_t> value = p.Evaluate(symbol_values);
#ifndef KILN_API_SYMBOL_PROGRAM_H_
#define KILN_API_SYMBOL_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/expr/expr.h"

namespace kiln::api {

class SymbolProgram {
 public:
  static constexpr int kMaxDepth = 16;

  SymbolProgram() = default;

  // `names[i]` is symbol i. InvalidArgument: another name, or something that is no integer arithmetic, or too deep.
  static absl::StatusOr<SymbolProgram> Compile(const Expr& expr, const std::vector<std::string>& names);

  // Nothing on overflow and on a division by zero. Comparisons and logic give 0 or 1.
  std::optional<int64_t> Evaluate(const int64_t* symbols) const;

  // The highest symbol read, -1 when none is.
  int MaxSymbol() const;

 private:
  struct Step {
    enum class Kind : uint8_t { kConst, kSymbol, kOp };
    Kind kind = Kind::kConst;
    Op op = Op::kNone;
    int64_t value = 0;  // The constant, or the symbol's index
  };

  std::vector<Step> steps_;  // Postfix
};

}  // namespace kiln::api

#endif  // KILN_API_SYMBOL_PROGRAM_H_
