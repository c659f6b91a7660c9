#include "compiler/layout/axis.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "compiler/layout/error.h"

namespace kiln::layout {
namespace {

constexpr std::array<AxisInfo, kAxisCount> kRows = {{
    {Axis::kM, "m", "reg", AxisKind::kMemory, Scope::kThread, Scope::kThread},
    {Axis::kLaneId, "laneid", "lane", AxisKind::kThread, Scope::kThread, Scope::kWarp},
    {Axis::kWarpId, "warpid", "warp", AxisKind::kThread, Scope::kWarp, Scope::kCta},
    {Axis::kWidInWg, "wid_in_wg", "", AxisKind::kThread, Scope::kWarp, Scope::kWarpgroup},
    {Axis::kWgId, "wgid", "", AxisKind::kThread, Scope::kWarpgroup, Scope::kCta},
    {Axis::kTidInWg, "tid_in_wg", "", AxisKind::kThread, Scope::kThread, Scope::kWarpgroup},
    {Axis::kTid, "tid", "tx", AxisKind::kThread, Scope::kThread, Scope::kCta},
    {Axis::kBx, "bx", "", AxisKind::kThread, Scope::kCta, Scope::kGrid},
    {Axis::kBy, "by", "", AxisKind::kThread, Scope::kCta, Scope::kGrid},
    {Axis::kBz, "bz", "", AxisKind::kThread, Scope::kCta, Scope::kGrid},
    {Axis::kCbx, "cbx", "", AxisKind::kThread, Scope::kCta, Scope::kCluster},
    {Axis::kCby, "cby", "", AxisKind::kThread, Scope::kCta, Scope::kCluster},
    {Axis::kCbz, "cbz", "", AxisKind::kThread, Scope::kCta, Scope::kCluster},
    {Axis::kCtaId, "ctaid", "", AxisKind::kThread, Scope::kCta, Scope::kCluster},
    {Axis::kGpu, "gpu", "", AxisKind::kDevice, Scope::kThread, Scope::kThread},
    {Axis::kTLane, "TLane", "Lane", AxisKind::kMemory, Scope::kThread, Scope::kThread},
    {Axis::kTCol, "TCol", "Col", AxisKind::kMemory, Scope::kThread, Scope::kThread},
    {Axis::kP, "P", "", AxisKind::kMemory, Scope::kThread, Scope::kThread},
    {Axis::kF, "F", "", AxisKind::kMemory, Scope::kThread, Scope::kThread},
    {Axis::kBank, "Bank", "", AxisKind::kMemory, Scope::kThread, Scope::kThread},
}};

// Edit distance with letter case ignored, so that `Laneid` and `warp_id` find their neighbours.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same =
          std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      const size_t cost = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = row[j];
      row[j] = cost;
    }
  }
  return row[b.size()];
}

}  // namespace

const std::array<AxisInfo, kAxisCount>& AxisTableRows() { return kRows; }

const AxisInfo& InfoOf(Axis axis) { return kRows[static_cast<size_t>(axis)]; }

std::string_view Name(Scope scope) {
  constexpr std::array<std::string_view, 6> kNames = {"thread", "warp", "warpgroup", "cta", "cluster", "grid"};
  return kNames[static_cast<size_t>(scope)];
}

std::optional<Axis> FindAxis(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const AxisInfo& row : kRows) {
    if (row.name == name || row.alias == name) return row.axis;
  }
  return std::nullopt;
}

absl::StatusOr<Axis> ParseAxis(std::string_view name) {
  if (std::optional<Axis> axis = FindAxis(name)) return *axis;
  const std::string_view shown = name.substr(0, 32);
  std::string_view nearest = kRows[0].name;
  size_t best = EditDistance(shown, nearest);
  for (const AxisInfo& row : kRows) {
    for (std::string_view candidate : {row.name, row.alias}) {
      if (candidate.empty()) continue;
      const size_t distance = EditDistance(shown, candidate);
      if (distance < best) {
        best = distance;
        nearest = row.name;
      }
    }
  }
  return Error("axis", "unknown axis \"", shown, "\"; the nearest known one is \"", nearest, "\"");
}

std::optional<Axis> AxisTable::Fused(Scope unit, Scope scope) const {
  if (!fuses()) return std::nullopt;
  if (unit == Scope::kThread && scope == Scope::kWarpgroup) return Axis::kTidInWg;
  if (unit == Scope::kThread && scope == Scope::kCta) return Axis::kTid;
  if (unit == Scope::kWarp && scope == Scope::kCta) return Axis::kWarpId;
  return std::nullopt;
}

std::optional<Axis> AxisTable::Part(Scope unit, Scope scope) const {
  if (!fuses()) return std::nullopt;
  for (const AxisInfo& row : kRows) {
    if (row.kind == AxisKind::kThread && row.unit == unit && row.scope == scope && scope <= Scope::kCta)
      return row.axis;
  }
  return std::nullopt;
}

std::optional<int64_t> AxisTable::UnitsPer(Scope large, Scope small) const {
  if (!fuses() || large > Scope::kWarpgroup || small > large) return std::nullopt;
  int64_t count = 1;
  if (small <= Scope::kThread && large >= Scope::kWarp) count *= lanes_per_warp_;
  if (small <= Scope::kWarp && large >= Scope::kWarpgroup) count *= warps_per_warpgroup_;
  return count;
}

}  // namespace kiln::layout
