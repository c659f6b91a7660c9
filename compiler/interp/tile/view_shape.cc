// Views of views: slices, reshapes, permutations, reinterpretations.
#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/interp/tile/view.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;  // Past any tensor

}  // namespace

absl::StatusOr<View> SubscriptOf(const View& view, absl::Span<const SubscriptItem> items) {
  View result;
  result.storage = view.storage;
  result.dtype = view.dtype;
  result.offset = view.offset;
  size_t d = 0;
  for (const SubscriptItem& item : items) {
    if (item.kind == SubscriptItem::Kind::kNewAxis) {
      result.dims.push_back(ViewDim::Whole(1, 0));
      continue;
    }
    if (d == view.dims.size()) {
      return absl::InvalidArgumentError(StrCat("subscript: expected at most ", view.dims.size(), " indices"));
    }
    ViewDim dim = view.dims[d++];
    switch (item.kind) {
      case SubscriptItem::Kind::kIndex:
        if (item.begin < std::max<int64_t>(dim.valid_begin, 0) || item.begin >= std::min(dim.valid_end, dim.extent)) {
          return absl::FailedPreconditionError(StrCat("\"", view.storage->name, "\" dim ", d - 1, ": index ",
                                                      item.begin, " is outside 0 .. ", dim.extent - 1));
        }
        result.offset += item.begin * dim.stride;
        break;
      case SubscriptItem::Kind::kSlice:
        // Far outside any tensor: nothing of it is valid, and no address is computed.
        if (item.begin < -kFar || item.begin > kFar || item.extent > kFar) {
          result.dims.push_back({item.extent, 0, 0, 0});
          break;
        }
        if (item.extent < 0)
          return absl::InvalidArgumentError(StrCat("slice: expected an extent of at least 0, got ", item.extent));
        result.offset += item.begin * dim.stride;
        result.dims.push_back({item.extent, dim.stride, std::max<int64_t>(dim.valid_begin, 0) - item.begin,
                               std::min({dim.valid_end, dim.extent, item.limit}) - item.begin});
        break;
      default:
        result.dims.push_back(dim);
    }
  }
  result.dims.insert(result.dims.end(), view.dims.begin() + static_cast<int64_t>(d), view.dims.end());
  return result;
}

absl::StatusOr<View> ReshapeOf(const View& view, absl::Span<const int64_t> shape) {
  if (ElementCount(shape) != ElementCount(view.shape())) {
    return absl::InvalidArgumentError(
        StrCat("reshape: ", ShapeText(view.shape()), " and ", ShapeText(shape), " differ in size"));
  }
  View result = view;
  result.dims.clear();
  if (ElementCount(shape) == 0) {
    for (int64_t extent : shape) result.dims.push_back(ViewDim::Whole(extent, 0));
    return result;
  }
  // Groups of old and new dimensions of equal size, from the left; within a group the old ones must be one run.
  size_t from = 0, to = 0;
  while (from < view.dims.size() || to < shape.size()) {
    size_t from_begin = from, to_begin = to;
    int64_t old_size = from < view.dims.size() ? view.dims[from++].extent : 1;
    int64_t new_size = to < shape.size() ? shape[to++] : 1;
    while (old_size != new_size) {
      if (old_size < new_size) {
        old_size *= view.dims[from++].extent;
      } else {
        new_size *= shape[to++];
      }
    }
    if (from - from_begin == 1 && to - to_begin == 1) {
      result.dims.push_back(view.dims[from_begin]);
      continue;
    }
    for (size_t d = from_begin; d < from; ++d) {
      bool joins = d + 1 == from || view.dims[d].extent == 1 ||
                   view.dims[d].stride == view.dims[d + 1].extent * view.dims[d + 1].stride;
      if (!joins || !view.dims[d].IsWhole()) {
        return absl::FailedPreconditionError(StrCat("reshape of \"", view.storage->name, "\": dimension ", d,
                                                    " is no part of one run of memory inside the tensor"));
      }
    }
    int64_t stride = from > from_begin ? view.dims[from - 1].stride : 0;
    std::vector<ViewDim> group;
    for (size_t d = to; d-- > to_begin; stride *= shape[d]) group.push_back(ViewDim::Whole(shape[d], stride));
    result.dims.insert(result.dims.end(), group.rbegin(), group.rend());
  }
  return result;
}

absl::StatusOr<View> PermuteOf(const View& view, absl::Span<const int64_t> order) {
  View result = view;
  std::vector<int64_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  for (size_t d = 0; d < sorted.size() || d < view.dims.size(); ++d) {
    if (sorted.size() != view.dims.size() || sorted[d] != static_cast<int64_t>(d)) {
      return absl::InvalidArgumentError(StrCat("permute: expected an order of ", view.dims.size(), " dimensions"));
    }
  }
  for (size_t d = 0; d < order.size(); ++d) result.dims[d] = view.dims[static_cast<size_t>(order[d])];
  return result;
}

absl::StatusOr<View> ReinterpretOf(const View& view, DType dtype) {
  View result = view;
  result.dtype = dtype;
  int64_t from = Bits(view.dtype), to = Bits(dtype);
  if (from == to) return result;
  if (!view.storage->data) return absl::FailedPreconditionError("reinterpret: a computed value has no bytes");
  auto scale = [&](int64_t elements) { return elements * from / to; };
  auto divides = [&](int64_t elements) { return elements * from % to == 0; };
  bool ok = !view.dims.empty() && view.dims.back().stride == 1 && view.dims.back().IsWhole() && divides(view.offset);
  for (const ViewDim& dim : view.dims)
    ok = ok && (&dim == &view.dims.back() ? divides(dim.extent) : divides(dim.stride));
  if (!ok) {
    return absl::FailedPreconditionError(StrCat("reinterpret of \"", view.storage->name, "\" ", ShapeText(view.shape()),
                                                " as ", Name(dtype), ": rows are no whole number of its elements"));
  }
  result.offset = scale(view.offset);
  for (ViewDim& dim : result.dims) dim.stride = scale(dim.stride);
  result.dims.back() = ViewDim::Whole(scale(view.dims.back().extent), 1);
  return result;
}

}  // namespace kiln::interp
