#include "compiler/interp/tile/view.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

// Runs over the last dimension of a view are visited whole: `fn(first element's number, its offset, valid range within
// the run)`, where an empty range stands for a run outside the domain.
template <typename F>
absl::Status ForEachRun(const View& view, F fn) {
  std::vector<ViewDim> dims = view.dims;
  if (dims.empty()) dims.push_back(ViewDim::Whole(1, 1));
  const ViewDim& inner = dims.back();
  size_t outer = dims.size() - 1;
  for (const ViewDim& dim : dims)
    if (dim.extent <= 0) return absl::OkStatus();
  std::vector<int64_t> index(outer, 0);
  int64_t begin = std::clamp(inner.valid_begin, int64_t{0}, inner.extent);
  int64_t end = std::clamp(inner.valid_end, begin, inner.extent);
  for (int64_t number = 0;; number += inner.extent) {
    int64_t offset = view.offset;
    bool valid = true;
    for (size_t d = 0; d < outer; ++d) {
      offset += index[d] * dims[d].stride;
      valid = valid && index[d] >= dims[d].valid_begin && index[d] < dims[d].valid_end;
    }
    KILN_RETURN_IF_ERROR(fn(number, offset, inner, valid ? begin : 0, valid ? end : 0));
    size_t d = outer;
    while (d > 0 && ++index[d - 1] == dims[d - 1].extent) index[--d] = 0;
    if (d == 0) return absl::OkStatus();
  }
}

absl::Status Uninitialized(const Storage& storage, int64_t offset) {
  return absl::FailedPreconditionError(
      StrCat("\"", storage.name, "\" is read at element ", offset, ", which nothing wrote"));
}

bool WasWritten(const Storage& storage, DType dtype, int64_t offset, int64_t count) {
  if (storage.written.empty()) return true;
  int64_t first = offset * Bits(dtype) / 8, last = ((offset + count) * Bits(dtype) + 7) / 8;
  return std::memchr(storage.written.data() + first, 0, static_cast<size_t>(last - first)) == nullptr;
}

// The threads that ask, counted from the owner's first one; nothing where all elements count.
absl::StatusOr<std::optional<ThreadRange>> Filter(const Storage& storage, const Asking* asking) {
  if (!asking || storage.space != ir::Space::kLocal || storage.owner <= asking->team) return std::nullopt;
  if (!storage.holders) {
    return absl::FailedPreconditionError(
        StrCat("\"", storage.name, "\" has no layout, so which thread holds what is not known"));
  }
  return ThreadRange{asking->threads.first - storage.first_thread, asking->threads.count};
}

}  // namespace

int64_t ElementCount(absl::Span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  return count;
}

std::string ShapeText(absl::Span<const int64_t> shape) { return StrCat("[", absl::StrJoin(shape, ", "), "]"); }

ValuePtr ScalarValue(DType dtype, Slot slot) { return std::make_shared<const Value>(Value{dtype, {}, {slot}, {}}); }

Shape View::shape() const {
  Shape shape;
  for (const ViewDim& dim : dims) shape.push_back(dim.extent);
  return shape;
}

View WholeView(std::shared_ptr<Storage> storage, absl::Span<const int64_t> shape) {
  View view;
  view.dtype = storage->dtype;
  view.storage = std::move(storage);
  view.dims.resize(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) view.dims[d] = ViewDim::Whole(shape[d], stride);
  return view;
}

View ValueView(ValuePtr value) {
  auto storage = std::make_shared<Storage>();
  storage->dtype = value->dtype;
  storage->value = value;
  return WholeView(std::move(storage), value->shape);
}

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

