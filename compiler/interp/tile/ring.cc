#include "compiler/interp/tile/ring.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/meeting.h"
#include "compiler/support/str_cat.h"
#include "kiln/internal/status_macros.h"

namespace kiln::interp {
namespace {

// First and last slot that the view's elements are in.
std::pair<int64_t, int64_t> SlotsOf(const View& view, int64_t slots) {
  auto bytes = static_cast<int64_t>(view.storage->bytes.size());
  int64_t elements = std::max<int64_t>(bytes / slots * 8 / Bits(view.dtype), 1);
  int64_t first = view.offset, last = view.offset;
  for (const ViewDim& dim : view.dims) {
    int64_t reach = (dim.extent - 1) * dim.stride;
    (reach < 0 ? first : last) += reach;
  }
  return {first / elements, last / elements};
}

}  // namespace

bool Ring::IsFree(int64_t needed) const {
  if (needed <= 0) return true;
  return std::count_if(cursors_.begin(), cursors_.end(), [&](const Cursor& c) { return c.released >= needed; }) >=
         readers_;
}

bool Ring::Ready(TileOpKind op, int64_t thread) const {
  const Cursor& cursor = cursors_[static_cast<size_t>(thread)];
  if (op == TileOpKind::kPush) {
    const int64_t needed = cursor.pushed - slots() + 1;
    if (!reach_) return IsFree(needed);
    return std::all_of(reach_->begin(), reach_->end(),
                       [&](const std::shared_ptr<Ring>& ring) { return ring && ring->IsFree(needed); });
  }
  if (op != TileOpKind::kPop) return true;
  const SlotState& slot = SlotAt(cursor.popped);
  return slot.pushes > cursor.popped / slots() && slot.issued == bytes_;
}

// REQUIRES: not IsFree.
std::string Ring::HeldBy(int64_t needed) const {
  std::vector<int64_t> holding;
  for (size_t t = 0; t < cursors_.size(); ++t)
    if (cursors_[t].released < needed) holding.push_back(static_cast<int64_t>(t));
  const std::string which = StrCat("slot ", (needed - 1) % slots(), ", which ");
  const auto threads = static_cast<int64_t>(cursors_.size());
  if (readers_ < threads) {
    return StrCat(which, static_cast<int64_t>(holding.size()) - (threads - readers_), " of its ", readers_,
                  " readers have not released");
  }
  return StrCat(which, holding.size() == 1 ? "thread " : "threads ", ir::Ranges(holding),
                holding.size() == 1 ? " has" : " have", " not released");
}

std::string Ring::AwaitedBy(TileOpKind op, int64_t thread) const {
  const Cursor& cursor = cursors_[static_cast<size_t>(thread)];
  if (op == TileOpKind::kPush) {
    const int64_t needed = cursor.pushed - slots() + 1;
    if (!reach_) return HeldBy(needed);
    for (size_t rank = 0; rank < reach_->size(); ++rank) {
      const std::shared_ptr<Ring>& ring = (*reach_)[rank];
      if (!ring) return StrCat("the ring of CTA ", rank, " of the cluster, which is not declared");
      if (!ring->IsFree(needed)) return StrCat(ring->HeldBy(needed), " in CTA ", rank, " of the cluster");
    }
  }
  const SlotState& slot = SlotAt(cursor.popped);
  std::string which = StrCat("slot ", cursor.popped % slots());
  if (slot.pushes <= cursor.popped / slots()) return StrCat(which, ", which nothing has pushed");
  return StrCat(which, ", whose copies bring ", slot.issued, " of ", bytes_, " bytes");
}

absl::StatusOr<int64_t> Ring::Push(int64_t thread) {
  Cursor& cursor = cursors_[static_cast<size_t>(thread)];
  const int64_t index = cursor.pushed % slots();
  SlotState& slot = SlotAt(cursor.pushed);
  if (slot.pushes != cursor.pushed / slots()) {
    return absl::FailedPreconditionError(
        StrCat("ring \"", name_, "\": slot ", index, " is pushed by a second thread; one thread fills a ring"));
  }
  ++cursor.pushed;
  ++slot.pushes;
  slot.issued = 0;
  for (Copy& copy : std::exchange(slot.early, {})) {
    slot.issued += Bytes(copy.target.dtype, ElementCount(copy.target.shape()));
    slot.copies.push_back(std::move(copy));
  }
  return index;
}

absl::StatusOr<int64_t> Ring::Pop(int64_t thread) {
  Cursor& cursor = cursors_[static_cast<size_t>(thread)];
  SlotState& slot = SlotAt(cursor.popped);
  for (const Copy& copy : std::exchange(slot.copies, {})) KILN_RETURN_IF_ERROR(Land(copy.target, *copy.value));
  return cursor.popped++ % slots();
}

absl::Status Ring::Release(int64_t thread) {
  Cursor& cursor = cursors_[static_cast<size_t>(thread)];
  if (cursor.released == cursor.popped) {
    return absl::FailedPreconditionError(StrCat("ring \"", name_, "\": a release without a popped slot"));
  }
  ++cursor.released;
  return absl::OkStatus();
}

absl::Status Ring::Issue(const View& target, ValuePtr value) {
  auto [index, last] = SlotsOf(target, slots());
  if (index != last) return absl::FailedPreconditionError(StrCat("ring \"", name_, "\": a copy into several slots"));
  return IssueAt(index, slots_[static_cast<size_t>(index)].pushes, target, std::move(value));
}

absl::Status Ring::IssueTo(uint64_t mask, const View& target, const ValuePtr& value) {
  auto [index, last] = SlotsOf(target, slots());
  if (index != last) return absl::FailedPreconditionError(StrCat("ring \"", name_, "\": a copy into several slots"));
  for (size_t rank = 0; reach_ && rank < reach_->size(); ++rank) {
    if (!(mask >> rank & 1)) continue;
    Ring& ring = *(*reach_)[rank];
    View there = target;
    there.storage = ring.fields_.at(target.storage->name).lock();
    KILN_RETURN_IF_ERROR(ring.IssueAt(index, slots_[static_cast<size_t>(index)].pushes, there, value));
  }
  return absl::OkStatus();
}

// `round`: pushes of the slot that the copy is meant for, this one included.
absl::Status Ring::IssueAt(int64_t index, int64_t round, const View& target, ValuePtr value) {
  SlotState& slot = slots_[static_cast<size_t>(index)];
  const int64_t bytes = Bytes(target.dtype, ElementCount(target.shape()));
  if (slot.pushes < round) {
    KILN_RETURN_IF_ERROR(MarkInFlight(target));
    slot.early.push_back({target, std::move(value)});
    return absl::OkStatus();
  }
  const int64_t awaited = slot.pushes == 0 ? 0 : bytes_ - slot.issued;
  if (bytes > awaited) {
    return absl::FailedPreconditionError(StrCat("ring \"", name_, "\": a copy of ", bytes, " bytes into slot ", index,
                                                ", which awaits ", awaited, "; a push lets a slot await ", bytes_));
  }
  KILN_RETURN_IF_ERROR(MarkInFlight(target));
  slot.issued += bytes;
  slot.copies.push_back({target, std::move(value)});
  return absl::OkStatus();
}

absl::Status Ring::MayTouch(absl::Span<const int64_t> threads, const View& view) const {
  auto [first, last] = SlotsOf(view, slots());
  for (int64_t thread : threads) {
    const Cursor& cursor = cursors_[static_cast<size_t>(thread)];
    for (int64_t slot = first; slot <= last; ++slot) {
      // The oldest popped and not released is number `released`; this slot's turn is at most a round later.
      int64_t turn = cursor.released + ((slot - cursor.released) % slots() + slots()) % slots();
      if (turn < cursor.popped) continue;
      const char* why = slot < cursor.popped ? ", which it has released" : ", which it has not popped";
      return absl::FailedPreconditionError(StrCat("\"", view.storage->name, "\": thread ", thread, " touches slot ",
                                                  slot, " of ring \"", name_, "\"", why));
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::interp
