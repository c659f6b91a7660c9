// Bytes to IR: the inverse of Encode.
//
// The bytes may come from anywhere. Decode takes no module that Parse could not have given: it bounds every count,
// length and height (limits.h), checks every index, kind, operator and dtype, and says which of them is wrong. Whether
// the module makes sense is then Verify's question, as it is for text.
#ifndef KILN_COMPILER_IR_DECODE_H_
#define KILN_COMPILER_IR_DECODE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "compiler/ir/kernel.h"

namespace kiln::ir {

// Errors: InvalidArgument, "decode: node 5 (binary): expected 2 arguments, found 3".
absl::StatusOr<Module> Decode(std::string_view bytes);

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_DECODE_H_
