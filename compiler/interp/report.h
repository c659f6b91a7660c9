// How the interpreter's messages spell places and sets of threads.
#ifndef KILN_COMPILER_INTERP_REPORT_H_
#define KILN_COMPILER_INTERP_REPORT_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "compiler/expr/expr.h"

namespace kiln::interp {

// "12:5: ", or nothing where the place is not known.
std::string Place(const Location& at);

// "0, 4..31" of ascending numbers.
std::string Ranges(absl::Span<const int64_t> numbers);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_REPORT_H_