absl::StatusOr<ValuePtr> LoadView(const View& view, const LoadOptions& options) {
  Value value;
  value.dtype = view.dtype;
  value.shape = view.shape();
  value.data.resize(static_cast<size_t>(ElementCount(value.shape)));
  const Storage& storage = *view.storage;
  Slot fill = Convert(view.dtype, DType::kF64, FloatSlot(options.fill));
  KILN_ASSIGN_OR_RETURN(std::optional<ThreadRange> filter, Filter(storage, options.asking));
  bool filtered = filter.has_value();
  if (filtered) value.held.resize(value.data.size());
  if (storage.value && !storage.value->held.empty()) value.held.resize(value.data.size(), 1);
  KILN_RETURN_IF_ERROR(
      ForEachRun(view, [&](int64_t number, int64_t offset, const ViewDim& inner, int64_t begin, int64_t end) {
        Slot* out = value.data.data() + number;
        std::fill(out, out + inner.extent, fill);
        if (inner.stride == 1 && begin < end && !filtered && storage.data) {
          if (options.check_uninitialized && !WasWritten(storage, view.dtype, offset + begin, end - begin))
            return Uninitialized(storage, offset + begin);
          LoadElements(view.dtype, storage.data, offset + begin, end - begin, out + begin);
          return absl::OkStatus();
        }
        for (int64_t k = begin; k < end; ++k) {
          int64_t element = offset + k * inner.stride;
          if (storage.value) {
            out[k] = storage.value->data[static_cast<size_t>(element)];
            if (!storage.value->held.empty())
              value.held[static_cast<size_t>(number + k)] = storage.value->held[static_cast<size_t>(element)];
            continue;
          }
          if (filtered) {
            bool held = storage.holders->AnyOf(element * Bits(view.dtype) / Bits(storage.dtype), *filter);
            value.held[static_cast<size_t>(number + k)] = held;
            if (!held) continue;
          }
          if (options.check_uninitialized && !WasWritten(storage, view.dtype, element, 1))
            return Uninitialized(storage, element);
          LoadElements(view.dtype, storage.data, element, 1, out + k);
        }
        return absl::OkStatus();
      }));
  return std::make_shared<const Value>(std::move(value));
}

absl::Status StoreView(const View& view, const Value& value, const Asking* asking, Combine combine) {
  Storage& storage = *view.storage;
  if (!storage.data) return absl::FailedPreconditionError("a computed value is not assigned to");
  Shape shape = view.shape();
  absl::StatusOr<Shape> joint = BroadcastShape(shape, value.shape);
  if (!joint.ok() || *joint != shape) {
    return absl::InvalidArgumentError(
        StrCat("expected a value of shape ", ShapeText(shape), ", got ", ShapeText(value.shape)));
  }
  ValuePtr source = BroadcastTo(std::make_shared<const Value>(value), shape);
  std::vector<Slot> data = source->data;
  ConvertAll(view.dtype, source->dtype, data.data(), static_cast<int64_t>(data.size()));
  KILN_ASSIGN_OR_RETURN(std::optional<ThreadRange> filter, Filter(storage, asking));
  bool filtered = filter.has_value();
  bool runs = !filtered && source->held.empty() && !combine;
  return ForEachRun(view, [&](int64_t number, int64_t offset, const ViewDim& inner, int64_t begin, int64_t end) {
    auto mark = [&](int64_t element, int64_t count) {
      if (storage.written.empty()) return;
      int64_t first = element * Bits(view.dtype) / 8, last = ((element + count) * Bits(view.dtype) + 7) / 8;
      std::fill(storage.written.begin() + first, storage.written.begin() + last, 1);
    };
    if (runs && inner.stride == 1 && begin < end) {
      StoreElements(view.dtype, storage.data, offset + begin, end - begin, data.data() + number + begin);
      mark(offset + begin, end - begin);
      return absl::OkStatus();
    }
    for (int64_t k = begin; k < end; ++k) {
      int64_t element = offset + k * inner.stride;
      if (!source->held.empty() && !source->held[static_cast<size_t>(number + k)]) continue;
      if (filtered && !storage.holders->AnyOf(element * Bits(view.dtype) / Bits(storage.dtype), *filter)) continue;
      Slot slot = data[static_cast<size_t>(number + k)];
      if (combine) {
        Slot old_value;
        LoadElements(view.dtype, storage.data, element, 1, &old_value);
        slot = combine(view.dtype, old_value, slot);
      }
      StoreElements(view.dtype, storage.data, element, 1, &slot);
      mark(element, 1);
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<Shape> BroadcastShape(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (size_t k = 0; k < shape.size(); ++k) {
    int64_t x = k < a.size() ? a[a.size() - 1 - k] : 1;
    int64_t y = k < b.size() ? b[b.size() - 1 - k] : 1;
    if (x != y && x != 1 && y != 1) {
      return absl::InvalidArgumentError(StrCat("shapes ", ShapeText(a), " and ", ShapeText(b), " do not broadcast"));
    }
    shape[shape.size() - 1 - k] = x == 1 ? y : x;
  }
  return shape;
}

ValuePtr BroadcastTo(const ValuePtr& value, const Shape& shape) {
  if (value->shape == shape) return value;
  size_t lead = shape.size() - value->shape.size();
  View view = ValueView(value);
  std::vector<ViewDim> dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    bool repeats = d < lead || value->shape[d - lead] == 1;
    dims.push_back(ViewDim::Whole(shape[d], repeats ? 0 : view.dims[d - lead].stride));
  }
  view.dims = std::move(dims);
  return *LoadView(view, {});  // A view of a value inside its domain always loads.
}

}  // namespace kiln::interp
