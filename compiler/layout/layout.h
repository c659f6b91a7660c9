// Layouts: from a coordinate to places on named axes.
//
//   L(x) = { D(x) + r + O }    shard iters, replica iters, an offset per axis
//
// A TileLayout's shard iters go from the most significant to the least: the coordinate, flattened row-major, is split
// by their extents, innermost first, and each component times its stride is added on its axis. A SwizzledLayout XORs
// bits of the element address that its tile gives. Both are immutable values, cheap to copy, safe to share between
// threads.
//
//   auto layout = TileLayout::Make({{8, 4, Axis::kLaneId}, {4, 1, Axis::kLaneId}, {2, 1, Axis::kM}});
#ifndef KILN_COMPILER_LAYOUT_LAYOUT_H_
#define KILN_COMPILER_LAYOUT_LAYOUT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compiler/layout/axis.h"
#include "compiler/layout/extent.h"

namespace kiln::layout {

struct Iter {
  Extent extent = 1;  // > 0
  Extent stride = 1;  // In units of the axis; elements for memory axes.
  Axis axis = Axis::kM;

  bool operator==(const Iter&) const = default;
};

using Offset = std::map<Axis, Extent>;

// The most iters of one layout, shard and replica together.
inline constexpr size_t kMaxIters = 256;

class TileLayout {
 public:
  // The layout of one element: no iters.
  TileLayout();

  // Errors: an extent below 1, more than kMaxIters iters, sizes or spans that leave 63 bits.
  static absl::StatusOr<TileLayout> Make(std::vector<Iter> shard, std::vector<Iter> replica = {}, Offset offset = {});

  // `S[shape]`: row-major on `axis`.
  static absl::StatusOr<TileLayout> RowMajor(const Shape& shape, Axis axis = Axis::kM);

  const std::vector<Iter>& shard() const { return rep_->shard; }
  const std::vector<Iter>& replica() const { return rep_->replica; }
  const Offset& offset() const { return rep_->offset; }
  // Zero where the layout has none.
  Extent offset(Axis axis) const;

  // No symbols anywhere.
  bool is_constant() const { return rep_->constant; }
  // A shard iter, a replica iter or an offset is on the axis.
  bool Uses(Axis axis) const;
  Shape ShardShape() const;

  bool operator==(const TileLayout& other) const;

 private:
  struct Rep {
    std::vector<Iter> shard;
    std::vector<Iter> replica;
    Offset offset;
    bool constant = true;
  };
  explicit TileLayout(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}

  std::shared_ptr<const Rep> rep_;
};

// The XOR of a swizzled layout, on element addresses: with x = m >> per_element and mask = 2^swizzle_len - 1, inner
// gives x ^ ((x & (mask << atom_len)) >> atom_len), outer x ^ ((x & mask) << atom_len); the low per_element bits stay.
struct Swizzle {
  int per_element = 0;
  int swizzle_len = 0;
  int atom_len = 0;
  bool inner = true;

  // The map repeats, shifted, every so many elements.
  int64_t Period() const { return int64_t{1} << (per_element + swizzle_len + atom_len); }
  // REQUIRES: address >= 0.
  int64_t Apply(int64_t address) const;
  bool operator==(const Swizzle&) const = default;
};

class SwizzledLayout {
 public:
  // Errors: not atom_len >= swizzle_len >= 0 and per_element >= 0, a period over 2^40, a tile that maps to more than
  // `m`.
  static absl::StatusOr<SwizzledLayout> Make(Swizzle swizzle, TileLayout tile);

  const Swizzle& swizzle() const { return swizzle_; }
  const TileLayout& tile() const { return tile_; }
  bool operator==(const SwizzledLayout&) const = default;

 private:
  SwizzledLayout(Swizzle swizzle, TileLayout tile) : swizzle_(swizzle), tile_(std::move(tile)) {}

  Swizzle swizzle_;
  TileLayout tile_;
};

class Layout {
 public:
  Layout() = default;
  Layout(TileLayout tile) : value_(std::move(tile)) {}              // NOLINT: either kind is a layout.
  Layout(SwizzledLayout swizzled) : value_(std::move(swizzled)) {}  // NOLINT

  bool is_tile() const { return std::holds_alternative<TileLayout>(value_); }
  // Null where the layout is of the other kind.
  const TileLayout* tile_if() const { return std::get_if<TileLayout>(&value_); }
  const SwizzledLayout* swizzled_if() const { return std::get_if<SwizzledLayout>(&value_); }
  // The tile itself, or the tile beneath the XOR.
  const TileLayout& base() const { return is_tile() ? *tile_if() : swizzled_if()->tile(); }
  // The same kind of layout, with the same XOR, over another base.
  absl::StatusOr<Layout> WithBase(TileLayout base) const;

  bool operator==(const Layout&) const = default;

 private:
  std::variant<TileLayout, SwizzledLayout> value_;
};

// `S[(8,4):(4@laneid,1@laneid)] + R[2:4@warpid] + 5@warpid`, `swizzle[3,3,3] o S[512:1]`. Parse reads it back.
std::string ToString(const TileLayout& layout);
std::string ToString(const Layout& layout);

// With the symbols that `values` names replaced. Errors: as TileLayout::Make.
absl::StatusOr<TileLayout> Substitute(const TileLayout& layout, const std::map<std::string, int64_t>& values);

// The number of coordinates; with an axis, the product of the shard extents on it alone.
Extent Size(const TileLayout& layout);
Extent Size(const TileLayout& layout, Axis axis);
// 1 + the sum over shard and replica iters on the axis of (extent - 1) * stride + the offset; without an axis, over all
// memory axes.
Extent Span(const TileLayout& layout);
Extent Span(const TileLayout& layout, Axis axis);
// Errors: an axis on a swizzled layout.
absl::StatusOr<Extent> Size(const Layout& layout, std::optional<Axis> axis = std::nullopt);
absl::StatusOr<Extent> Span(const Layout& layout, std::optional<Axis> axis = std::nullopt);
// Elements to allocate so that every address on `m` fits: the span; under an XOR rounded up to whole periods.
// Errors: a swizzled layout whose span is symbolic and no multiple of the period.
absl::StatusOr<Extent> AllocationExtent(const Layout& layout);

}  // namespace kiln::layout

#endif  // KILN_COMPILER_LAYOUT_LAYOUT_H_
