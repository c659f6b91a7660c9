// What a memory access through a layout costs: vector width, shared-memory banks, global sectors.
#ifndef KILN_COMPILER_LAYOUT_ACCESS_H_
#define KILN_COMPILER_LAYOUT_ACCESS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/layout/layout.h"

namespace kiln::layout {

// The most neighbouring coordinates, in elements, that every aligned run of so many sends to neighbouring addresses on
// m, the first of them a multiple of the run; `alignment` is what the base is aligned to, in elements. Symbols count by
// the constants that divide them. 1 where nothing more is provable.
int64_t MaxVector(const Layout& layout, int64_t alignment);

// One instruction of a warp: the byte address of each active lane, and the bytes it moves there.
struct WarpAccess {
  std::vector<int64_t> addresses;
  int64_t bytes = 4;
};

// The first access of warp 0 when threads move tiles between registers and memory: `registers` sends a coordinate to a
// lane and slot, `memory` to an address on m. Lane l touches the element of its slot `slot`, and the `vector` - 1 after
// it in memory. Errors: symbols, sizes that differ, more than 2^20 elements, a vector of less than a byte, no lane with
// the slot.
absl::StatusOr<WarpAccess> AccessOf(const Layout& memory, const TileLayout& registers, int64_t slot, int64_t vector,
                                    int64_t element_bits);

struct BankUse {
  int64_t transactions = 0;  // 128-byte shared-memory cycles that the access takes.
  int64_t ideal = 0;         // With no two words of one bank in a cycle.
  bool conflict_free() const { return transactions <= ideal; }
};

// 32 banks of 4 bytes. Lanes go in order, as many as fill 128 bytes at a time; a word read by several counts once.
BankUse BankConflicts(const WarpAccess& access);

struct Coalescing {
  int64_t used_bytes = 0;   // Each byte once.
  int64_t moved_bytes = 0;  // Whole 32-byte sectors.
  int64_t sectors = 0;
};

// The global memory traffic of the access.
Coalescing CoalescedBytes(const WarpAccess& access);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_ACCESS_H_
