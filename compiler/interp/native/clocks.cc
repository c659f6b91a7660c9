#include "compiler/interp/native/clocks.h"

#include <algorithm>

namespace kiln::interp {
namespace {

void Raise(std::vector<uint32_t>& clocks, int32_t actor, uint32_t when) {
  auto k = static_cast<size_t>(actor);
  if (clocks.size() <= k) clocks.resize(k + 1, 0);
  clocks[k] = std::max(clocks[k], when);
}

void JoinInto(std::vector<uint32_t>& clocks, const Clocks& other) {
  if (!other) return;
  if (clocks.size() < other->size()) clocks.resize(other->size(), 0);
  for (size_t k = 0; k < other->size(); ++k) clocks[k] = std::max(clocks[k], (*other)[k]);
}

Clocks Share(std::vector<uint32_t> clocks) { return std::make_shared<const std::vector<uint32_t>>(std::move(clocks)); }

Clocks Join(const Clocks& a, const Clocks& b) {
  if (a == b || !b) return a;
  if (!a) return b;
  std::vector<uint32_t> joined = *a;
  JoinInto(joined, b);
  return Share(std::move(joined));
}

}  // namespace

void Knowledge::Fence() {
  std::vector<uint32_t> all;
  JoinInto(all, known.seen);
  JoinInto(all, known.fenced);
  Raise(all, actor, own++);
  known.fenced = Share(std::move(all));
}

void Gathering::Add(const Knowledge& thread) {
  if (thread.known.seen != last_.seen) JoinInto(seen_, last_.seen = thread.known.seen);
  if (thread.known.fenced != last_.fenced) JoinInto(fenced_, last_.fenced = thread.known.fenced);
  Raise(seen_, thread.actor, thread.own);
}

void Gathering::AddDone(int32_t actor, uint32_t when) {
  Raise(seen_, actor, when);
  Raise(fenced_, actor, when);
}

Known Gathering::Take() const { return {Share(seen_), fenced_.empty() ? nullptr : Share(fenced_)}; }

void Acquirer::Acquire(Knowledge& thread, const Known& released) {
  auto same = [](const Known& a, const Known& b) { return a.seen == b.seen && a.fenced == b.fenced; };
  if (!joined_.seen || !same(thread.known, from_) || !same(released, with_)) {
    from_ = thread.known;
    with_ = released;
    joined_ = {Join(from_.seen, with_.seen), Join(from_.fenced, with_.fenced)};
  }
  thread.known = joined_;
}

}  // namespace kiln::interp
