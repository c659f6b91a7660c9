#include "runtime/cpu/launch.h"

#include <algorithm>
#include <atomic>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kiln/internal/status_macros.h"
#include "runtime/cpu/float_mode.h"

namespace kiln::runtime::cpu {
namespace {

// Ranges are this many times more than threads, so that a slow thread holds up little.
constexpr int64_t kRangesPerThread = 8;

struct Grid {
  EntryPoint entry;
  const uint64_t* params;
  const int64_t* extent;
  ScratchPool* scratch;
  int64_t scratch_bytes;
  std::atomic<bool> out_of_memory{false};
};

// CTAs [begin, end) in order, x innermost.
void RunRange(void* context, int64_t begin, int64_t end) {
  Grid& grid = *static_cast<Grid*>(context);
  FloatMode mode;
  ScratchLease scratch(*grid.scratch, grid.scratch_bytes);
  if (!scratch.data()) {
    grid.out_of_memory.store(true, std::memory_order_relaxed);
    return;
  }
  int64_t x = begin % grid.extent[0];
  int64_t y = begin / grid.extent[0] % grid.extent[1];
  int64_t z = begin / grid.extent[0] / grid.extent[1];
  for (int64_t i = begin; i < end; ++i) {
    grid.entry(grid.params, x, y, z, scratch.data());
    if (++x < grid.extent[0]) continue;
    x = 0;
    if (++y < grid.extent[1]) continue;
    y = 0;
    ++z;
  }
}

}  // namespace

absl::Status CpuKernel::Launch(void* /*stream*/, absl::Span<const Arg> args) const {
  if (args.size() != arg_count_)
    return absl::InvalidArgumentError(
        absl::StrCat("launch: kernel \"", kernel_, "\": expected ", arg_count_, " arguments, found ", args.size()));
  ResolvedLaunch launch;
  KILN_RETURN_IF_ERROR(recipe_.Evaluate(args, shared_->limits, &launch));
  if (launch.empty()) return absl::OkStatus();
  if (launch.count + 3 > kMaxNativeParams)
    return absl::InternalError(
        absl::StrCat("launch: expected at most ", kMaxNativeParams - 3, " native arguments, found ", launch.count));
  for (int64_t extent : launch.grid) launch.params[launch.count++] = static_cast<uint64_t>(extent);
  Grid grid{module_->entry(), launch.params, launch.grid, &shared_->scratch, recipe_.recipe().scratch_bytes};
  int64_t count = launch.grid[0] * launch.grid[1] * launch.grid[2];
  int64_t width = std::max(1, shared_->parallel->width());
  int64_t grain = std::max<int64_t>(1, count / (width * kRangesPerThread));
  shared_->parallel->For(count, grain, &RunRange, &grid);
  if (grid.out_of_memory)
    return absl::ResourceExhaustedError(
        absl::StrCat("launch: no memory for a worker's scratch of ", recipe_.recipe().scratch_bytes, " bytes"));
  return absl::OkStatus();
}

}  // namespace kiln::runtime::cpu
