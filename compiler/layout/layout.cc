#include "compiler/layout/layout.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compiler/layout/error.h"
#include "kiln/internal/status_macros.h"

namespace kiln::layout {
namespace {

absl::Status CheckIter(const Iter& iter) {
  if (iter.extent.overflowed() || iter.stride.overflowed()) {
    return Error("construct", "an extent or a stride on ", Name(iter.axis), " leaves 63 bits");
  }
  if (!iter.extent.ProvablyAtLeast(1)) {
    return Error("construct", "an extent must be at least 1, got ", iter.extent.ToString(), " (stride ",
                 iter.stride.ToString(), "@", Name(iter.axis), ")");
  }
  return absl::OkStatus();
}

bool IsConstant(const Iter& iter) { return iter.extent.is_constant() && iter.stride.is_constant(); }

}  // namespace

TileLayout::TileLayout() {
  static const auto* const kEmpty = new std::shared_ptr<const Rep>(std::make_shared<const Rep>());
  rep_ = *kEmpty;
}

absl::StatusOr<TileLayout> TileLayout::Make(std::vector<Iter> shard, std::vector<Iter> replica, Offset offset) {
  if (shard.size() + replica.size() > kMaxIters) {
    return Error("construct", "at most ", kMaxIters, " iters, got ", shard.size() + replica.size());
  }
  auto rep = std::make_shared<Rep>();
  Extent size = 1;
  for (const Iter& iter : shard) {
    KILN_RETURN_IF_ERROR(CheckIter(iter));
    size *= iter.extent;
    rep->constant = rep->constant && IsConstant(iter);
  }
  Extent copies = 1;
  for (const Iter& iter : replica) {
    KILN_RETURN_IF_ERROR(CheckIter(iter));
    copies *= iter.extent;
    rep->constant = rep->constant && IsConstant(iter);
  }
  if (size.overflowed() || copies.overflowed()) return Error("construct", "the size leaves 63 bits");
  for (const auto& [axis, value] : offset) {
    if (value.overflowed()) return Error("construct", "the offset on ", Name(axis), " leaves 63 bits");
    rep->constant = rep->constant && value.is_constant();
  }
  rep->shard = std::move(shard);
  rep->replica = std::move(replica);
  rep->offset = std::move(offset);
  // Magnitudes, so that no sum that evaluation forms can leave 63 bits either.
  if (rep->constant) {
    Extent reach = 0;
    for (const std::vector<Iter>* iters : {&rep->shard, &rep->replica}) {
      for (const Iter& iter : *iters) {
        const int64_t stride = iter.stride.constant();
        reach += (iter.extent - 1) * (stride < 0 ? Extent(0) - iter.stride : iter.stride);
      }
    }
    for (const auto& [axis, value] : rep->offset) reach += value.constant() < 0 ? Extent(0) - value : value;
    if ((reach + 1).overflowed()) return Error("construct", "the span leaves 63 bits");
  }
  return TileLayout(std::shared_ptr<const Rep>(std::move(rep)));
}

absl::StatusOr<TileLayout> TileLayout::RowMajor(const Shape& shape, Axis axis) {
  std::vector<Iter> shard(shape.size());
  Extent stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    shard[i] = {shape[i], stride, axis};
    stride *= shape[i];
  }
  return Make(std::move(shard));
}

Extent TileLayout::offset(Axis axis) const {
  const auto it = rep_->offset.find(axis);
  return it == rep_->offset.end() ? Extent(0) : it->second;
}

bool TileLayout::Uses(Axis axis) const {
  const auto on_axis = [axis](const Iter& iter) { return iter.axis == axis; };
  return std::any_of(shard().begin(), shard().end(), on_axis) ||
         std::any_of(replica().begin(), replica().end(), on_axis) || offset().contains(axis);
}

Shape TileLayout::ShardShape() const {
  Shape shape;
  shape.reserve(shard().size());
  for (const Iter& iter : shard()) shape.push_back(iter.extent);
  return shape;
}

bool TileLayout::operator==(const TileLayout& other) const {
  return rep_ == other.rep_ || (shard() == other.shard() && replica() == other.replica() && offset() == other.offset());
}

int64_t Swizzle::Apply(int64_t address) const {
  const int64_t mask = (int64_t{1} << swizzle_len) - 1;
  const int64_t x = address >> per_element;
  const int64_t flips = inner ? (x & (mask << atom_len)) >> atom_len : (x & mask) << atom_len;
  return address ^ (flips << per_element);
}

absl::StatusOr<SwizzledLayout> SwizzledLayout::Make(Swizzle swizzle, TileLayout tile) {
  if (swizzle.per_element < 0 || swizzle.swizzle_len < 0 || swizzle.atom_len < swizzle.swizzle_len ||
      swizzle.per_element > 40 || swizzle.atom_len > 40 ||
      swizzle.per_element + swizzle.swizzle_len + swizzle.atom_len > 40) {
    return Error("construct",
                 "ill-formed swizzle: expected atom_len >= swizzle_len >= 0 and per_element >= 0 with a sum ",
                 "of at most 40, got per_element ", swizzle.per_element, ", swizzle_len ", swizzle.swizzle_len,
                 ", atom_len ", swizzle.atom_len);
  }
  for (const AxisInfo& row : AxisTableRows()) {
    if (row.axis != Axis::kM && tile.Uses(row.axis)) {
      return Error("construct", "ill-formed swizzle: its tile must map to m alone, got ", row.name, " in ",
                   layout::ToString(tile));
    }
  }
  return SwizzledLayout(swizzle, std::move(tile));
}

absl::StatusOr<Layout> Layout::WithBase(TileLayout base) const {
  if (is_tile()) return Layout(std::move(base));
  KILN_ASSIGN_OR_RETURN(SwizzledLayout swizzled, SwizzledLayout::Make(swizzled_if()->swizzle(), std::move(base)));
  return Layout(std::move(swizzled));
}

absl::StatusOr<TileLayout> Substitute(const TileLayout& layout, const std::map<std::string, int64_t>& values) {
  if (layout.is_constant()) return layout;
  std::vector<Iter> shard = layout.shard();
  std::vector<Iter> replica = layout.replica();
  for (std::vector<Iter>* iters : {&shard, &replica}) {
    for (Iter& iter : *iters) iter = {iter.extent.Substitute(values), iter.stride.Substitute(values), iter.axis};
  }
  Offset offset = layout.offset();
  for (auto& [axis, value] : offset) value = value.Substitute(values);
  return TileLayout::Make(std::move(shard), std::move(replica), std::move(offset));
}

}  // namespace kiln::layout
