// The predicates of the copy engine of sm_90 (TMA): copy_async of boxes between a global tensor and shared memory.
#ifndef KILN_COMPILER_RULES_TMA_H_
#define KILN_COMPILER_RULES_TMA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/rules/rule.h"

namespace kiln {

// Conditions: CUDA Driver API, cuTensorMapEncodeTiled; PTX ISA, "cp.async.bulk.tensor".
Verdict TmaApplies(const OpSite& site);
std::vector<LayoutWish> TmaLayouts(const OpSite& site);
Verdict TmaAccepts(const OpSite& site);

// A tile in shared memory as boxes: `rows` x `columns` of its last two dimensions at a time, the rest one by one.
struct TmaBoxes {
  int64_t rows = 1;
  int64_t columns = 1;
  int swizzle = 0;  // Bytes
};
// Nullopt when the tile's layout is none that the engine writes.
std::optional<TmaBoxes> BoxesOf(const Operand& shared, const Facts& facts, std::string* why);

// CTAs that `via tma(multicast = all | MASK)` writes to, as bits; nullopt where it is not asked for. REQUIRES:
// accepted.
std::optional<int64_t> MulticastOf(const Node& op, int64_t ctas);

// Whether the engine reads and writes this tensor at all: strides and base on 16 bytes, the last dimension contiguous.
Verdict TmaTakes(const TensorInfo& global, const Facts& facts);

}  // namespace kiln

#endif  // KILN_COMPILER_RULES_TMA_H_
