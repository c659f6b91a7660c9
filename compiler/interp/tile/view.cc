#include "compiler/interp/tile/view.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "compiler/interp/tile/ring.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

constexpr int64_t kMaxTile = int64_t{1} << 28;  // Elements

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

std::pair<int64_t, int64_t> ByteRange(DType dtype, int64_t offset, int64_t count) {
  return {offset * Bits(dtype) / 8, ((offset + count) * Bits(dtype) + 7) / 8};
}

absl::Status CheckArrived(const Storage& storage, const uint8_t* states, size_t bytes, std::string_view done) {
  const bool copy = std::memchr(states, kInFlight, bytes) != nullptr;
  if (!copy && !std::memchr(states, kAccumulating, bytes)) return absl::OkStatus();
  return absl::FailedPreconditionError(StrCat("\"", storage.name, "\" is ", done, " while ",
                                              copy ? "an asynchronous copy" : "a product", " into it is in flight"));
}

// Elements of less than a byte share theirs with a neighbour that may be in flight.
absl::Status CheckWrite(const Storage& storage, DType dtype, int64_t offset, int64_t count) {
  if (storage.written.empty() || Bits(dtype) < 8) return absl::OkStatus();
  auto [first, last] = ByteRange(dtype, offset, count);
  return CheckArrived(storage, storage.written.data() + first, static_cast<size_t>(last - first), "written");
}

// Why elements may not be read; Ok when they may.
absl::Status CheckRead(const Storage& storage, DType dtype, int64_t offset, int64_t count, bool check_uninitialized) {
  if (storage.written.empty()) return absl::OkStatus();
  auto [first, last] = ByteRange(dtype, offset, count);
  const uint8_t* states = storage.written.data() + first;
  auto bytes = static_cast<size_t>(last - first);
  KILN_RETURN_IF_ERROR(CheckArrived(storage, states, bytes, "read"));
  const void* empty = check_uninitialized ? std::memchr(states, kEmpty, bytes) : nullptr;
  if (!empty) return absl::OkStatus();
  int64_t byte = first + (static_cast<const uint8_t*>(empty) - states);
  return absl::FailedPreconditionError(
      StrCat("\"", storage.name, "\" is read at element ", byte * 8 / Bits(dtype), ", which nothing wrote"));
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
  bool empty = false;
  for (int64_t extent : shape) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(count, extent, &count)) count = std::numeric_limits<int64_t>::max();
  }
  return empty ? 0 : count;
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

absl::Status CheckTileSize(absl::Span<const int64_t> shape) {
  if (ElementCount(shape) <= kMaxTile) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      StrCat("a tile ", ShapeText(shape), " has more elements than the interpreter holds, ", kMaxTile));
}

