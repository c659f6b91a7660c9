// The small device functions that emitted CUDA C++ may call: types, conversions, packed registers, matrix and copy
// instructions. No CUDA header is needed; a kernel carries the pieces it uses and what those need, in a fixed order.
#ifndef KILN_COMPILER_CODEGEN_CUDA_PRELUDE_H_
#define KILN_COMPILER_CODEGEN_CUDA_PRELUDE_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kiln/internal/target.h"

namespace kiln::cuda {

class Prelude {
 public:
  explicit Prelude(const Target& target) : target_(target) {}

  // Marks a piece, and all that it needs, as used. REQUIRES: there is a piece of that name.
  void Use(std::string_view piece);

  // A function written for this kernel, `text`, under its name; once.
  void Define(const std::string& name, std::string text) { defined_.emplace(name, std::move(text)); }

  // The pieces used, in the order of the table, each before those that need it; then what is defined.
  std::string Text() const;

  // Whether any piece declares or calls `name`; a kernel's own names keep clear of them all.
  static bool Defines(std::string_view name);
  static bool HasPiece(std::string_view piece);

 private:
  const Target& target_;
  std::set<std::string_view> used_;
  std::map<std::string, std::string> defined_;
};

}  // namespace kiln::cuda

#endif  // KILN_COMPILER_CODEGEN_CUDA_PRELUDE_H_
