// How a module's bytes begin. Encoder and decoder share it; the fields are the first two of wire::Module.
#ifndef KILN_COMPILER_IR_WIRE_MARK_H_
#define KILN_COMPILER_IR_WIRE_MARK_H_

#include <cstdint>
#include <string_view>

#include "compiler/ir/kernel.h"

namespace kiln::ir {

inline constexpr uint32_t kWireMagic = 0x4e4c494b;  // "KILN" in little-endian bytes.
// Field 1 as a fixed32, then the tag of field 2.
inline constexpr std::string_view kWireMark = "\x0dKILN\x10";

inline bool HasBody(StmtKind kind) {
  return kind == StmtKind::kFor || kind == StmtKind::kWhile || kind == StmtKind::kIf || kind == StmtKind::kRing ||
         kind == StmtKind::kRole || kind == StmtKind::kTiles;
}

}  // namespace kiln::ir

#endif  // KILN_COMPILER_IR_WIRE_MARK_H_
