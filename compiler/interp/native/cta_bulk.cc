// A CTA and the copy engine.
#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/interp/native/cluster.h"
#include "compiler/interp/native/cta.h"
#include "compiler/support/str_cat.h"

namespace kiln::interp {

BoxAt NativeCta::BoxOf(const BulkCall& call, const Slot* regs) const {
  BoxAt at = {};
  for (size_t d = 0; d < at.size(); ++d) at[d] = call.at[d] < 0 ? 0 : regs[call.at[d]].i;
  return at;
}

bool NativeCta::IssueLoad(const BulkCall& call, const Slot* regs, int64_t thread) {
  const TensorMap& map = cluster_.map(call.map);
  const NativeTensor& tensor = TensorAt(call.tensor);
  Reach place, barrier;
  if (!Locate(call.tensor, regs[call.index].i, map.BoxBytes() / map.element, thread, place)) return false;
  if (!Aligned(place, map.Alignment(), tensor.name)) return false;
  if (!Locate(call.barrier, regs[call.barrier_index].i, 1, thread, barrier)) return false;
  const std::string name = BarrierName(call.barrier, regs[call.barrier_index].i);
  const BulkLoad load{&map, BoxOf(call, regs), place.shared, barrier.shared, fault_pc_};
  const int64_t mask = call.mask < 0 ? int64_t{1} << rank_ : regs[call.mask].i;
  if (mask <= 0 || mask >> cluster_.size() != 0)
    return Wrong(StrCat("tma_load_multicast: expected a mask of the cluster's ", cluster_.size(), " CTAs, got ", mask));
  for (int64_t rank = 0; rank < cluster_.size(); ++rank) {
    if ((mask >> rank & 1) == 0) continue;
    if (!IssueLoadTo(cluster_.cta(rank), load, tensor.name, name, thread)) return false;
    cluster_.Issue(rank, load);
  }
  if (ordered_) ++ThreadAt(thread).knows.own;
  return true;
}

bool NativeCta::IssueLoadTo(NativeCta& target, const BulkLoad& load, const std::string& tensor,
                            const std::string& barrier_name, int64_t thread) {
  MBarrier* barrier = nullptr;
  if (target.Done()) return Wrong("tma_load_multicast: a CTA of the mask has ended");
  if (!UseBarrier(target, load.barrier, barrier_name, thread, true, &barrier)) return false;
  if (barrier->copies < 0) barrier->copies = cluster_.actors().Add("tma_load");
  cluster_.actors().Started(barrier->copies, barrier->ended + 1, load.pc);
  const int64_t bytes = load.map->BoxBytes();
  for (int64_t k = 0; k < bytes; k += kChunk) {
    const int64_t to = Swizzled(load.target + k, load.map->swizzle);
    if (to + kChunk > program_.shared_bytes)
      return Wrong(StrCat("\"", tensor, "\": the swizzled box reaches past shared memory"));
    std::optional<std::string> wrong = target.shared_.NoteIssue(to, kChunk, ThreadAt(thread).knows);
    if (wrong) return Wrong(StrCat("\"", tensor, "\" byte ", k, " of the box is ", *wrong));
  }
  return true;
}

absl::Status NativeCta::Land(const BulkLoad& load) {
  const std::vector<uint8_t> bytes = ReadBox(*load.map, load.at);
  MBarrier& barrier = *barriers_.Find(load.barrier);
  const Touch writer{barrier.copies, barrier.ended + 1};
  cluster_.actors().Started(writer.actor, writer.when, load.pc);
  for (size_t k = 0; k < bytes.size(); k += kChunk) {
    const int64_t to = Swizzled(load.target + static_cast<int64_t>(k), load.map->swizzle);
    shared_.Land(to, bytes.data() + k, kChunk, kChunk, writer);
  }
  std::optional<std::string> wrong = MBarriers::Complete(barrier, static_cast<int64_t>(bytes.size()));
  if (wrong) {
    fault_pc_ = load.pc;
    Wrong(*wrong);
    return Failure(-1);
  }
  if (MBarriers::EndPhase(barrier)) Wake(load.barrier, barrier);
  return absl::OkStatus();
}

bool NativeCta::IssueStore(const BulkCall& call, const Slot* regs, int64_t thread) {
  const TensorMap& map = cluster_.map(call.map);
  const NativeTensor& tensor = TensorAt(call.tensor);
  Reach place;
  if (!Locate(call.tensor, regs[call.index].i, map.BoxBytes() / map.element, thread, place)) return false;
  if (!Aligned(place, map.Alignment(), tensor.name)) return false;
  Stores& stores = stores_[thread];
  if (stores.actor < 0) stores.actor = cluster_.actors().Add("tma_store");
  const Touch reader{stores.actor, stores.closed + 1};
  cluster_.actors().Started(reader.actor, reader.when, fault_pc_);
  const Knowledge* knows[] = {&ThreadAt(thread).knows};
  for (int64_t k = 0; k < map.BoxBytes(); k += kChunk) {
    const int64_t from = Swizzled(place.shared + k, map.swizzle);
    if (from + kChunk > program_.shared_bytes)
      return Wrong(StrCat("\"", tensor.name, "\": the swizzled box reaches past shared memory"));
    std::optional<std::string> wrong = shared_.NoteAsyncRead(from, kChunk, knows, reader);
    if (wrong) return Wrong(StrCat("\"", tensor.name, "\" byte ", k, " of the box is ", *wrong));
  }
  stores.open.push_back({&map, BoxOf(call, regs), place.shared, fault_pc_, {}});
  return true;
}

void NativeCta::CloseStores(int64_t thread) {
  Stores& stores = stores_[thread];
  stores.groups.push_back({std::exchange(stores.open, {}), false});
  ++stores.closed;
}

void NativeCta::ReadStores(StoreGroup& group) {
  for (BulkStore& store : group.stores) {
    const int64_t bytes = group.read ? 0 : store.map->BoxBytes();
    for (int64_t k = 0; k < bytes; k += kChunk) {
      const uint8_t* from = shared_.data() + Swizzled(store.source + k, store.map->swizzle);
      store.bytes.insert(store.bytes.end(), from, from + kChunk);
    }
  }
  group.read = true;
}

// Shared memory is read and global memory written here and nowhere else: as late as the waits allow.
void NativeCta::WaitStores(int64_t pending, bool reads_alone, int64_t thread) {
  auto found = stores_.find(thread);
  if (found == stores_.end()) return;
  Stores& stores = found->second;
  const auto groups = static_cast<int64_t>(stores.groups.size());
  for (int64_t k = 0; k < groups - pending; ++k) ReadStores(stores.groups[static_cast<size_t>(k)]);
  while (!reads_alone && static_cast<int64_t>(stores.groups.size()) > pending) {
    for (const BulkStore& store : stores.groups.front().stores) WriteBox(*store.map, store.at, store.bytes);
    stores.groups.pop_front();
  }
  if (!ordered_ || stores.actor < 0) return;
  stores.read = std::max(stores.read, stores.closed - static_cast<uint32_t>(std::min(pending, groups)));
  Gathering gathering;
  gathering.AddDone(stores.actor, stores.read);
  cluster_.acquirer().Acquire(ThreadAt(thread).knows, gathering.Take());
}

absl::Status NativeCta::Finish() {
  for (auto& [thread, stores] : stores_) {
    for (StoreGroup& group : stores.groups) {
      if (group.read) continue;
      fault_pc_ = group.stores.empty() ? 0 : group.stores[0].pc;
      if (group.stores.empty()) continue;
      Wrong("tma_store may still read shared memory when the CTA ends: a bulk_wait_read is missing");
      return Failure(thread);
    }
    if (!stores.open.empty()) {
      fault_pc_ = stores.open[0].pc;
      Wrong("tma_store is in no group when the CTA ends: a bulk_commit is missing");
      return Failure(thread);
    }
    for (StoreGroup& group : stores.groups)
      for (const BulkStore& store : group.stores) WriteBox(*store.map, store.at, store.bytes);
  }
  for (const Products& products : products_) {
    if (products.open.empty() && products.groups.empty()) continue;
    for (const std::vector<Product>& group : products.groups) {
      if (group.empty()) continue;
      fault_pc_ = group[0].pc;
      Wrong("wgmma is in flight when its warpgroup ends: a wgmma_wait is missing");
      return Failure(-1);
    }
    if (products.open.empty()) continue;
    fault_pc_ = products.open[0].pc;
    Wrong("wgmma is in no group when its warpgroup ends: a wgmma_commit is missing");
    return Failure(-1);
  }
  if (const MBarrier* barrier = barriers_.Unbalanced()) {
    fault_pc_ = barrier->expect_pc >= 0 ? barrier->expect_pc : barrier->init_pc;
    Wrong(StrCat(barrier->name, ": phase ", barrier->ended, " is short of ", barrier->bytes,
                 " bytes when the kernel ends"));
    return Failure(-1);
  }
  return absl::OkStatus();
}

}  // namespace kiln::interp
