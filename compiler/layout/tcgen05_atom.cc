// The register tiles of tcgen05.ld and tcgen05.st.
#include <utility>

#include "compiler/layout/error.h"
#include "compiler/layout/tmem.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

// One instruction shape, in 32-bit cells, for the 16 rows that a warp reads at once.
struct Atom {
  std::string_view shape;
  int64_t cols;         // Columns of one repetition.
  int64_t slots;        // Registers of one repetition in a lane.
  int64_t max_repeats;  // Powers of two up to here.
  Iter half;            // Rows 8..15.
  int64_t repeat_stride;
  Iter lanes;  // Columns over lanes.
  bool pair;   // Two columns in one lane.
};

const Atom kAtoms[] = {
    {"16x64b", 2, 1, 128, {2, 1, Axis::kLaneId}, 1, {2, 2, Axis::kLaneId}, false},
    {"16x128b", 4, 2, 64, {2, 1, Axis::kM}, 2, {4, 1, Axis::kLaneId}, false},
    {"16x256b", 8, 4, 32, {2, 2, Axis::kM}, 4, {4, 1, Axis::kLaneId}, true},
};

absl::Status CheckRepeats(std::string_view shape, int64_t cols, int64_t cols_a_repeat, int64_t max_repeats) {
  const int64_t repeats = cols / cols_a_repeat;
  if (cols > 0 && cols % cols_a_repeat == 0 && repeats <= max_repeats && (repeats & (repeats - 1)) == 0) {
    return absl::OkStatus();
  }
  return Error("tcgen05 atom", shape, " takes columns in ", cols_a_repeat, " times a power of two up to ", max_repeats,
               ", got ", cols);
}

absl::StatusOr<TileLayout> RowAtom(int64_t rows, int64_t cols, int64_t element_bits) {
  if (rows == 128) {
    KILN_RETURN_IF_ERROR(CheckRepeats("32x32b", cols, 32 / element_bits, 128));
    return TileLayout::Make({{128, 1, Axis::kTidInWg}, {cols, 1, Axis::kM}});
  }
  // 64 rows: the image of datapath B, whose second half of the columns lies in the upper 64 lanes.
  if (rows != 64) return Error("tcgen05 atom", "32x32b has 64 or 128 rows, got ", rows);
  if (element_bits != 32) {
    return Error("tcgen05 atom", "32x32b with 64 rows takes 32-bit elements, got ", element_bits, " bits");
  }
  KILN_RETURN_IF_ERROR(CheckRepeats("32x32b with 64 rows", cols, 2, 128));
  return TileLayout::Make({{64, 1, Axis::kTidInWg}, {2, 64, Axis::kTidInWg}, {cols / 2, 1, Axis::kM}});
}

}  // namespace

absl::StatusOr<TileLayout> Tcgen05Atom(std::string_view instruction_shape, int64_t rows, int64_t cols,
                                       int64_t element_bits) {
  if (element_bits != 16 && element_bits != 32) {
    return Error("tcgen05 atom", "expected elements of 16 or 32 bits, got ", element_bits);
  }
  if (instruction_shape == "32x32b") return RowAtom(rows, cols, element_bits);
  const Atom* atom = nullptr;
  for (const Atom& each : kAtoms) {
    if (each.shape == instruction_shape) atom = &each;
  }
  if (atom == nullptr) {
    return Error("tcgen05 atom", "expected 32x32b, 16x64b, 16x128b or 16x256b, got \"", instruction_shape.substr(0, 32),
                 "\"");
  }
  if (rows != 64 && rows != 128) return Error("tcgen05 atom", instruction_shape, " has 64 or 128 rows, got ", rows);
  const int64_t packed = 32 / element_bits;
  KILN_RETURN_IF_ERROR(CheckRepeats(instruction_shape, cols, atom->cols * packed, atom->max_repeats));
  const int64_t repeats = cols / (atom->cols * packed);

  std::vector<Iter> shard = {{4, 1, Axis::kWidInWg}};
  // 128 rows are two issues, whose registers follow each other.
  if (rows == 128) shard.push_back({2, atom->slots * repeats, Axis::kM});
  shard.push_back(atom->half);
  shard.push_back({8, 4, Axis::kLaneId});
  shard.push_back({repeats, atom->repeat_stride, Axis::kM});
  shard.push_back(atom->lanes);
  if (atom->pair) shard.push_back({2, 1, Axis::kM});
  if (packed > 1) {
    for (Iter& iter : shard) {
      if (iter.axis == Axis::kM) iter.stride *= packed;
    }
    shard.push_back({packed, 1, Axis::kM});
  }
  return TileLayout::Make(std::move(shard));
}

}  // namespace kiln::layout
