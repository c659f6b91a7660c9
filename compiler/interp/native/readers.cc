#include "compiler/interp/native/readers.h"

#include <utility>

namespace kiln::interp {

void Readers::Reset() {
  nodes_.clear();
  known_.clear();
  forgotten_ = 0;
  last_ = {};
}

void Readers::ForgetAll() {
  forgotten_ += static_cast<Set>(nodes_.size());
  nodes_.clear();
  known_.clear();
  last_ = {};
}

Readers::Set Readers::Push(Set rest, const Touch& touch) {
  if (!Find(rest)) rest = 0;
  uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(touch.actor)) << 32 | touch.when;
  auto [it, added] = known_.try_emplace({rest, key}, forgotten_ + static_cast<Set>(nodes_.size()) + 1);
  if (added) nodes_.push_back({touch, rest});
  return it->second;
}

Readers::Set Readers::With(Set set, const Touch& reader, const Knowledge& who) {
  const Node* top = Find(set);
  if (top && top->touch == reader) return set;
  if (last_.to != 0 && last_.from == set && last_.reader == reader && last_.seen == who.known.seen) return last_.to;
  std::vector<Touch> kept;
  Set rest = set;
  bool dropped = false;
  for (const Node* node = top; node; node = Find(node->rest)) {
    bool seen = node->touch == reader || who.Sees(node->touch.actor, node->touch.when);
    dropped |= seen;
    if (!seen) kept.push_back(node->touch);
  }
  if (dropped) {
    rest = 0;
    for (auto it = kept.rbegin(); it != kept.rend(); ++it) rest = Push(rest, *it);
  }
  last_ = {set, Push(rest, reader), reader, who.known.seen};
  return last_.to;
}

Touch Readers::Unseen(Set set, const Knowledge& who) const {
  for (const Node* node = Find(set); node; node = Find(node->rest))
    if (!who.Sees(node->touch.actor, node->touch.when)) return node->touch;
  return {};
}

}  // namespace kiln::interp
