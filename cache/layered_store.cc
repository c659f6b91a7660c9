#include "cache/layered_store.h"

namespace kiln::cache {

Lookup LayeredStore::Get(const Key& key) {
  if (upper_ != nullptr) {
    if (Lookup found = upper_->Get(key)) return found;
  }
  for (const std::unique_ptr<Store>& layer : layers_) {
    if (Lookup found = layer->Get(key)) return found;
  }
  return {};
}

void LayeredStore::Put(const EntryPtr& entry) {
  if (upper_ != nullptr) upper_->Put(entry);
}

void LayeredStore::AddStats(Stats* stats) const {
  if (upper_ != nullptr) upper_->AddStats(stats);
  for (const std::unique_ptr<Store>& layer : layers_) layer->AddStats(stats);
}

}  // namespace kiln::cache
