// The named axes a layout maps to: memory places, threads at every scope, devices.
//
// The table is closed: a name that is not in it is an error that names the nearest known one. Aliases are accepted on
// input; printing and comparing use the canonical name.
#ifndef KILN_COMPILER_LAYOUT_AXIS_H_
#define KILN_COMPILER_LAYOUT_AXIS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"

namespace kiln::layout {

// The order is the order in which offsets and replicas print and sort.
enum class Axis : uint8_t {
  kM,
  kLaneId,
  kWarpId,
  kWidInWg,
  kWgId,
  kTidInWg,
  kTid,
  kBx,
  kBy,
  kBz,
  kCbx,
  kCby,
  kCbz,
  kCtaId,
  kGpu,
  kTLane,
  kTCol,
  kP,
  kF,
  kBank,
};
inline constexpr int kAxisCount = 20;

enum class AxisKind : uint8_t { kMemory, kThread, kDevice };

// Groups of threads, from the smallest to the largest.
enum class Scope : uint8_t { kThread, kWarp, kWarpgroup, kCta, kCluster, kGrid };

struct AxisInfo {
  Axis axis;
  std::string_view name;
  std::string_view alias;  // Empty: none.
  AxisKind kind;
  Scope unit;   // What a thread axis counts; kThread and meaningless on other kinds.
  Scope scope;  // Where it counts them.
};

const std::array<AxisInfo, kAxisCount>& AxisTableRows();
const AxisInfo& InfoOf(Axis axis);
inline std::string_view Name(Axis axis) { return InfoOf(axis).name; }
inline bool IsMemory(Axis axis) { return InfoOf(axis).kind == AxisKind::kMemory; }
inline bool IsThread(Axis axis) { return InfoOf(axis).kind == AxisKind::kThread; }

std::string_view Name(Scope scope);

// By canonical name or alias.
std::optional<Axis> FindAxis(std::string_view name);

// As FindAxis; the error names the nearest known axis.
absl::StatusOr<Axis> ParseAxis(std::string_view name);

// How a target's thread axes combine: laneid and warpid into tid, and so on. Passed to every operation that may rewrite
// thread axes, so that no result depends on an ambient target.
class AxisTable {
 public:
  // Rewrites nothing.
  static AxisTable None() { return AxisTable(0, 0); }
  // 32 lanes a warp, 4 warps a warpgroup.
  static AxisTable Cuda() { return AxisTable(32, 4); }

  bool fuses() const { return lanes_per_warp_ != 0; }

  // The axis that counts `unit`s in a `scope`, where this table fuses into it: (thread, warpgroup), (thread, cta) and
  // (warp, cta).
  std::optional<Axis> Fused(Scope unit, Scope scope) const;

  // The axis of that unit and scope among those that split a fused one: laneid, wid_in_wg, warpid, wgid, tid_in_wg,
  // tid.
  std::optional<Axis> Part(Scope unit, Scope scope) const;

  // How many `small` make one `large`, where the target fixes it (thread, warp, warpgroup).
  std::optional<int64_t> UnitsPer(Scope large, Scope small) const;

 private:
  AxisTable(int64_t lanes_per_warp, int64_t warps_per_warpgroup)
      : lanes_per_warp_(lanes_per_warp), warps_per_warpgroup_(warps_per_warpgroup) {}

  int64_t lanes_per_warp_;
  int64_t warps_per_warpgroup_;
};

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_AXIS_H_
