// Register layouts of matrix instructions, in closed form (PTX ISA, "Matrix fragments for mma.m16n8k16").
#include <algorithm>
#include <utility>

#include "compiler/rules/rule.h"

namespace kiln {

std::optional<WarpGrid> MmaWarpGrid(int64_t m, int64_t n, int64_t warps, bool rows_in_warp) {
  std::optional<WarpGrid> best;
  int64_t best_cost = 0;
  for (int64_t rows = 1; rows <= warps; ++rows) {
    int64_t cols = warps / rows;
    if (rows * cols != warps || m % (rows * 16) != 0 || n % (cols * 8) != 0) continue;
    if (rows_in_warp && cols != 1) continue;
    // Shared-memory traffic of one k step: each warp reads its rows of a and its columns of b.
    int64_t cost = m / rows + n / cols;
    if (!best || cost < best_cost || (cost == best_cost && rows > best->rows)) {
      best = WarpGrid{rows, cols};
      best_cost = cost;
    }
  }
  return best;
}

Distribution MmaAccumulator(int64_t m, int64_t n, WarpGrid grid) {
  const int64_t warp_m = m / grid.rows, warp_n = n / grid.cols, mt = warp_m / 16, nt = warp_n / 8;
  std::vector<Digit> rows = {{grid.rows, warp_m, grid.cols, DigitAxis::kWarp},
                             {mt, 16, nt * 4, DigitAxis::kSlot},
                             {2, 8, 2, DigitAxis::kSlot},
                             {8, 1, 4, DigitAxis::kLane}};
  std::vector<Digit> cols = {{grid.cols, warp_n, 1, DigitAxis::kWarp},
                             {nt, 8, 4, DigitAxis::kSlot},
                             {4, 2, 1, DigitAxis::kLane},
                             {2, 1, 1, DigitAxis::kSlot}};
  return Canonical({{std::move(rows), std::move(cols)}, {}});
}

Distribution MmaOperandA(int64_t m, int64_t k, WarpGrid grid) {
  // Slot = 8 * (16 x 16 tile) + 4 * (k half) + 2 * (row half) + pair, which is the accumulator's order of 16 x 8 tiles.
  Distribution out = MmaAccumulator(m, k, {grid.rows, 1});
  if (grid.cols > 1) {
    for (Digit& digit : out.dims[0])
      if (digit.axis == DigitAxis::kWarp) digit.stride = grid.cols;
    out.replicas.push_back({grid.cols, 1, 1, DigitAxis::kWarp});
  }
  return Canonical(std::move(out));
}

Distribution WgmmaAccumulator(int64_t m, int64_t n, int64_t warpgroups) {
  const int64_t part = m / warpgroups, mt = part / 64, nt = n / 8;
  std::vector<Digit> rows = {{warpgroups, part, 4, DigitAxis::kWarp},
                             {mt, 64, nt * 4, DigitAxis::kSlot},
                             {4, 16, 1, DigitAxis::kWarp},
                             {2, 8, 2, DigitAxis::kSlot},
                             {8, 1, 4, DigitAxis::kLane}};
  std::vector<Digit> cols = {{nt, 8, 4, DigitAxis::kSlot}, {4, 2, 1, DigitAxis::kLane}, {2, 1, 1, DigitAxis::kSlot}};
  return Canonical({{std::move(rows), std::move(cols)}, {}});
}

Distribution FmaAccumulator(int64_t m, int64_t n, int64_t threads) {
  // Threads in a near-square grid; a thread's columns come in runs of four where they can.
  int64_t cols = 1;
  while (cols * cols < threads && threads % (cols * 2) == 0 && n % (cols * 2) == 0) cols *= 2;
  int64_t rows = threads / cols;
  while (rows > 1 && m % rows != 0) rows /= 2;
  int64_t run = 1;
  while (run < 4 && (n / cols) % (run * 2) == 0) run *= 2;
  Distribution out;
  std::vector<Digit> row_digits, col_digits;
  if (m / rows > 1) row_digits.push_back({m / rows, rows, 0, DigitAxis::kSlot});
  if (rows > 1) row_digits.push_back({rows, 1, cols, DigitAxis::kThread});
  if (n / cols / run > 1) col_digits.push_back({n / cols / run, cols * run, 0, DigitAxis::kSlot});
  if (cols > 1) col_digits.push_back({cols, run, 1, DigitAxis::kThread});
  if (run > 1) col_digits.push_back({run, 1, 0, DigitAxis::kSlot});
  out.dims = {std::move(row_digits), std::move(col_digits)};
  if (rows * cols < threads) out.replicas.push_back({threads / (rows * cols), 1, rows * cols, DigitAxis::kThread});
  return Renumbered(std::move(out));
}

}  // namespace kiln
