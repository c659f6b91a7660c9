// Datapaths, operands and scale factors in tensor memory.
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "compiler/layout/canonicalize.h"
#include "compiler/layout/direct_sum.h"
#include "compiler/layout/error.h"
#include "compiler/layout/tmem.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

struct Datapath {
  char letter;
  int64_t rows;
  int64_t banks;   // Column blocks that lie in lanes above one another.
  bool scattered;  // Rows in 16 lanes of each 32.
};

constexpr Datapath kDatapaths[] = {
    {'A', 128, 1, false}, {'B', 64, 2, false}, {'C', 64, 1, true},  {'D', 128, 1, false},
    {'E', 64, 2, false},  {'F', 64, 1, true},  {'G', 32, 4, false},
};

const Datapath* Find(char letter) {
  for (const Datapath& datapath : kDatapaths) {
    if (datapath.letter == letter) return &datapath;
  }
  return nullptr;
}

absl::StatusOr<TileLayout> Canonical(std::vector<Iter> shard, std::vector<Iter> replica = {}) {
  KILN_ASSIGN_OR_RETURN(const TileLayout layout, TileLayout::Make(std::move(shard), std::move(replica)));
  return Canonicalize(layout, AxisTable::None());
}

absl::Status WrongShape(char operand, char datapath, const std::vector<int64_t>& shape, std::string_view expected) {
  return Error("tmem operand", "operand ", std::string(1, operand), " in datapath ", std::string(1, datapath),
               ": expected ", expected, ", got (", absl::StrJoin(shape, ", "), ")");
}

// (rows, 2 banks of columns) in any of the spellings; `lanes` rows.
absl::StatusOr<TileLayout> BankedAccumulator(char datapath, int64_t lanes, const std::vector<int64_t>& shape) {
  const Iter bank = {2, 64, Axis::kTLane};
  if (shape.size() == 3 && shape[0] == 2 && shape[1] == lanes) {
    return Canonical({bank, {lanes, 1, Axis::kTLane}, {shape[2], 1, Axis::kTCol}});
  }
  if (shape.size() == 3 && shape[0] == lanes && shape[1] == 2) {
    return Canonical({{lanes, 1, Axis::kTLane}, bank, {shape[2], 1, Axis::kTCol}});
  }
  if (shape.size() == 4 && shape[0] == lanes && shape[2] == 2) {
    return Canonical({{lanes, 1, Axis::kTLane}, {shape[1], shape[3], Axis::kTCol}, bank, {shape[3], 1, Axis::kTCol}});
  }
  return WrongShape('D', datapath, shape, "(64, N), (2, 64, N/2), (64, 2, N/2) or (64, s, 2, n)");
}

absl::StatusOr<TileLayout> Accumulator(const Datapath& datapath, const std::vector<int64_t>& shape,
                                       const std::vector<int64_t>& group) {
  if (!group.empty()) {
    if (datapath.banks != 2) {
      return Error("tmem operand", "a column group needs datapath B or E, got ", std::string(1, datapath.letter));
    }
    if (group.size() != 3 || group[1] != 2 || shape.size() != 2) {
      return Error("tmem operand", "expected a group (s, 2, n) over a shape (m, N), got (", absl::StrJoin(group, ", "),
                   ") over (", absl::StrJoin(shape, ", "), ")");
    }
    if (!(Extent(group[0]) * group[1] * group[2] == Extent(shape[1]))) {
      return Error("tmem operand", "the group (", absl::StrJoin(group, ", "), ") does not make up ", shape[1],
                   " columns");
    }
    return BankedAccumulator(datapath.letter, datapath.rows, {shape[0], group[0], 2, group[2]});
  }
  if (shape.size() == 2) {
    KILN_ASSIGN_OR_RETURN(const TileLayout layout, TmemDatapath(datapath.letter, shape[0], shape[1]));
    return Canonicalize(layout, AxisTable::None());
  }
  if (datapath.banks == 2) return BankedAccumulator(datapath.letter, datapath.rows, shape);
  return WrongShape('D', datapath.letter, shape, "(m, N)");
}

absl::StatusOr<TileLayout> OperandA(const Datapath& datapath, const std::vector<int64_t>& shape) {
  const bool flat = shape.size() == 2 && shape[0] == datapath.rows;
  const bool banked = datapath.banks == 2 && shape.size() == 3 && shape[0] == 2 && shape[1] == datapath.rows;
  if (banked) {
    return Canonical({{2, 64, Axis::kTLane}, {datapath.rows, 1, Axis::kTLane}, {shape[2], 1, Axis::kTCol}});
  }
  // E reads a second half of its own, which a flat operand does not have.
  if (!flat || datapath.letter == 'E') {
    return WrongShape('A', datapath.letter, shape,
                      datapath.banks == 2 ? (datapath.letter == 'E' ? "(2, 64, K)" : "(64, K) or (2, 64, K)")
                                          : "two dimensions (m, K)");
  }
  std::vector<Iter> copies;
  if (datapath.banks == 2) copies.push_back({2, 64, Axis::kTLane});
  return Canonical({{datapath.rows, 1, Axis::kTLane}, {shape[1], 1, Axis::kTCol}}, std::move(copies));
}

}  // namespace

