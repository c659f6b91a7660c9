// Names for what the compiler declares.
#ifndef KILN_COMPILER_SPECIALIZE_FRESH_NAMES_H_
#define KILN_COMPILER_SPECIALIZE_FRESH_NAMES_H_

#include <set>
#include <string>

#include "compiler/ir/kernel.h"

namespace kiln {

class FreshNames {
 public:
  // None that is in `kernel`.
  explicit FreshNames(const ir::Kernel& kernel);

  // `stem`, or the first of `stem_1`, `stem_2`, ... that nothing has yet.
  std::string Fresh(const std::string& stem);

 private:
  std::set<std::string> taken_;
};

}  // namespace kiln

#endif  // KILN_COMPILER_SPECIALIZE_FRESH_NAMES_H_
