#include "cache/tiered_store.h"

#include <cstddef>

namespace kiln::cache {

Lookup TieredStore::Get(const Key& key) {
  for (size_t i = 0; i < tiers_.size(); ++i) {
    Lookup found = tiers_[i]->Get(key);
    if (!found) continue;
    for (size_t above = 0; above < i; ++above) tiers_[above]->Put(found.entry);
    return found;
  }
  return {};
}

void TieredStore::Put(const EntryPtr& entry) {
  for (const std::unique_ptr<Store>& tier : tiers_) tier->Put(entry);
}

void TieredStore::AddStats(Stats* stats) const {
  for (const std::unique_ptr<Store>& tier : tiers_) tier->AddStats(stats);
}

}  // namespace kiln::cache
