// IR to bytes (kiln_ir.proto, docs/ir.md).
#ifndef KILN_COMPILER_IR_ENCODE_H_
#define KILN_COMPILER_IR_ENCODE_H_

#include <string>

#include "compiler/ir/kernel.h"

namespace kiln::ir {

struct EncodeOptions {
  // Also the side table: places in the source text, for errors, and the comments of lowered kernels. Bytes for a
  // digest leave it out.
  bool positions = true;
};

// The same module gives the same bytes, and so do modules that differ in places, comments, types or in which of their
// nodes are shared. REQUIRES: a module as Parse, Decode or the compiler's stages make it.
std::string Encode(const Module& module, EncodeOptions options = {});

// The version that Encode writes, and the highest that Decode reads.
inline constexpr unsigned kWireVersion = 1;

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_ENCODE_H_
