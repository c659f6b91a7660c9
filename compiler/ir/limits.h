// Bounds on what Kiln reads. The text parser and the decoder hold to the same ones, so that whatever has one spelling
// has the other, and so that no input can exhaust the stack, the memory or the time of a walk.
#ifndef KILN_COMPILER_IR_LIMITS_H_
#define KILN_COMPILER_IR_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace kiln::ir {

inline constexpr size_t kMaxTextBytes = size_t{16} << 20;
inline constexpr size_t kMaxWireBytes = size_t{4} << 20;  // Two bytes of protobuf can take a hundred once they are read
inline constexpr int64_t kMaxNodes = 1 << 18;       // Expression nodes of a module; a shared one counts at every use
inline constexpr int64_t kMaxStatements = 1 << 16;  // Of a module
inline constexpr int kMaxHeight = 256;              // Of one expression
inline constexpr int kMaxNesting = 64;              // Of blocks
inline constexpr size_t kMaxRank = 16;              // Of a tensor or tile
inline constexpr size_t kMaxList = 4096;            // Arguments, parameters, candidates, members: any other list
inline constexpr int64_t kMaxLanes = 4096;          // Of a native vector
inline constexpr size_t kMaxAttrs = 64;             // Named arguments of one call
inline constexpr size_t kMaxNameBytes = 128;
inline constexpr size_t kMaxStringBytes = 4096;  // A message, a comment, a layout

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_LIMITS_H_