absl::StatusOr<ValuePtr> LoadView(const View& view, const LoadOptions& options) {
  Value value;
  value.dtype = view.dtype;
  value.shape = view.shape();
  KILN_RETURN_IF_ERROR(CheckTileSize(value.shape));
  value.data.resize(static_cast<size_t>(ElementCount(value.shape)));
  const Storage& storage = *view.storage;
  if (storage.ring) KILN_RETURN_IF_ERROR(storage.ring->MayTouch(options.readers, view));
  Slot fill = Convert(view.dtype, DType::kF64, FloatSlot(options.fill));
  KILN_ASSIGN_OR_RETURN(std::optional<ThreadRange> filter, Filter(storage, options.asking));
  bool filtered = filter.has_value();
  if (filtered) value.held.resize(value.data.size());
  if (storage.value && !storage.value->held.empty()) value.held.resize(value.data.size(), 1);
  KILN_RETURN_IF_ERROR(ForEachRun(view, [&](int64_t number, int64_t offset, const ViewDim& inner, int64_t begin,
                                            int64_t end) {
    Slot* out = value.data.data() + number;
    std::fill(out, out + inner.extent, fill);
    if (inner.stride == 1 && begin < end && !filtered && storage.data) {
      KILN_RETURN_IF_ERROR(CheckRead(storage, view.dtype, offset + begin, end - begin, options.check_uninitialized));
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
      KILN_RETURN_IF_ERROR(CheckRead(storage, view.dtype, element, 1, options.check_uninitialized));
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
  KILN_RETURN_IF_ERROR(CheckTileSize(shape));
  ValuePtr source = BroadcastTo(std::make_shared<const Value>(value), shape);
  std::vector<Slot> data = source->data;
  ConvertAll(view.dtype, source->dtype, data.data(), static_cast<int64_t>(data.size()));
  KILN_ASSIGN_OR_RETURN(std::optional<ThreadRange> filter, Filter(storage, asking));
  bool filtered = filter.has_value();
  bool runs = !filtered && source->held.empty() && !combine;
  return ForEachRun(view, [&](int64_t number, int64_t offset, const ViewDim& inner, int64_t begin, int64_t end) {
    auto mark = [&](int64_t element, int64_t count) {
      if (storage.written.empty()) return;
      auto [first, last] = ByteRange(view.dtype, element, count);
      std::fill(storage.written.begin() + first, storage.written.begin() + last, kWritten);
    };
    if (runs && inner.stride == 1 && begin < end) {
      KILN_RETURN_IF_ERROR(CheckWrite(storage, view.dtype, offset + begin, end - begin));
      StoreElements(view.dtype, storage.data, offset + begin, end - begin, data.data() + number + begin);
      mark(offset + begin, end - begin);
      return absl::OkStatus();
    }
    for (int64_t k = begin; k < end; ++k) {
      int64_t element = offset + k * inner.stride;
      if (!source->held.empty() && !source->held[static_cast<size_t>(number + k)]) continue;
      if (filtered && !storage.holders->AnyOf(element * Bits(view.dtype) / Bits(storage.dtype), *filter)) continue;
      KILN_RETURN_IF_ERROR(CheckWrite(storage, view.dtype, element, 1));
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

absl::Status MarkInFlight(const View& view) {
  Storage& storage = *view.storage;
  if (storage.written.empty()) return absl::OkStatus();
  return ForEachRun(view, [&](int64_t, int64_t offset, const ViewDim& inner, int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      auto [first, last] = ByteRange(view.dtype, offset + k * inner.stride, 1);
      for (int64_t byte = first; byte < last; ++byte) {
        uint8_t& state = storage.written[static_cast<size_t>(byte)];
        if (state == kInFlight && Bits(view.dtype) >= 8) {
          return absl::FailedPreconditionError(
              StrCat("\"", storage.name, "\" is written while an asynchronous copy into it is in flight"));
        }
        state = kInFlight;
      }
    }
    return absl::OkStatus();
  });
}

absl::Status MarkAccumulating(const View& view, bool holds) {
  Storage& storage = *view.storage;
  if (!storage.data) return absl::FailedPreconditionError("a computed value is not accumulated into");
  if (storage.written.empty()) return absl::OkStatus();
  return ForEachRun(view, [&](int64_t, int64_t offset, const ViewDim& inner, int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      int64_t element = offset + k * inner.stride;
      auto [first, last] = ByteRange(view.dtype, element, 1);
      uint8_t* states = storage.written.data() + first;
      auto bytes = static_cast<size_t>(last - first);
      // Products into one accumulator follow each other.
      if (!std::memchr(states, kAccumulating, bytes)) {
        if (holds) {
          KILN_RETURN_IF_ERROR(CheckRead(storage, view.dtype, element, 1, true));
        } else {
          KILN_RETURN_IF_ERROR(CheckWrite(storage, view.dtype, element, 1));
        }
      }
      std::fill(states, states + bytes, kAccumulating);
    }
    return absl::OkStatus();
  });
}

void ClearInFlight(const View& view) {
  Storage& storage = *view.storage;
  if (storage.written.empty()) return;
  absl::Status cleared =
      ForEachRun(view, [&](int64_t, int64_t offset, const ViewDim& inner, int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          auto [first, last] = ByteRange(view.dtype, offset + k * inner.stride, 1);
          std::fill(storage.written.begin() + first, storage.written.begin() + last, kWritten);
        }
        return absl::OkStatus();
      });
  cleared.IgnoreError();  // Nothing in it fails.
}

absl::Status Land(const View& view, const Value& value) {
  ClearInFlight(view);
  return StoreView(view, value);
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