absl::StatusOr<TileLayout> TmemDatapath(char letter, int64_t rows, int64_t cols, int64_t sub_slab) {
  const Datapath* const datapath = Find(letter);
  if (datapath == nullptr) {
    return Error("tmem datapath", "expected a datapath A to G, got '", std::string(1, letter), "'");
  }
  const std::string name(1, letter);
  if (rows != datapath->rows) {
    return Error("tmem datapath", name, " has ", datapath->rows, " rows, got ", rows);
  }
  if (cols < 1 || cols % datapath->banks != 0) {
    return Error("tmem datapath", name, " needs columns in a multiple of ", datapath->banks, ", got ", cols);
  }
  if (sub_slab < 0 || sub_slab > (datapath->scattered ? 1 : 0)) {
    return Error("tmem datapath", name, datapath->scattered ? " has sub slabs 0 and 1" : " has no sub slabs but 0",
                 ", got ", sub_slab);
  }
  if (datapath->scattered) {
    Offset offset;
    if (sub_slab == 1) offset[Axis::kTLane] = 16;
    return TileLayout::Make({{4, 32, Axis::kTLane}, {16, 1, Axis::kTLane}, {cols, 1, Axis::kTCol}}, {},
                            std::move(offset));
  }
  if (datapath->banks == 1) return TileLayout::Make({{rows, 1, Axis::kTLane}, {cols, 1, Axis::kTCol}});
  return TileLayout::Make(
      {{rows, 1, Axis::kTLane}, {datapath->banks, rows, Axis::kTLane}, {cols / datapath->banks, 1, Axis::kTCol}});
}

absl::StatusOr<char> MmaDatapath(const TmemMma& mma) {
  if (mma.cta_group == 1 && mma.m == 128 && !mma.ws) return 'D';
  if (mma.cta_group == 1 && mma.m == 64) return mma.ws ? 'E' : 'F';
  if (mma.cta_group == 1 && mma.m == 32 && mma.ws) return 'G';
  if (mma.cta_group == 2 && mma.m == 256 && !mma.ws) return 'A';
  if (mma.cta_group == 2 && mma.m == 128 && !mma.ws) return 'B';
  return Error("tmem operand", "no datapath for M = ", mma.m, " in a group of ", mma.cta_group, " CTAs",
               mma.ws ? ", weight stationary" : "",
               "; expected 128 or 64 alone, 64 or 32 weight stationary, 256 or 128 in a pair");
}

absl::StatusOr<TileLayout> TmemMmaOperand(char operand, const std::vector<int64_t>& shape, const TmemMma& mma,
                                          const std::vector<int64_t>& group) {
  KILN_ASSIGN_OR_RETURN(const char letter, MmaDatapath(mma));
  const Datapath& datapath = *Find(letter);
  if (operand == 'D') return Accumulator(datapath, shape, group);
  if (operand == 'A' && group.empty()) return OperandA(datapath, shape);
  return Error("tmem operand", "expected operand A without a group, or D, got '", std::string(1, operand), "'");
}

absl::StatusOr<TileLayout> ScaleFactors(int64_t rows, int64_t scales, int64_t per_mma) {
  if (rows < 32 || rows % 32 != 0) return Error("scale factors", "rows must be a multiple of 32, got ", rows);
  if (per_mma != 1 && per_mma != 2 && per_mma != 4) {
    return Error("scale factors", "expected 1, 2 or 4 for one instruction, got ", per_mma);
  }
  if (scales < 1 || scales % per_mma != 0) {
    return Error("scale factors", scales, " along k is not a multiple of the ", per_mma, " for one instruction");
  }
  KILN_ASSIGN_OR_RETURN(const TileLayout atom,
                        TileLayout::Make({{32, 1, Axis::kTLane}, {per_mma, 1, Axis::kTCol}}, {{4, 32, Axis::kTLane}}));
  const int64_t blocks = rows / 32;
  const int64_t steps = scales / per_mma;
  // As many instructions' factors as share a cell of four; a step that no power of two divides gets a cell of its own.
  int64_t packed = 4 / per_mma;
  while (steps % packed != 0) packed /= 2;
  KILN_ASSIGN_OR_RETURN(const TileLayout outer, TileLayout::Make({{blocks, 4, Axis::kTCol},
                                                                  {steps / packed, 4 * blocks, Axis::kTCol},
                                                                  {packed, per_mma, Axis::kTCol}}));
  KILN_ASSIGN_OR_RETURN(const Layout sum, DirectSum(outer, atom, {blocks, steps}, {32, per_mma}, AxisTable::None()));
  return *sum.tile_if();
}

}  // namespace kiln::layout
