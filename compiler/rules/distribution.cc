#include "compiler/rules/distribution.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/expr/simplify.h"
#include "compiler/layout/coordinates.h"
#include "compiler/layout/layout.h"
#include "compiler/layout/parse.h"
#include "kiln/internal/status_macros.h"

namespace kiln {
namespace {

const Type& IndexType() {
  static const Type* const type = new Type{DType::kI64};
  return *type;
}
Expr I(int64_t v) { return WithType(Int(v), IndexType()); }
Expr T(Expr e) { return WithType(std::move(e), IndexType()); }

layout::Axis LayoutAxis(DigitAxis axis) {
  switch (axis) {
    case DigitAxis::kThread:
      return layout::Axis::kTid;
    case DigitAxis::kLane:
      return layout::Axis::kLaneId;
    case DigitAxis::kWarp:
      return layout::Axis::kWarpId;
    case DigitAxis::kSlot:
      return layout::Axis::kM;
  }
  return layout::Axis::kM;
}

absl::StatusOr<DigitAxis> AxisOf(layout::Axis axis, const std::string& text) {
  switch (axis) {
    case layout::Axis::kTid:
      return DigitAxis::kThread;
    case layout::Axis::kLaneId:
      return DigitAxis::kLane;
    case layout::Axis::kWarpId:
      return DigitAxis::kWarp;
    case layout::Axis::kM:
      return DigitAxis::kSlot;
    default:
      return absl::UnimplementedError(absl::StrCat("infer: layout ", text,
                                                   ": a local tile lies over tid, laneid, warpid and m; found ",
                                                   std::string(layout::Name(axis))));
  }
}

absl::StatusOr<int64_t> Constant(const layout::Extent& extent, const std::string& text) {
  if (!extent.is_constant())
    return absl::UnimplementedError(absl::StrCat("infer: layout ", text, ": a local tile has constant extents"));
  return extent.constant();
}

// What the coordinate of each dimension must be for the thread to own it: all thread digits agree.
bool Owns(const std::vector<Digit>& digits, const Expr& coord, const Facts& facts) {
  for (const Digit& digit : digits) {
    if (digit.axis == DigitAxis::kSlot) continue;
    Expr asked = T(Mod(T(FloorDiv(coord, I(digit.weight))), I(digit.extent)));
    if (!ProveEqual(asked, DigitValue(digit, facts), facts)) return false;
  }
  return true;
}

}  // namespace

std::vector<int64_t> Distribution::Padded() const {
  std::vector<int64_t> out;
  for (const auto& digits : dims) {
    int64_t extent = 1;
    for (const Digit& digit : digits) extent *= digit.extent;
    out.push_back(extent);
  }
  return out;
}

int64_t Distribution::Slots() const {
  int64_t last = 0;
  for (const auto& digits : dims)
    for (const Digit& digit : digits)
      if (digit.axis == DigitAxis::kSlot) last += (digit.extent - 1) * digit.stride;
  return last + 1;
}

std::string LayoutText(const Distribution& distribution) {
  std::vector<layout::Iter> shard, replica;
  for (const auto& digits : distribution.dims) {
    if (digits.empty()) shard.push_back({1, 1, layout::Axis::kM});
    for (const Digit& digit : digits) shard.push_back({digit.extent, digit.stride, LayoutAxis(digit.axis)});
  }
  for (const Digit& digit : distribution.replicas)
    replica.push_back({digit.extent, digit.stride, LayoutAxis(digit.axis)});
  auto made = layout::TileLayout::Make(std::move(shard), std::move(replica));
  return made.ok() ? layout::ToString(*made) : std::string();
}

absl::StatusOr<Distribution> ParseDistribution(const std::string& text, const std::vector<int64_t>& padded) {
  KILN_ASSIGN_OR_RETURN(layout::Layout parsed, layout::Parse(text));
  const layout::TileLayout* tile = parsed.tile_if();
  if (!tile || !tile->offset().empty())
    return absl::UnimplementedError(
        absl::StrCat("infer: layout ", text, ": a local tile takes a tile layout without offsets"));
  KILN_ASSIGN_OR_RETURN(auto components, layout::Components(*tile, layout::ToShape(padded)));
  Distribution out;
  for (const auto& dim : components) {
    std::vector<Digit> digits;
    for (const layout::Component& c : dim) {
      Digit digit;
      KILN_ASSIGN_OR_RETURN(digit.extent, Constant(c.extent, text));
      KILN_ASSIGN_OR_RETURN(digit.weight, Constant(c.weight, text));
      KILN_ASSIGN_OR_RETURN(digit.stride, Constant(c.stride, text));
      KILN_ASSIGN_OR_RETURN(digit.axis, AxisOf(c.axis, text));
      if (digit.extent > 1) digits.push_back(digit);
    }
    out.dims.push_back(std::move(digits));
  }
  for (const layout::Iter& iter : tile->replica()) {
    Digit digit;
    KILN_ASSIGN_OR_RETURN(digit.extent, Constant(iter.extent, text));
    KILN_ASSIGN_OR_RETURN(digit.stride, Constant(iter.stride, text));
    KILN_ASSIGN_OR_RETURN(digit.axis, AxisOf(iter.axis, text));
    out.replicas.push_back(digit);
  }
  return Canonical(std::move(out));
}

Distribution RowMajorDistribution(const std::vector<int64_t>& shape, int64_t threads, int64_t vector) {
  Distribution out;
  const size_t rank = shape.size();
  if (rank == 0) return out;
  const int64_t columns = shape.back();
  while (vector > 1 && vector / 2 >= columns) vector /= 2;
  const int64_t chunks = (columns + vector - 1) / vector;
  // Threads of a row: a power of two within a warp, else whole warps that divide the CTA.
  int64_t per_row = 1;
  while (per_row < chunks && per_row < 32 && per_row * 2 <= threads && threads % (per_row * 2) == 0) per_row *= 2;
  if (per_row == 32)
    while (per_row < chunks && threads % (per_row * 2) == 0) per_row *= 2;
  if (per_row >= 32 && per_row < chunks) per_row = threads;
  const int64_t groups = threads / per_row;
  const int64_t column_loops = (chunks + per_row - 1) / per_row;

  std::vector<Digit> cols;
  if (column_loops > 1) cols.push_back({column_loops, per_row * vector, 0, DigitAxis::kSlot});
  if (per_row > 1) cols.push_back({per_row, vector, 1, DigitAxis::kThread});
  if (vector > 1) cols.push_back({vector, 1, 0, DigitAxis::kSlot});

  int64_t copies = groups;  // Groups of threads that rows leave over hold copies
  for (size_t d = 0; d + 1 < rank; ++d) {
    std::vector<Digit> rows;
    int64_t in_parallel = 1;
    if (d + 2 == rank && shape[d] >= groups) in_parallel = groups;
    if (d + 2 == rank)
      while (in_parallel < shape[d] && groups % (in_parallel * 2) == 0) in_parallel *= 2;
    copies /= in_parallel;
    int64_t loops = (shape[d] + in_parallel - 1) / in_parallel;
    if (loops > 1) rows.push_back({loops, in_parallel, 0, DigitAxis::kSlot});
    if (in_parallel > 1) rows.push_back({in_parallel, 1, per_row, DigitAxis::kThread});
    out.dims.push_back(std::move(rows));
  }
  if (copies > 1) out.replicas.push_back({copies, 1, per_row * (groups / copies), DigitAxis::kThread});
  out.dims.push_back(std::move(cols));
  return Renumbered(std::move(out));
}

Distribution Reduced(const Distribution& distribution, int64_t axis) {
  Distribution out = distribution;
  for (const Digit& digit : distribution.dims[axis])
    if (digit.axis != DigitAxis::kSlot) out.replicas.push_back({digit.extent, 1, digit.stride, digit.axis});
  out.dims.erase(out.dims.begin() + axis);
  return Renumbered(std::move(out));
}

Distribution ReducedByThread(const Distribution& distribution, int64_t axis) {
  Distribution out = distribution;
  std::vector<Digit> parts;
  int64_t weight = 1;
  for (auto digit = distribution.dims[axis].rbegin(); digit != distribution.dims[axis].rend(); ++digit) {
    if (digit->axis == DigitAxis::kSlot) continue;
    parts.insert(parts.begin(), {digit->extent, weight, digit->stride, digit->axis});
    weight *= digit->extent;
  }
  out.dims.erase(out.dims.begin() + axis);
  out.dims.push_back(std::move(parts));
  return Canonical(Renumbered(std::move(out)));
}

Distribution Canonical(Distribution distribution) {
  for (auto& digits : distribution.dims) {
    std::vector<Digit> out;
    for (const Digit& digit : digits) {
      if (digit.extent == 1) continue;
      Digit* outer = out.empty() ? nullptr : &out.back();
      bool joins = outer && outer->axis == digit.axis && outer->weight == digit.weight * digit.extent &&
                   outer->stride == digit.stride * digit.extent;
      if (joins)
        *outer = {outer->extent * digit.extent, digit.weight, digit.stride, digit.axis};
      else
        out.push_back(digit);
    }
    digits = std::move(out);
  }
  // Copies: digits of one axis from the largest stride down, joined where they count on.
  auto& replicas = distribution.replicas;
  std::sort(replicas.begin(), replicas.end(),
            [](const Digit& a, const Digit& b) { return a.axis != b.axis ? a.axis < b.axis : a.stride > b.stride; });
  std::vector<Digit> copies;
  for (const Digit& digit : replicas) {
    if (digit.extent == 1) continue;
    if (!copies.empty() && copies.back().axis == digit.axis && copies.back().stride == digit.stride * digit.extent)
      copies.back() = {copies.back().extent * digit.extent, 1, digit.stride, digit.axis};
    else
      copies.push_back({digit.extent, 1, digit.stride, digit.axis});
  }
  replicas = std::move(copies);
  return distribution;
}

Distribution Renumbered(Distribution distribution) {
  int64_t stride = 1;
  for (size_t d = distribution.dims.size(); d-- > 0;) {
    auto& digits = distribution.dims[d];
    for (size_t i = digits.size(); i-- > 0;) {
      if (digits[i].axis != DigitAxis::kSlot) continue;
      digits[i].stride = stride;
      stride *= digits[i].extent;
    }
  }
  return Canonical(std::move(distribution));
}

Expr DigitValue(const Digit& digit, const Facts& facts) {
  const char* name = digit.axis == DigitAxis::kThread ? "thread_id"
                     : digit.axis == DigitAxis::kLane ? "lane_id"
                                                      : "warp_id";
  Expr id = Var(name, IndexType());
  return Simplify(T(Mod(T(FloorDiv(id, I(digit.stride))), I(digit.extent))), facts);
}

Expr SlotOf(const Distribution& distribution, const std::vector<Expr>& coords, const Facts& facts) {
  Expr slot = I(0);
  for (size_t d = 0; d < coords.size(); ++d) {
    if (!Owns(distribution.dims[d], coords[d], facts)) return nullptr;
    for (const Digit& digit : distribution.dims[d]) {
      if (digit.axis != DigitAxis::kSlot) continue;
      Expr value = T(Mod(T(FloorDiv(coords[d], I(digit.weight))), I(digit.extent)));
      slot = T(slot + T(value * I(digit.stride)));
    }
  }
  return Simplify(slot, facts);
}

}  // namespace kiln
