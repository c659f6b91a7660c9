// Tiles in logical coordinates: the memory of a tensor, and views of it.
//
// A view's element is inside its domain when every index is within [valid_begin, valid_end) of its dimension; elements
// outside read the fill value and are not written. Views are cheap to copy and keep their storage alive.
#ifndef KILN_COMPILER_INTERP_TILE_VIEW_H_
#define KILN_COMPILER_INTERP_TILE_VIEW_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compiler/interp/element.h"
#include "compiler/interp/tile/holders.h"
#include "compiler/ir/kernel.h"

namespace kiln::interp {

using Shape = std::vector<int64_t>;

int64_t ElementCount(absl::Span<const int64_t> shape);
// Errors: a computed tile of that shape is more than the interpreter holds.
absl::Status CheckTileSize(absl::Span<const int64_t> shape);
std::string ShapeText(absl::Span<const int64_t> shape);

// A computed scalar (no shape) or tile, row-major.
struct Value {
  DType dtype = DType::kNone;
  Shape shape;
  std::vector<Slot> data;
  // Which elements the threads asked about hold; empty = all. Reductions and stores skip the others.
  std::vector<uint8_t> held;

  bool IsScalar() const { return data.size() == 1 && shape.empty(); }
};
using ValuePtr = std::shared_ptr<const Value>;

ValuePtr ScalarValue(DType dtype, Slot slot);

enum ByteState : uint8_t {
  kEmpty = 0,
  kWritten,
  kInFlight,      // Awaits an asynchronous copy
  kAccumulating,  // Awaits an asynchronous product
};

class Ring;

// Memory behind views: an argument, an alloc, or a computed value.
struct Storage {
  std::string name;
  DType dtype = DType::kNone;
  ir::Space space = ir::Space::kNone;
  Team owner = Team::kCta;       // Of local tensors
  int64_t first_thread = 0;      // Of the owner, in its CTA
  uint8_t* data = nullptr;       // Null for a computed value
  std::vector<uint8_t> bytes;    // What `data` points to, unless it is an argument
  std::vector<uint8_t> written;  // A ByteState for each; empty = not tracked
  ValuePtr value;
  std::shared_ptr<const Holders> holders;  // Null: the layout was left out
  std::shared_ptr<Ring> ring;              // Whose field this is; null = none
};

struct ViewDim {
  int64_t extent = 0;
  int64_t stride = 0;
  int64_t valid_begin = 0;
  int64_t valid_end = 0;

  static ViewDim Whole(int64_t extent, int64_t stride) { return {extent, stride, 0, extent}; }
  bool IsWhole() const { return valid_begin <= 0 && valid_end >= extent; }
};

struct View {
  std::shared_ptr<Storage> storage;
  DType dtype = DType::kNone;
  std::vector<ViewDim> dims;
  int64_t offset = 0;  // In elements of dtype

  Shape shape() const;
};

// A view of everything, row-major.
View WholeView(std::shared_ptr<Storage> storage, absl::Span<const int64_t> shape);
View ValueView(ValuePtr value);

// One item of a subscript, evaluated.
struct SubscriptItem {
  enum class Kind { kIndex, kSlice, kFull, kNewAxis } kind = Kind::kIndex;
  int64_t begin = 0;
  int64_t extent = 0;
  int64_t limit = std::numeric_limits<int64_t>::max();  // Of a slice: the index where its domain ends
};
absl::StatusOr<View> SubscriptOf(const View& view, absl::Span<const SubscriptItem> items);
absl::StatusOr<View> ReshapeOf(const View& view, absl::Span<const int64_t> shape);
absl::StatusOr<View> PermuteOf(const View& view, absl::Span<const int64_t> order);
absl::StatusOr<View> ReinterpretOf(const View& view, DType dtype);

// Who asks for a tile: of local tensors whose owner is a larger team, only what these threads hold counts as held.
struct Asking {
  Team team = Team::kThread;
  ThreadRange threads;  // Of the CTA
};

struct LoadOptions {
  bool check_uninitialized = true;
  const Asking* asking = nullptr;     // Null: everyone
  double fill = 0;                    // What elements outside the domain read
  absl::Span<const int64_t> readers;  // Threads that must have popped what they read of a ring; empty = not checked
};
absl::StatusOr<ValuePtr> LoadView(const View& view, const LoadOptions& options);

// Stores `value`, converted, broadcast to the view's shape. Elements outside the domain, and not held, are dropped.
// With `combine` the old and the new element give what is stored.
using Combine = Slot (*)(DType dtype, Slot old_value, Slot new_value);
absl::Status StoreView(const View& view, const Value& value, const Asking* asking = nullptr, Combine combine = nullptr);

// Elements of the view await an asynchronous copy, or (Land) have it. Errors: they await one already.
absl::Status MarkInFlight(const View& view);

// Elements of the view await a product. Errors: a copy is in flight there or, with `holds`, nothing wrote them.
absl::Status MarkAccumulating(const View& view, bool holds);
// What was in flight has arrived.
void ClearInFlight(const View& view);
// Stores what was in flight.
absl::Status Land(const View& view, const Value& value);

// The shape of `a` and `b` side by side: dimensions pair from the last, extents are equal or 1.
absl::StatusOr<Shape> BroadcastShape(absl::Span<const int64_t> a, absl::Span<const int64_t> b);
// REQUIRES: value.shape broadcasts to `shape`.
ValuePtr BroadcastTo(const ValuePtr& value, const Shape& shape);

}  // namespace kiln::interp

#endif  // KILN_COMPILER_INTERP_TILE_VIEW_H_
